import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import {
  byOperator,
  contributorStoreLaws,
  madeApplication,
  startHrana,
  type ContributorsPlace,
} from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { openLocal } from '../../../../host-node/src/sqlite/local.ts'
import type { SqlClient } from './client.ts'
import { libsqlContributors } from './contributors.ts'
import { openDatabase, raw } from './database.ts'
import { migrate } from './migrate.ts'
import { libsqlOutbox } from './outbox.ts'
import { libsqlPolicy } from './policy.ts'

function storesOn(client: SqlClient): ContributorsPlace['stores'][0] {
  const db = openDatabase(client)
  return { policy: libsqlPolicy(db), contributors: libsqlContributors(db), outbox: libsqlOutbox(db) }
}

async function place(clients: [SqlClient, SqlClient], close: () => Promise<unknown>): Promise<ContributorsPlace> {
  await migrate(clients[0])
  return {
    stores: [storesOn(clients[0]), storesOn(clients[1])],
    async person(id) {
      await openDatabase(clients[0]).write([raw('insert into users (id, created_at) values (?, 0)', [id])])
    },
    async close() {
      for (const client of clients) client.close()
      await close()
    },
  }
}

const folder = (): Promise<string> => mkdtemp(join(tmpdir(), 'tributary-contributors-'))

contributorStoreLaws('a local file', async () => {
  const home = await folder()
  const path = join(home, 'a.db')
  return place([openLocal(path), openLocal(path)], () => rm(home, { recursive: true }))
})

contributorStoreLaws('a remote libSQL', async () => {
  const home = await folder()
  const remote = await startHrana({ path: join(home, 'a.db') })
  return place([createClient({ url: remote.url }), createClient({ url: remote.url })], async () => {
    await remote.close()
    await rm(home, { recursive: true })
  })
})

test('each step is one round trip', async () => {
  const home = await folder()
  const remote = await startHrana({ path: join(home, 'a.db') })
  const client = createClient({ url: remote.url })
  const {
    stores: [{ policy, contributors }],
    person,
    close,
  } = await place([client, client], () => rm(home, { recursive: true }))
  await person('ann')
  const sent = madeApplication()
  const steps: (() => Promise<unknown>)[] = [
    () => policy.standing('ann'),
    () => policy.acceptTerms('ann', { termsVersion: 'v', residencyConfirmed: true }, 1),
    () => policy.setPaused('ann', true, 1),
    () => policy.waitlist({ country: null, cursor: null, limit: 50 }),
    () => policy.notifyWaitlist({ country: 'US', mails: [], subject: '', text: '', audit: byOperator(1) }),
    () => policy.export('ann'),
    () => contributors.apply('ann', sent, 1),
    () => contributors.review(sent.id, { status: 'approved', reason: null }, byOperator(1)),
    () => contributors.setOperatorPaused('ann', true, byOperator(1)),
    () => contributors.setConsent('ann', { attribution: true, pixel: true }, 1),
    () => contributors.contributors({ cursor: null, limit: 50 }),
    () => contributors.export('ann'),
    () => contributors.erase('ann'),
    () => policy.erase('ann'),
  ]
  for (const [i, step] of steps.entries()) {
    const before = remote.requests
    await step()
    expect([i, remote.requests - before]).toEqual([i, 1])
  }
  await close!()
  await remote.close()
})

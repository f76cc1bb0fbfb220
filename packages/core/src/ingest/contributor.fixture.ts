import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMigratedFile, fixture, seededRandom, type Fixture, type Signed } from '@tributary/test-kit'
import { openLocal } from '../../../host-node/src/sqlite/local.ts'
import type { ServiceOptions } from '../service/options.ts'
import { libsqlStores, type SqlClient } from '../stores/libsql/index.ts'
import type { Stores } from '../stores.ts'

export interface Place {
  readonly client: SqlClient
  readonly stores: Stores
  /** Other stores with the same data, like the stores of another host. */
  readonly others: Stores
  close(): Promise<void>
}

export const places: Record<string, () => Promise<Place>> = {
  async 'a local file'() {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-ingest-'))
    const path = join(folder, 'a.db')
    await createMigratedFile(path)
    const clients = [openLocal(path), openLocal(path)] as const
    return {
      client: clients[0],
      stores: libsqlStores(clients[0]),
      others: libsqlStores(clients[1]),
      async close() {
        for (const client of clients) client.close()
        await rm(folder, { recursive: true })
      },
    }
  },
}

export const adminToken = 'operator-'.repeat(3)
export const admin = { authorization: `Bearer ${adminToken}` }

let seeds = 0

/** Opens a service that approves contributors automatically, in an allowed country, without waits between steps. */
export function openAutoApprovingService(stores: Stores, options: Partial<ServiceOptions> = {}): Fixture {
  return fixture({
    stores,
    adminToken,
    approval: 'automatic',
    country: () => 'US',
    random: seededRandom(++seeds),
    yieldToEventLoop: async () => undefined,
    ...options,
  })
}

/** Signs in a person who may upload. */
export async function signInContributor(made: Fixture): Promise<Signed> {
  const signed = await made.signIn(`contributor-${++seeds}@example.com`)
  const steps: [string, object][] = [
    ['/api/account/terms', { termsVersion: '2026-12-01', residencyConfirmed: true }],
    [
      '/api/account/application',
      { companyName: 'Acme', website: 'https://acme.example', email: 'a@acme.example', role: 'dev', authorized: true },
    ],
  ]
  for (const [path, json] of steps) {
    const answer = await made.ask('POST', path, { headers: signed.bearer, json })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  }
  return signed
}

export const makeTraceInput = (sourceId: string, more: object = {}) => ({
  sourceId,
  createdAt: '2026-01-02T03:04:05+02:00',
  messages: [{ role: 'user', content: `hello from ${sourceId}` }],
  ...more,
})
export const makeTraceInputs = (count: number, label = 't') =>
  Array.from({ length: count }, (_, n) => makeTraceInput(`${label}-${n}`))

/** Returns every blob of a waiting upload. */
export const listWaitingBlobs = (stores: Stores): Promise<string[]> =>
  stores.blobs.stale(Number.MAX_SAFE_INTEGER, 10_000, '')

/** Returns the names of the outcomes of a job. */
export async function listOutcomes(made: Fixture, who: Signed, jobId: string): Promise<string[]> {
  const answer = await made.ask('GET', `/api/ingest/jobs/${jobId}/outcomes`, { headers: who.bearer })
  return answer.json.outcomes.map(({ outcome }: { outcome: string }) => outcome)
}

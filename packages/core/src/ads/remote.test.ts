import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { createMigratedFile, fixture, startHrana } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { libsqlStores } from '../stores/libsql/index.ts'
import { operator, paidCampaign } from './fixture.ts'

test('an impression makes one round trip to the store; GET /api/ad makes one, or two if the campaign cache has expired', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tributary-ads-'))
  await createMigratedFile(join(home, 'a.db'))
  const remote = await startHrana({ path: join(home, 'a.db') })
  const client = createClient({ url: remote.url })
  try {
    const made = fixture({
      stores: libsqlStores(client),
      adminToken: operator.token,
      ads: { secret: ['not', 'a', 'real', 'secret'].join(' ') },
    })
    const ann = await made.signIn()
    const ask = (path: string) => made.ask('GET', path, { headers: ann.bearer })
    const countRequests = async (step: () => Promise<unknown>): Promise<number> => {
      const before = remote.requests
      await step()
      return remote.requests - before
    }
    await made.ask('POST', '/api/admin/campaigns', { headers: operator.bearer, json: { ...paidCampaign, topics: [] } })
    await ask('/api/cli/session')
    expect(await countRequests(() => ask('/api/ad?d=device-1'))).toBe(2)
    expect(await countRequests(() => ask('/api/ad?d=device-1'))).toBe(1)
    expect(
      await countRequests(() => Promise.all(Array.from({ length: 20 }, () => ask('/api/ad?d=device-1')))),
    ).toBeLessThanOrEqual(2)
    const { nonce } = (await ask('/api/ad?d=device-1')).json
    made.clock.advance(1000)
    expect(await countRequests(() => ask(`/api/ad/imp/${nonce}`))).toBe(1)
  } finally {
    client.close()
    await remote.close()
    await rm(home, { recursive: true })
  }
})

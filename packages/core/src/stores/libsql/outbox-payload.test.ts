import { makeMail } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { libsqlOutbox } from './outbox.ts'
import { openLocalFile } from './two-clients.fixture.ts'

test('acknowledge deletes the text of a sent mail; retry and fail keep the text that can be sent again', async () => {
  const {
    clients: [client],
    databases: [db],
    close,
  } = await openLocalFile()
  const store = libsqlOutbox(db)
  const listPayloads = async (): Promise<unknown[]> =>
    (await client.execute({ sql: 'select payload from outbox order by id', args: [] })).rows.map((row) => row[0])
  const mail = makeMail({ payload: 'a private text' })
  await store.enqueue(mail)
  const now = mail.createdAt
  const claim = () =>
    store.claimMail({
      lease: `lease-${Math.random()}`,
      now,
      until: now + 60_000,
      limits: { perHour: 9, digestAfterMs: 60_000, maxDigestEntries: 9 },
    })
  const first = (await claim())!
  await store.retry({ lease: first.lease, ids: [mail.id], error: 'refused', dueAt: now })
  expect(await listPayloads()).toEqual(['a private text'])
  const second = (await claim())!
  await store.acknowledge({ lease: second.lease, ids: [mail.id], now })
  expect(await listPayloads()).toEqual([''])
  await close()
})

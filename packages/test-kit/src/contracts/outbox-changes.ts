import type { OutboxStore } from '@tributary/core/stores'
import { beforeEach, describe, expect, test } from 'vitest'
import { makeId } from '../fixtures/seed.ts'
import { makeAuditContext } from './audit.ts'
import { createOutboxCalls, hour, listIds, makeMail, start, type OutboxPlace } from './outbox-fixture.ts'

/**
 * Runs the contract tests of resending and deleting undelivered entries. The tests are part of the contract tests of
 * `OutboxStore`.
 */
export function runOutboxChangeContract(place: () => OutboxPlace): void {
  let store: OutboxStore
  let otherClient: OutboxStore
  beforeEach(() => {
    ;[store, otherClient] = place().stores
  })
  const { enqueueAll, claimMail, list, find, failMails } = createOutboxCalls(place)

  const makeAudit = () => makeAuditContext(start + hour)
  const every = { ids: null, until: start + hour }

  describe('resend', () => {
    const resendDead = (params: { ids: readonly string[] | null; until: number }, client = store) =>
      client.resend({ ...params, status: 'dead', audit: makeAudit() })

    test('makes a dead entry due again and resets its attempts only once when two clients make twenty concurrent calls', async () => {
      const [mail] = await failMails(1, 'dead')
      const calls = Array.from({ length: 20 }, (_, i) =>
        resendDead({ ...every, ids: [mail!.id] }, i % 2 ? store : otherClient),
      )
      expect((await Promise.all(calls)).filter((count) => count === 1)).toHaveLength(1)
      expect(await find(mail!.id)).toMatchObject({ status: 'waiting', attempts: 0, finishedAt: null })
      expect((await claimMail(start + hour))!.entries).toMatchObject([{ payload: mail!.payload, attempt: 1 }])
    })

    test('does not change an entry that is not dead, a delivery without a webhook, or an unknown entry', async () => {
      const [unknown] = await failMails(1, 'unknown')
      const [mail, delivery] = [makeMail(), makeMail({ channel: 'webhook' })]
      await enqueueAll(mail, delivery)
      const before = await list()
      const ids = [mail.id, unknown!.id, delivery.id, makeId('b', 0)]
      expect([await resendDead({ ...every, ids }), await resendDead(every)]).toEqual([0, 0])
      expect(await list()).toEqual(before)
    })

    test('makes every dead entry that failed up to a given time due again', async () => {
      const mails = await failMails(3, 'dead')
      expect(await resendDead({ ids: null, until: start + 1 })).toBe(2)
      expect((await list()).filter(({ status }) => status === 'dead')).toMatchObject([{ id: mails[2]!.id }])
      expect(await resendDead(every)).toBe(1)
    })
  })

  describe('deleteUndelivered', () => {
    const remove = (status: 'dead' | 'unknown', ids: readonly string[] | null, until = start + hour, client = store) =>
      client.deleteUndelivered({ status, ids, until, audit: makeAudit() })

    test('deletes the listed entries with the given status; of twenty concurrent calls, only one counts each entry', async () => {
      const [first, second] = await failMails(2, 'dead')
      const calls = Array.from({ length: 20 }, (_, i) =>
        remove('dead', [first!.id], start + hour, i % 2 ? store : otherClient),
      )
      expect((await Promise.all(calls)).reduce((sum, count) => sum + count, 0)).toBe(1)
      expect(listIds(await list())).toEqual([second!.id])
      expect(await remove('unknown', [second!.id])).toBe(0)
    })

    test('deletes every entry with the given status that finished before a given time, and no other entry', async () => {
      const [, , last] = await failMails(3, 'dead')
      const [unknown] = await failMails(1, 'unknown')
      const waiting = makeMail()
      await enqueueAll(waiting)
      expect(await remove('dead', null, start + 1)).toBe(2)
      expect(listIds(await list()).toSorted()).toEqual([last!.id, unknown!.id, waiting.id].toSorted())
      expect([await remove('unknown', null), await remove('dead', null)]).toEqual([1, 1])
      expect(listIds(await list())).toEqual([waiting.id])
    })
  })
}

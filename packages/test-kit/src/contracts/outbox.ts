import type { OutboxEntry, OutboxStore } from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeId } from '../fixtures/seed.ts'
import { makeAuditContext } from './audit.ts'
import { expectExactList, newerRows } from './lists.ts'
import { runOutboxChangeContract } from './outbox-changes.ts'
import {
  createOutboxCalls,
  hour,
  limits,
  listIds,
  makeMail,
  minute,
  start,
  type OutboxPlace,
} from './outbox-fixture.ts'
import { useRealTimes } from './real-times.ts'

/** Runs the contract tests of the outbox store in the test file that calls it; `open` returns an empty store. */
export function runOutboxStoreContract(name: string, open: () => Promise<OutboxPlace>): void {
  describe(`OutboxStore in ${name}`, () => {
    let place: OutboxPlace
    let store: OutboxStore
    let otherClient: OutboxStore
    beforeEach(async () => {
      place = useRealTimes(await open())
      ;[store, otherClient] = place.stores
    })
    afterEach(async () => place.close?.())

    const { makeLease, enqueueAll, claimMail, claim, list, find, failMails } = createOutboxCalls(() => place)

    describe('hasDue', () => {
      test('returns false for an empty outbox', async () => {
        expect(await store.hasDue({ now: start + hour })).toBe(false)
      })

      test('returns true from the time at which an entry was created', async () => {
        await enqueueAll(makeMail())
        expect(await otherClient.hasDue({ now: start - 1 })).toBe(false)
        expect(await otherClient.hasDue({ now: start })).toBe(true)
      })
    })

    describe('enqueue', () => {
      test('stores the first of two entries with the same id', async () => {
        const mail = makeMail()
        await enqueueAll(mail, { ...mail, subject: 'again' })
        expect(await list()).toMatchObject([
          { id: mail.id, subject: mail.subject, status: 'waiting', attempts: 0, createdAt: start, dueAt: start },
        ])
      })
    })

    describe('recordRefusedMail', () => {
      test('stores a mail that is never sent, which list finds by its address and request', async () => {
        const mail = {
          id: makeId('mail', 1),
          recipient: 'ann@example.com',
          subject: 'Sign-in code',
          status: 'dead',
          error: '550',
          requestId: 'asked-1',
          now: start,
        } as const
        await store.recordRefusedMail(mail)
        await enqueueAll(makeMail({ requestId: makeId('request', 1) }))
        const search = async (text: string) =>
          (await otherClient.list({ search: text, cursor: null, limit: 10 })).items.map(({ id }) => id)
        for (const text of ['asked-1', 'ann@example.com', mail.id]) expect(await search(text)).toContain(mail.id)
        expect(await search(makeId('request', 1))).toHaveLength(1)
        expect(await find(mail.id)).toMatchObject({
          status: 'dead',
          attempts: 1,
          lastError: '550',
          requestId: 'asked-1',
          canResend: false,
          finishedAt: start,
        })
        const params = { ids: [mail.id], status: 'dead', until: start, audit: makeAuditContext(start) } as const
        expect(await store.resend(params)).toBe(0)
        expect(await store.deleteUndelivered(params)).toBe(1)
      })
    })

    describe('claimMail', () => {
      test('returns a mail unchanged to one of twenty concurrent claims by two clients', async () => {
        const mail = makeMail({ payload: 'Åse "quoted" 😀\n> line' })
        await enqueueAll(mail)
        const claims = await Promise.all(
          Array.from({ length: 20 }, (_, n) => claimMail(start, {}, n % 2 ? store : otherClient)),
        )
        const granted = claims.filter((mailClaim) => mailClaim !== null)
        const { id, recipient, subject, payload, createdAt } = mail
        const entry = { id, recipient, subject, payload, createdAt, attempt: 1 }
        expect(granted).toEqual([{ lease: granted[0]!.lease, digest: false, entries: [entry] }])
        expect(await find(id)).toMatchObject({ status: 'sending', attempts: 1, finishedAt: null })
      })

      test('sets a mail to `unknown` after its lease expired, and does not return it again', async () => {
        const mail = makeMail()
        await enqueueAll(mail)
        await claimMail()
        expect(await claimMail(start + minute)).toBeNull()
        expect(await store.hasDue({ now: start + minute + 1 })).toBe(true)
        expect(await claimMail(start + minute + 1, {}, otherClient)).toBeNull()
        expect(await find(mail.id)).toMatchObject({ status: 'unknown', lastError: expect.any(String) })
        expect(await claimMail(start + 10 * hour)).toBeNull()
        expect(await store.hasDue({ now: start + 10 * hour })).toBe(false)
      })

      test('returns mails one by one within the hourly limit, and further due mails of one address as a digest', async () => {
        const [first, toOther] = [makeMail(), makeMail({ recipient: 'else@example.com', createdAt: start + 1 })]
        await enqueueAll(first, toOther)
        expect(listIds((await claimMail())!.entries)).toEqual([first.id])
        const mails = Array.from({ length: 6 }, (_, n) => makeMail({ createdAt: start + n }))
        await enqueueAll(...mails)
        const digest = await claimMail(start + 100)
        expect(digest).toMatchObject({ digest: true })
        expect(digest!.entries.map(({ id, payload }) => [id, payload])).toEqual(mails.map(({ id }) => [id, '']))
        expect(listIds((await claimMail(start + 100))!.entries)).toEqual([toOther.id])
        expect(await claimMail(start + 100)).toBeNull()
      })

      test('combines mails above the hourly limit into a digest, and returns single mails again after the hour', async () => {
        for (let n = 0; n < limits.perHour; n++) {
          await enqueueAll(makeMail())
          const { lease, entries } = (await claimMail())!
          await store.acknowledge({ lease, ids: listIds(entries), now: start })
        }
        const late = [makeMail({ createdAt: start + minute }), makeMail({ createdAt: start + 2 * minute })]
        await enqueueAll(...late)
        expect(await claimMail(start + 10 * minute)).toBeNull()
        expect(await claimMail(start + 11 * minute)).toMatchObject({
          digest: true,
          entries: late.map(({ id }) => ({ id })),
        })
        await enqueueAll(makeMail({ createdAt: start + hour }))
        expect(await claimMail(start + hour)).toMatchObject({ digest: false })
      })

      test('does not count the retries of a mail for the hourly limit', async () => {
        const mail = makeMail()
        await enqueueAll(mail)
        for (let n = 0; n < limits.perHour + 2; n++) {
          const mailClaim = await claimMail(start + n)
          expect(mailClaim).toMatchObject({ digest: false, entries: [{ attempt: n + 1 }] })
          await store.retry({ lease: mailClaim!.lease, ids: [mail.id], error: 'down', dueAt: start + n + 1 })
        }
      })
    })

    describe('claim of entries with an order key', () => {
      const makeOrderedEvent = (recipient: string, orderKey: string, createdAt = start): OutboxEntry =>
        makeMail({ channel: 'event', recipient, subject: 'job.completed', orderKey, createdAt })
      const claimEvents = (now = start, client = store) => claim(now, { channel: 'event' }, client)

      test('returns the first unfinished entry of each key and recipient', async () => {
        const [first, second] = [makeOrderedEvent('', 'ann'), makeOrderedEvent('', 'ann')]
        const [ofOther, elsewhere] = [makeOrderedEvent('', 'bob'), makeOrderedEvent('endpoint', 'ann')]
        await enqueueAll(first, second, ofOther, elsewhere)
        const claimed = await claimEvents()
        expect(listIds(claimed).toSorted()).toEqual(listIds([first, ofOther, elsewhere]).toSorted())
        expect(await claimEvents(start, otherClient)).toEqual([])
      })

      test('returns the next entry when the first is sent or dead, but not while the first waits for a retry', async () => {
        const [first, second, third] = [
          makeOrderedEvent('', 'ann', start),
          makeOrderedEvent('', 'ann', start),
          makeOrderedEvent('', 'ann', start),
        ]
        await enqueueAll(first, second, third)
        const lease = makeLease()
        await claim(start, { channel: 'event', lease })
        await store.retry({ lease, ids: [first.id], error: 'down', dueAt: start + minute })
        expect(await claimEvents(start + 1)).toEqual([])
        const again = makeLease()
        expect(listIds(await claim(start + minute, { channel: 'event', lease: again }))).toEqual([first.id])
        await store.fail({ lease: again, ids: [first.id], status: 'dead', error: 'refused', now: start + minute })
        const next = makeLease()
        expect(listIds(await claim(start + minute, { channel: 'event', lease: next }, otherClient))).toEqual([
          second.id,
        ])
        await store.acknowledge({ lease: next, ids: [second.id], now: start + minute })
        expect(listIds(await claimEvents(start + minute))).toEqual([third.id])
      })

      test('returns an entry to one of twenty concurrent claims by two clients', async () => {
        await enqueueAll(makeOrderedEvent('', 'ann'), makeOrderedEvent('', 'ann'))
        const claims = await Promise.all(
          Array.from({ length: 20 }, (_, n) => claimEvents(start, n % 2 ? store : otherClient)),
        )
        expect(claims.flat()).toHaveLength(1)
      })
    })

    describe('acknowledge', () => {
      test('sets a mail to `sent`', async () => {
        const mail = makeMail()
        await enqueueAll(mail)
        const { lease } = (await claimMail())!
        await store.acknowledge({ lease, ids: [mail.id], now: start + 5 })
        expect(await find(mail.id)).toMatchObject({ status: 'sent', lastError: null, finishedAt: start + 5 })
        expect(await claimMail(start + hour)).toBeNull()
        expect(await store.hasDue({ now: start + hour })).toBe(false)
      })

      test('sets a mail with the status `unknown` to `sent`', async () => {
        const mail = makeMail()
        await enqueueAll(mail)
        const { lease } = (await claimMail())!
        await claimMail(start + minute + 1)
        expect(await find(mail.id)).toMatchObject({ status: 'unknown' })
        await store.acknowledge({ lease, ids: [mail.id], now: start + 2 * minute })
        expect(await find(mail.id)).toMatchObject({ status: 'sent' })
      })

      test('changes nothing if the entry has a different lease', async () => {
        const mail = makeMail()
        await enqueueAll(mail)
        await claimMail()
        await otherClient.acknowledge({ lease: 'of nobody', ids: [mail.id], now: start })
        expect(await find(mail.id)).toMatchObject({ status: 'sending' })
      })
    })

    describe('retry', () => {
      test('makes an entry claimable with its payload from its due time on, and counts its attempts', async () => {
        const mail = makeMail()
        await enqueueAll(mail)
        const first = (await claimMail())!
        await store.retry({ lease: first.lease, ids: [mail.id], error: 'refused', dueAt: start + hour })
        expect(await find(mail.id)).toMatchObject({ status: 'waiting', lastError: 'refused', dueAt: start + hour })
        expect(await claimMail(start + hour - 1)).toBeNull()
        expect((await claimMail(start + hour))!.entries).toMatchObject([
          { id: mail.id, attempt: 2, payload: mail.payload },
        ])
      })

      test('changes nothing if the entry has a different lease', async () => {
        const mail = makeMail()
        await enqueueAll(mail)
        await claimMail()
        await otherClient.retry({ lease: 'of nobody', ids: [mail.id], error: 'refused', dueAt: start })
        expect(await find(mail.id)).toMatchObject({ status: 'sending' })
      })

      test('does not change an entry that already failed under the same lease', async () => {
        const mail = makeMail()
        await enqueueAll(mail)
        const { lease } = (await claimMail())!
        await store.fail({ lease, ids: [mail.id], status: 'unknown', error: 'timeout', now: start })
        await store.retry({ lease, ids: [mail.id], error: 'refused', dueAt: start })
        expect(await find(mail.id)).toMatchObject({ status: 'unknown', lastError: 'timeout' })
      })
    })

    describe('fail', () => {
      test.each(['dead', 'unknown'] as const)('ends an entry as `%s`', async (status) => {
        const mail = makeMail()
        await enqueueAll(mail)
        const { lease } = (await claimMail())!
        await store.fail({ lease, ids: [mail.id], status, error: 'no such mailbox', now: start + hour })
        const finished = { status, lastError: 'no such mailbox', finishedAt: start + hour }
        expect(await find(mail.id)).toMatchObject(finished)
        expect(await store.hasDue({ now: start + 10 * hour })).toBe(false)
      })

      test('changes nothing if the entry has a different lease', async () => {
        const mail = makeMail()
        await enqueueAll(mail)
        await claimMail()
        await otherClient.fail({ lease: 'of nobody', ids: [mail.id], status: 'dead', error: '', now: start })
        expect(await find(mail.id)).toMatchObject({ status: 'sending' })
      })
    })

    describe('release', () => {
      test('makes entries that are being sent with a lease claimable again, without counting the attempt or the mail', async () => {
        const [mail, report, acknowledged] = [
          makeMail(),
          makeMail({ channel: 'telemetry' }),
          makeMail({ channel: 'telemetry', createdAt: start + 1 }),
        ]
        await enqueueAll(mail, report, acknowledged)
        for (let n = 0; n <= limits.perHour; n++) {
          expect(await claimMail(start + n, { lease: 'lost' })).toMatchObject({
            entries: [{ id: mail.id, attempt: 1 }],
          })
          await otherClient.release({ lease: 'lost' })
        }
        await claim(start + 1, { lease: 'lost' })
        await store.acknowledge({ lease: 'lost', ids: [acknowledged.id], now: start + 1 })
        await store.release({ lease: 'of nobody' })
        expect(await claim(start + 2)).toEqual([])
        await store.release({ lease: 'lost' })
        expect(await claim(start + 2, {}, otherClient)).toMatchObject([{ id: report.id, attempt: 1 }])
        expect(await find(acknowledged.id)).toMatchObject({ status: 'sent' })
      })
    })

    describe('claim', () => {
      test('returns entries of one channel, the longest due first, and returns them again after their lease expired', async () => {
        const entries = Array.from({ length: 5 }, (_, n) =>
          makeMail({ channel: 'impression', recipient: '', subject: '', createdAt: start + n }),
        )
        await enqueueAll(...entries, makeMail({ channel: 'telemetry' }), makeMail())
        const channel = 'impression'
        const listAttempts = async (claimed: ReturnType<typeof claim>) =>
          (await claimed).map(({ id, attempt }) => [id, attempt])
        const oldest = entries.slice(0, 3).map(({ id }) => id)
        expect(await listAttempts(claim(start + 10, { channel, limit: 3 }))).toEqual(oldest.map((id) => [id, 1]))
        const second = await claim(start + 10, { channel, lease: 'second', until: start + 3 * minute, limit: 3 })
        expect(second.map(({ id, payload }) => [id, payload])).toEqual(
          entries.slice(3).map(({ id, payload }) => [id, payload]),
        )
        expect(await claim(start + 10 + minute, { channel })).toEqual([])
        expect(await listAttempts(claim(start + 11 + minute, { channel }, otherClient))).toEqual(
          oldest.map((id) => [id, 2]),
        )
        await store.acknowledge({ lease: 'second', ids: listIds(second), now: start + minute })
        expect(listIds((await store.list({ status: 'sent', cursor: null, limit: 10 })).items)).toEqual(
          listIds(second).toReversed(),
        )
      })

      test('returns each of forty entries to one of twenty concurrent claims', async () => {
        const entries = Array.from({ length: 40 }, () => makeMail({ channel: 'telemetry' }))
        await enqueueAll(...entries)
        const claims = await Promise.all(
          Array.from({ length: 20 }, (_, n) => claim(start, { limit: 3 }, n % 2 ? store : otherClient)),
        )
        expect(listIds(claims.flat()).toSorted()).toEqual(listIds(entries).toSorted())
      })
    })

    describe('after the clock was set back by an hour', () => {
      const later = start + hour

      test('claim and claimMail return entries created before that', async () => {
        const mail = makeMail({ createdAt: later })
        const report = makeMail({ channel: 'telemetry', createdAt: later })
        await enqueueAll(mail, report)
        expect(await store.hasDue({ now: start })).toBe(true)
        expect(await claimMail()).toMatchObject({ entries: [{ id: mail.id }] })
        expect(await claim()).toMatchObject([{ id: report.id }])
        expect(await store.hasDue({ now: start })).toBe(false)
      })

      test('claim returns entries claimed before that, and claimMail sets such mails to `unknown`', async () => {
        const mail = makeMail({ createdAt: start })
        const report = makeMail({ channel: 'telemetry', createdAt: start })
        await enqueueAll(mail, report)
        await claimMail(later)
        await claim(later)
        expect(await store.hasDue({ now: start })).toBe(true)
        expect(await claimMail()).toBeNull()
        expect(await find(mail.id)).toMatchObject({ status: 'unknown' })
        expect(await claim()).toMatchObject([{ id: report.id, attempt: 2 }])
      })

      test("claim leaves an entry to a host if that host's clock is ahead by at most the length of two leases", async () => {
        const report = makeMail({ channel: 'telemetry', createdAt: start })
        await enqueueAll(report)
        await claim(start, { until: start + 10 * minute })
        expect([await claim(start), await store.hasDue({ now: start })]).toEqual([[], false])
        expect(await claim(start - 1)).toMatchObject([{ id: report.id, attempt: 2 }])
      })

      test('advanceRetries makes a retry due only if it is further ahead than its delay allows', async () => {
        const [early, late] = [makeMail({ channel: 'telemetry' }), makeMail({ channel: 'telemetry' })]
        await enqueueAll(early, late)
        await claim(start, { lease: 'first' })
        const retryAt = (id: string, dueAt: number) =>
          store.retry({ lease: 'first', ids: [id], error: 'refused', dueAt })
        // The first entry is exactly as far ahead as the first delay and the clock difference allow. The second entry
        // is 1 ms further ahead.
        await retryAt(early.id, start + minute)
        await retryAt(late.id, start + minute + 1)
        await otherClient.advanceRetries({ now: start })
        expect(await claim()).toMatchObject([{ id: late.id, attempt: 2 }])
        expect(await claim(start + minute)).toMatchObject([{ id: early.id }])
      })

      test('claim returns an entry that was created up to half a minute in the future only when the entry is due', async () => {
        const [near, far] = [minute / 2, minute / 2 + 1].map((ahead) =>
          makeMail({ channel: 'telemetry', createdAt: start + ahead }),
        )
        await enqueueAll(near!)
        expect([await store.hasDue({ now: start }), await claim()]).toEqual([false, []])
        await enqueueAll(far!)
        expect(await store.hasDue({ now: start })).toBe(true)
        expect(listIds(await claim())).toEqual([far!.id])
      })

      test.each([
        [minute / 2, null],
        [minute / 2 + 1, { digest: false }],
      ])(
        'claimMail at the hourly limit, with mails that were claimed %i ms ahead, returns %j',
        async (ahead, expected) => {
          for (let n = 0; n < limits.perHour; n++) {
            await enqueueAll(makeMail())
            const { lease, entries } = (await claimMail(start + ahead))!
            await store.acknowledge({ lease, ids: listIds(entries), now: start })
          }
          await enqueueAll(makeMail())
          const found = await claimMail()
          expect(found && { digest: found.digest }).toEqual(expected)
        },
      )

      test('claimMail does not count mails that it returned before the clock was set back', async () => {
        for (let n = 0; n < limits.perHour; n++) {
          await enqueueAll(makeMail({ createdAt: later }))
          const { lease } = (await claimMail(later))!
          await store.acknowledge({ lease, ids: [], now: later })
        }
        await enqueueAll(makeMail(), makeMail())
        expect(await claimMail()).toMatchObject({ digest: false })
      })
    })

    describe('list', () => {
      test('returns entries of all statuses or of one status, newest first, page by page', async () => {
        const mails = Array.from({ length: 5 }, () => makeMail())
        await enqueueAll(...mails)
        const newestFirst = listIds(mails).toReversed()
        const page = await store.list({ cursor: null, limit: 3 })
        expect(listIds(page.items)).toEqual(newestFirst.slice(0, 3))
        const rest = await otherClient.list({ cursor: page.next, limit: 3 })
        expect(listIds(rest.items)).toEqual(newestFirst.slice(3))
        const { next } = await store.list({ cursor: null, limit: 2 })
        const waiting = await store.list({ status: 'waiting', cursor: next, limit: 10 })
        expect(listIds(waiting.items)).toEqual(newestFirst.slice(2))
        await claimMail(start, { limits: { ...limits, perHour: 5 } })
        const sending = await store.list({ status: 'sending', cursor: null, limit: 10 })
        expect(listIds(sending.items)).toEqual([mails[0]!.id])
      })

      test('searches, sorts and filters an entry among 300 newer ones', async () => {
        const first = makeMail({ recipient: 'Ada@example.com', subject: 'Your code (1)' })
        const newer = Array.from({ length: newerRows }, (_, n) => makeMail({ recipient: `p${n % 7}@example.com` }))
        await enqueueAll(first, ...newer)
        await expectExactList({
          list: (params) => otherClient.list(params),
          idOf: ({ id }) => id,
          ids: listIds([first, ...newer]),
          sorts: { createdAt: null, recipient: ({ recipient }) => recipient },
          found: [
            [first.id, [first.id]],
            ['Ada@example.com', [first.id]],
            ['ada@example.org', []],
            ['CODE (1)', [first.id]],
            ['code elsewhere', []],
          ],
        })
        expect((await otherClient.list({ channel: 'event', cursor: null, limit: 9 })).items).toEqual([])
      })
    })

    describe('countUnsent', () => {
      test('counts the entries of each status, except sent entries', async () => {
        expect(await otherClient.countUnsent()).toEqual({ waiting: 0, sending: 0, dead: 0, unknown: 0 })
        await failMails(2, 'dead')
        await failMails(1, 'unknown')
        await enqueueAll(
          makeMail(),
          makeMail({ recipient: 'other@example.com' }),
          makeMail({ recipient: 'third@example.com' }),
        )
        const { lease, entries } = (await claimMail())!
        await store.acknowledge({ lease, ids: listIds(entries), now: start })
        await claimMail()
        expect(await otherClient.countUnsent()).toEqual({ waiting: 1, sending: 1, dead: 2, unknown: 1 })
      })
    })

    describe('deleteFinished', () => {
      test('deletes entries that finished before a time', async () => {
        const [finished, waiting] = [makeMail(), makeMail({ createdAt: start + 1 })]
        await enqueueAll(finished, waiting)
        const { lease, entries } = (await claimMail())!
        await store.acknowledge({ lease, ids: listIds(entries), now: start })
        await store.deleteFinished({ before: start })
        expect(await list()).toHaveLength(2)
        await store.deleteFinished({ before: start + 1 })
        expect(listIds(await list())).toEqual([waiting.id])
      })
    })

    runOutboxChangeContract(() => place)
  })
}

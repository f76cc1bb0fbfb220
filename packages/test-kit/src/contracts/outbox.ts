import type { OutboxEntry, OutboxStore } from '@tributary/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { madeId } from '../fixtures/seed.ts'

/** Two hosts on one fresh place. */
export interface OutboxPlace {
  readonly stores: readonly [OutboxStore, OutboxStore]
  close?(): Promise<void>
}

const minute = 60_000
const hour = 60 * minute
const start = Date.UTC(2026, 10, 20, 12)
const pace = { hourly: 3, gatherMs: 10 * minute, most: 50 }
let made = 0

/** A mail of which no two are the same. */
export function madeMail(changes: Partial<OutboxEntry> = {}): OutboxEntry {
  const id = madeId('b', ++made)
  return {
    id,
    channel: 'mail',
    recipient: 'desk@example.com',
    subject: `Mail ${made}`,
    payload: `text ${made}`,
    createdAt: start,
    ...changes,
  }
}

/** The laws of the outbox store: call it in a test file with what opens a fresh place. */
export function runOutboxStoreContract(name: string, open: () => Promise<OutboxPlace>): void {
  describe(`the outbox in ${name}`, () => {
    let place: OutboxPlace
    let store: OutboxStore
    let other: OutboxStore
    let leases = 0
    const lease = (): string => `lease-${++leases}`
    beforeEach(async () => {
      place = await open()
      ;[store, other] = place.stores
    })
    afterEach(async () => place.close?.())

    const add = async (...entries: OutboxEntry[]): Promise<void> => {
      for (const entry of entries) await store.add(entry)
    }
    const takeMail = (now = start, host = store, own = lease()) => host.takeMail(own, now, now + minute, pace)
    const status = async (id: string) => (await other.list(null, null, 200)).find((one) => one.id === id)

    test('an empty one has nothing due, and an entry is due from its time on', async () => {
      expect(await store.due(start + hour)).toBe(false)
      await add(madeMail())
      expect(await other.due(start - 1)).toBe(false)
      expect(await other.due(start)).toBe(true)
    })

    test('an id is kept once', async () => {
      const mail = madeMail()
      await add(mail, { ...mail, subject: 'again' })
      expect(await store.list(null, null, 10)).toMatchObject([
        { id: mail.id, subject: mail.subject, status: 'waiting', attempts: 0 },
      ])
    })

    test('of twenty takers at once, on two hosts, one gets a mail, as it was written', async () => {
      const mail = madeMail({ payload: 'Åse "quoted" 😀\n> line' })
      await add(mail)
      const claims = (
        await Promise.all(Array.from({ length: 20 }, (_, i) => takeMail(start, i % 2 ? store : other)))
      ).filter((claim) => claim !== null)
      const { id, recipient, subject, payload, createdAt } = mail
      expect(claims).toEqual([
        {
          lease: claims[0]!.lease,
          digest: false,
          entries: [{ id, recipient, subject, payload, createdAt, attempt: 1 }],
        },
      ])
      expect(await status(id)).toMatchObject({ status: 'sending', attempts: 1, finishedAt: null })
    })

    test('a mail that was sent is sent, and its text is gone', async () => {
      const mail = madeMail()
      await add(mail)
      const claim = await takeMail()
      await store.settle(claim!.lease, [mail.id], { status: 'sent' }, start + 5)
      expect(await status(mail.id)).toMatchObject({ status: 'sent', lastError: null, finishedAt: start + 5 })
      expect(await takeMail(start + hour)).toBeNull()
      expect(await store.due(start + hour)).toBe(false)
    })

    test('a mail whose worker ended before it told is unknown, and never sent again, unless the news still comes', async () => {
      const mail = madeMail()
      await add(mail)
      const claim = await takeMail()
      expect(await takeMail(start + minute)).toBeNull()
      expect(await store.due(start + minute + 1)).toBe(true)
      expect(await takeMail(start + minute + 1, other)).toBeNull()
      expect(await status(mail.id)).toMatchObject({ status: 'unknown', lastError: expect.any(String) })
      expect(await takeMail(start + 10 * hour)).toBeNull()
      expect(await store.due(start + 10 * hour)).toBe(false)
      await store.settle(claim!.lease, [mail.id], { status: 'sent' }, start + 2 * minute)
      expect(await status(mail.id)).toMatchObject({ status: 'sent' })
    })

    test('a mail that was refused waits until it is due again, counts its attempts, and ends', async () => {
      const mail = madeMail()
      await add(mail)
      const first = await takeMail()
      await store.settle(first!.lease, [mail.id], { status: 'waiting', error: 'refused', dueAt: start + hour }, start)
      expect(await status(mail.id)).toMatchObject({ status: 'waiting', lastError: 'refused', dueAt: start + hour })
      expect(await takeMail(start + hour - 1)).toBeNull()
      const again = await takeMail(start + hour)
      expect(again!.entries).toMatchObject([{ id: mail.id, attempt: 2, payload: mail.payload }])
      await store.settle(again!.lease, [mail.id], { status: 'dead', error: 'no such box' }, start + hour)
      expect(await status(mail.id)).toMatchObject({
        status: 'dead',
        lastError: 'no such box',
        finishedAt: start + hour,
      })
      expect(await store.due(start + 10 * hour)).toBe(false)
    })

    test('the lease of another settles nothing', async () => {
      const mail = madeMail()
      await add(mail)
      await takeMail()
      await other.settle('somebody', [mail.id], { status: 'sent' }, start)
      expect(await status(mail.id)).toMatchObject({ status: 'sending' })
    })

    test('release returns what was taken under a lease, and its attempt and its place in the hour are not counted', async () => {
      const [mail, report, settled] = [
        madeMail(),
        madeMail({ channel: 'telemetry' }),
        madeMail({ channel: 'telemetry', createdAt: start + 1 }),
      ]
      await add(mail, report, settled)
      for (let i = 0; i <= pace.hourly; i++) {
        expect(await takeMail(start + i, store, 'lost')).toMatchObject({ entries: [{ id: mail.id, attempt: 1 }] })
        await other.release('lost')
      }
      await store.take('telemetry', 'lost', start + 1, start + minute, 9)
      await store.settle('lost', [settled.id], { status: 'sent' }, start + 1)
      await store.release('somebody')
      expect(await store.take('telemetry', lease(), start + 2, start + minute, 9)).toEqual([])
      await store.release('lost')
      expect(await other.take('telemetry', lease(), start + 2, start + minute, 9)).toMatchObject([
        { id: report.id, attempt: 1 },
      ])
      expect(await status(settled.id)).toMatchObject({ status: 'sent' })
    })

    test('what the hour has room for goes one by one; when more is due to an address it goes as one, without its texts', async () => {
      const [one, stranger] = [madeMail(), madeMail({ recipient: 'else@example.com', createdAt: start + 1 })]
      await add(one, stranger)
      expect((await takeMail())!.entries.map(({ id }) => id)).toEqual([one.id])
      const many = Array.from({ length: 6 }, (_, i) => madeMail({ createdAt: start + i }))
      await add(...many)
      const gathered = await takeMail(start + 100)
      expect(gathered).toMatchObject({ digest: true })
      expect(gathered!.entries.map(({ id, payload }) => [id, payload])).toEqual(many.map(({ id }) => [id, '']))
      expect((await takeMail(start + 100))!.entries.map(({ id }) => id)).toEqual([stranger.id])
      expect(await takeMail(start + 100)).toBeNull()
    })

    test('once the hour is full mails gather, and room comes back after it', async () => {
      for (let i = 0; i < pace.hourly; i++) {
        await add(madeMail())
        const claim = await takeMail()
        await store.settle(
          claim!.lease,
          claim!.entries.map(({ id }) => id),
          { status: 'sent' },
          start,
        )
      }
      const late = [madeMail({ createdAt: start + minute }), madeMail({ createdAt: start + 2 * minute })]
      await add(...late)
      expect(await takeMail(start + 10 * minute)).toBeNull()
      expect(await takeMail(start + 11 * minute)).toMatchObject({
        digest: true,
        entries: late.map(({ id }) => ({ id })),
      })
      await add(madeMail({ createdAt: start + hour }))
      expect(await takeMail(start + hour + 1)).toMatchObject({ digest: false })
    })

    test('a mail that was given back does not count against the hour', async () => {
      const mail = madeMail()
      await add(mail)
      for (let i = 0; i < pace.hourly + 2; i++) {
        const claim = await takeMail(start + i)
        expect(claim).toMatchObject({ digest: false, entries: [{ attempt: i + 1 }] })
        await store.settle(
          claim!.lease,
          [mail.id],
          { status: 'waiting', error: 'down', dueAt: start + i + 1 },
          start + i,
        )
      }
    })

    test('what is no mail goes by channel, longest due first, and is taken again when its worker is lost', async () => {
      const entries = Array.from({ length: 5 }, (_, i) =>
        madeMail({ channel: 'impression', recipient: '', subject: '', createdAt: start + i }),
      )
      await add(...entries, madeMail({ channel: 'telemetry' }), madeMail())
      const take = (now: number, host = store, limit = 3) => host.take('impression', lease(), now, now + minute, limit)
      expect((await take(start + 10)).map(({ id, attempt }) => [id, attempt])).toEqual(
        entries.slice(0, 3).map(({ id }) => [id, 1]),
      )
      const second = await store.take('impression', 'second', start + 10, start + 3 * minute, 3)
      expect(second.map(({ id, payload }) => [id, payload])).toEqual(
        entries.slice(3).map(({ id, payload }) => [id, payload]),
      )
      expect(await take(start + 10 + minute)).toEqual([])
      expect((await take(start + 11 + minute, other, 10)).map(({ id, attempt }) => [id, attempt])).toEqual(
        entries.slice(0, 3).map(({ id }) => [id, 2]),
      )
      await store.settle(
        'second',
        second.map(({ id }) => id),
        { status: 'sent' },
        start + minute,
      )
      expect((await store.list('sent', null, 10)).map(({ id }) => id)).toEqual(second.map(({ id }) => id).toReversed())
    })

    describe('after the clock was set back by an hour', () => {
      const later = start + hour

      test('take and takeMail hand out what was added before', async () => {
        const one = madeMail({ createdAt: later })
        const other = madeMail({ channel: 'telemetry', createdAt: later })
        await add(one, other)
        expect(await store.due(start)).toBe(true)
        expect(await takeMail()).toMatchObject({ entries: [{ id: one.id }] })
        expect(await store.take('telemetry', lease(), start, start + minute, 9)).toMatchObject([{ id: other.id }])
        expect(await store.due(start)).toBe(false)
      })

      test('take hands out what a lost worker had taken before, and takeMail makes it unknown', async () => {
        const one = madeMail({ createdAt: start })
        const other = madeMail({ channel: 'telemetry', createdAt: start })
        await add(one, other)
        await takeMail(later)
        await store.take('telemetry', lease(), later, later + minute, 9)
        expect(await store.due(start)).toBe(true)
        expect(await takeMail()).toBeNull()
        expect(await status(one.id)).toMatchObject({ status: 'unknown' })
        expect(await store.take('telemetry', lease(), start, start + minute, 9)).toMatchObject([
          { id: other.id, attempt: 2 },
        ])
      })

      test('advanceRetries makes a retry due that its wait does not explain, and no other', async () => {
        const [early, late] = [madeMail({ channel: 'telemetry' }), madeMail({ channel: 'telemetry' })]
        await add(early, late)
        const taken = lease()
        await store.take('telemetry', taken, start, start + minute, 9)
        const retryAt = (id: string, dueAt: number) =>
          store.settle(taken, [id], { status: 'waiting', error: 'refused', dueAt }, start)
        await retryAt(early.id, start + minute / 2)
        await retryAt(late.id, later + minute / 2)
        await other.advanceRetries(start)
        expect(await store.take('telemetry', lease(), start, start + minute, 9)).toMatchObject([
          { id: late.id, attempt: 2 },
        ])
        expect(await store.take('telemetry', lease(), start + minute / 2, start + minute, 9)).toMatchObject([
          { id: early.id },
        ])
      })

      test('takeMail does not count the mails of the hour to come', async () => {
        for (let n = 0; n < pace.hourly; n++) {
          await add(madeMail({ createdAt: later }))
          await store.settle((await takeMail(later, store, `lease ${n}`))!.lease, [], { status: 'sent' }, later)
        }
        await add(madeMail(), madeMail())
        expect(await takeMail()).toMatchObject({ digest: false })
      })
    })

    test('twenty takers at once share a channel without an entry twice', async () => {
      const entries = Array.from({ length: 40 }, () => madeMail({ channel: 'telemetry' }))
      await add(...entries)
      const taken = (
        await Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            (i % 2 ? store : other).take('telemetry', lease(), start, start + minute, 3),
          ),
        )
      ).flat()
      expect(taken.map(({ id }) => id).toSorted()).toEqual(entries.map(({ id }) => id).toSorted())
    })

    test('the list is newest first, by status or all, page by page; what was finished long ago is forgotten', async () => {
      const mails = Array.from({ length: 5 }, () => madeMail())
      await add(...mails)
      const newest = mails.map(({ id }) => id).toReversed()
      const page = await store.list(null, null, 3)
      expect(page.map(({ id }) => id)).toEqual(newest.slice(0, 3))
      expect((await other.list(null, page.at(-1)!.id, 3)).map(({ id }) => id)).toEqual(newest.slice(3))
      const claim = await store.takeMail('l', start, start + minute, { ...pace, hourly: 5 })
      await store.settle(
        'l',
        claim!.entries.map(({ id }) => id),
        { status: 'sent' },
        start,
      )
      expect((await store.list('sent', null, 10)).map(({ id }) => id)).toEqual([mails[0]!.id])
      await store.forget(start)
      expect(await store.list('sent', null, 10)).toHaveLength(1)
      await store.forget(start + 1)
      expect((await store.list(null, null, 10)).map(({ id }) => id)).toEqual(newest.slice(0, 4))
    })
  })
}

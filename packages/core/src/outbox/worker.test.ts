import { createTestStores, fixedClock, makeMail, seededRandom } from '@tributary/test-kit'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { Mail } from '../ports.ts'
import { silentLogger } from '../system.ts'
import { Unavailable } from '../unavailable.ts'
import { queueTimes, retryDelay } from '../queue/times.ts'
import { deliveryTimeoutMs, maxConcurrentMails, stopGraceMs } from './rules.ts'
import type { OutboxStore } from './store.ts'
import { createOutboxWorker, type OutboxWorkerDeps } from './worker.ts'

const hour = 60 * 60 * 1000
const times = queueTimes.outbox
const attempts = times.retryMs.length + 1
let outbox: OutboxStore
let clock: ReturnType<typeof fixedClock>
let mails: Mail[]
beforeEach(() => {
  outbox = createTestStores().outbox
  clock = fixedClock()
  mails = []
})

const createWorker = (changes: Partial<OutboxWorkerDeps> = {}) =>
  createOutboxWorker({
    outbox,
    mailer: { send: async (mail) => void mails.push(mail) },
    deliveries: {},
    brand: { name: 'Tributary' },
    sweeps: [],
    link: (path) => `https://x.example${path}`,
    clock,
    random: seededRandom(),
    logger: silentLogger,
    measurements: { count: () => undefined },
    ...changes,
  })
const addMail = async (changes: Parameters<typeof makeMail>[0] = {}) => {
  const entry = makeMail({ createdAt: clock(), ...changes })
  await outbox.enqueue(entry)
  return entry
}
const find = async (id: string) =>
  (await outbox.list({ cursor: null, limit: 200 })).items.find((entry) => entry.id === id)!

const waitForever = (): Promise<never> => new Promise(() => undefined)

describe('createOutboxWorker', () => {
  test('sends a mail once, unchanged', async () => {
    const { recipient, subject, payload, id } = await addMail()
    await createWorker()()
    await createWorker()()
    expect(mails).toEqual([{ to: recipient, subject, text: payload }])
    expect(await find(id)).toMatchObject({ status: 'sent', attempts: 1 })
  })

  test('retries a refused mail with growing delays and sets it to dead after the last attempt', async () => {
    const { id } = await addMail()
    let sends = 0
    const work = createWorker({
      mailer: {
        async send() {
          sends++
          throw new Error('refused')
        },
      },
    })
    for (let attempt = 1; attempt <= attempts; attempt++) {
      await work()
      expect(sends).toBe(attempt)
      const wait = retryDelay(times, attempt)
      if (wait === null) break
      clock.advance(wait - 1)
      await work()
      expect(sends).toBe(attempt)
      clock.advance(1)
    }
    expect(await find(id)).toMatchObject({ status: 'dead', attempts, lastError: 'refused' })
    clock.advance(100 * hour)
    await work()
    expect(sends).toBe(attempts)
  })

  test('sends no more mails in a round after a mail failed', async () => {
    for (let i = 0; i < 10; i++) await addMail({ recipient: `desk-${i}@example.com` })
    let sends = 0
    await createWorker({
      mailer: {
        async send() {
          sends++
          throw new Error('down')
        },
      },
    })()
    expect(sends).toBeGreaterThan(0)
    expect(sends).toBeLessThanOrEqual(maxConcurrentMails)
  })

  test('does not send a mail again when its acknowledgement failed', async () => {
    const { id } = await addMail()
    const broken = { ...outbox, acknowledge: async () => Promise.reject(new Unavailable(new Error('gone'))) }
    await expect(createWorker({ outbox: broken })()).rejects.toThrow('gone')
    expect(mails).toHaveLength(1)
    clock.advance(times.leaseMs + 1)
    await createWorker()()
    expect(mails).toHaveLength(1)
    expect(await find(id)).toMatchObject({ status: 'unknown' })
  })

  /** Returns a store whose connection breaks once in one method, before or after the method took effect. */
  function breakOnce(
    method: 'claim' | 'claimMail' | 'acknowledge',
    moment: 'before' | 'after',
  ): OutboxWorkerDeps['outbox'] {
    let isBroken = false
    const call = (args: unknown[]): Promise<unknown> =>
      (outbox[method] as (...values: unknown[]) => Promise<unknown>)(...args)
    return {
      ...outbox,
      [method]: async (...args: unknown[]) => {
        if (isBroken) return call(args)
        isBroken = true
        if (moment === 'after') await call(args)
        throw new Unavailable(new Error('connection reset'))
      },
    }
  }

  test.each([
    ['before', 'claim'],
    ['after', 'claim'],
    ['before', 'claimMail'],
    ['after', 'claimMail'],
    ['before', 'acknowledge'],
    ['after', 'acknowledge'],
  ] as const)(
    'sends and records everything once when the connection broke %s %s took effect',
    async (moment, method) => {
      const [mail, report] = [await addMail(), await addMail({ channel: 'telemetry' })]
      const received: string[] = []
      const receiveTelemetry = async (entries: readonly { id: string }[]): Promise<void> =>
        void received.push(...entries.map(({ id }) => id))
      const work = createWorker({ outbox: breakOnce(method, moment), deliveries: { telemetry: receiveTelemetry } })
      await expect(work()).rejects.toThrow('connection reset')
      await work()
      expect(mails).toHaveLength(1)
      expect(received).toEqual([report.id])
      expect(await find(mail.id)).toMatchObject({ status: 'sent', attempts: 1 })
      expect(await find(report.id)).toMatchObject({ status: 'sent', attempts: 1 })
    },
  )

  test('keeps mails waiting if there is no mailer, and delivers the other channels', async () => {
    const mail = await addMail()
    const sent: string[] = []
    const impression = await addMail({ channel: 'impression' })
    const deliveries = {
      impression: async (entries: readonly { id: string }[]) => void sent.push(...entries.map(({ id }) => id)),
    }
    await createWorker({ mailer: null, deliveries })()
    expect(sent).toEqual([impression.id])
    expect(await find(mail.id)).toMatchObject({ status: 'waiting', attempts: 0 })
  })

  test('retries the failed entries of a batch and sets entries with a permanent error to dead', async () => {
    const [good, later, never] = [
      await addMail({ channel: 'impression' }),
      await addMail({ channel: 'impression' }),
      await addMail({ channel: 'impression' }),
    ]
    const batches: string[][] = []
    const work = createWorker({
      deliveries: {
        async impression(entries) {
          batches.push(entries.map(({ id }) => id))
          if (batches.length > 1) return
          return new Map<string, unknown>([
            [later.id, new Error('503')],
            [never.id, Object.assign(new Error('400'), { permanent: true })],
          ])
        },
      },
    })
    await work()
    expect(
      (await Promise.all([good, later, never].map(({ id }) => find(id)))).map(({ status, lastError }) => [
        status,
        lastError,
      ]),
    ).toEqual([
      ['sent', null],
      ['waiting', '503'],
      ['dead', '400'],
    ])
    clock.advance(times.retryMs[0])
    await work()
    expect(batches).toEqual([[good.id, later.id, never.id], [later.id]])
    expect(await find(later.id)).toMatchObject({ status: 'sent', attempts: 2 })
  })

  test('delivers an entry again when its acknowledgement failed', async () => {
    const { id } = await addMail({ channel: 'telemetry' })
    const received: string[] = []
    const receiveTelemetry = async (entries: readonly { id: string }[]): Promise<void> =>
      void received.push(...entries.map((entry) => entry.id))
    const broken = { ...outbox, acknowledge: async () => Promise.reject(new Unavailable(new Error('gone'))) }
    await expect(createWorker({ outbox: broken, deliveries: { telemetry: receiveTelemetry } })()).rejects.toThrow(
      'gone',
    )
    clock.advance(times.leaseMs + 1)
    await createWorker({ deliveries: { telemetry: receiveTelemetry } })()
    expect(received).toEqual([id, id])
  })

  test('delivers other channels while a mail is being sent', async () => {
    await addMail()
    const impression = await addMail({ channel: 'impression' })
    let deliver = (): void => undefined
    const delivered = new Promise<void>((resolve) => (deliver = resolve))
    // The mail is accepted only after the impression was delivered, so a worker that delivers one channel after the
    // other would never end.
    await createWorker({ mailer: { send: () => delivered }, deliveries: { impression: async () => deliver() } })()
    expect(await find(impression.id)).toMatchObject({ status: 'sent' })
  })

  test('sets a mail to unknown and retries other entries after the delivery timeout', async () => {
    const [mail, report] = [await addMail(), await addMail({ channel: 'telemetry' })]
    vi.useFakeTimers()
    try {
      const working = createWorker({ mailer: { send: waitForever }, deliveries: { telemetry: waitForever } })()
      await vi.advanceTimersByTimeAsync(deliveryTimeoutMs)
      await working
    } finally {
      vi.useRealTimers()
    }
    expect(await find(mail.id)).toMatchObject({ status: 'unknown' })
    expect(await find(report.id)).toMatchObject({ status: 'waiting', attempts: 1 })
  })

  test('sends mails and reports that were added while another mail hangs', async () => {
    const hanging = await addMail({ recipient: 'hanging@example.com' })
    const stop = new AbortController()
    const received: string[] = []
    const added: string[] = []
    const work = createWorker({
      mailer: {
        async send(mail) {
          if (mail.to === 'hanging@example.com') return waitForever()
          mails.push(mail)
        },
      },
      deliveries: { telemetry: async (entries) => void received.push(...entries.map(({ id }) => id)) },
    })
    vi.useFakeTimers()
    try {
      const working = work({
        signal: stop.signal,
        // A round begins each second. The first rounds add the entries that the next rounds are expected to send.
        async wait() {
          if (added.length < 6) {
            added.push((await addMail({ recipient: `desk-${added.length}@example.com` })).id)
            added.push((await addMail({ channel: 'telemetry' })).id)
          }
          await new Promise((resolve) => setTimeout(resolve, 1000))
        },
      })
      await vi.advanceTimersByTimeAsync(5000)
      expect(mails.map(({ to }) => to)).toEqual(['desk-0@example.com', 'desk-2@example.com', 'desk-4@example.com'])
      expect(received).toEqual([added[1], added[3], added[5]])
      expect(await find(hanging.id)).toMatchObject({ status: 'sending', attempts: 1 })
      stop.abort()
      await vi.advanceTimersByTimeAsync(stopGraceMs)
      await working
    } finally {
      vi.useRealTimers()
    }
    for (const id of added) expect(await find(id)).toMatchObject({ status: 'sent', attempts: 1, lastError: null })
    expect(await find(hanging.id)).toMatchObject({ status: 'unknown' })
  })

  test.each(['with', 'without'] as const)(
    'ends soon after an abort, %s `wait`, although mails and a report hang, and does not send a mail again',
    async (name) => {
      const hanging = await Promise.all(
        Array.from({ length: 6 }, (_, n) => addMail({ recipient: `desk-${n}@example.com` })),
      )
      const report = await addMail({ channel: 'telemetry' })
      const stop = new AbortController()
      vi.useFakeTimers()
      let hasEnded = false
      try {
        const wait = () => new Promise<void>((resolve) => stop.signal.addEventListener('abort', () => resolve()))
        const working = createWorker({ mailer: { send: waitForever }, deliveries: { telemetry: waitForever } })({
          signal: stop.signal,
          ...(name === 'with' ? { wait } : {}),
        }).then(() => (hasEnded = true))
        await vi.advanceTimersByTimeAsync(1000)
        stop.abort()
        await vi.advanceTimersByTimeAsync(stopGraceMs - 1)
        expect(hasEnded).toBe(false)
        await vi.advanceTimersByTimeAsync(1)
        await working
      } finally {
        vi.useRealTimers()
      }
      const lastError = 'the worker stopped while this was being sent'
      const begun = hanging.slice(0, maxConcurrentMails)
      for (const { id } of begun) expect(await find(id)).toMatchObject({ status: 'unknown', attempts: 1, lastError })
      for (const { id } of hanging.slice(maxConcurrentMails))
        expect(await find(id)).toMatchObject({ status: 'waiting', attempts: 0, lastError: null })
      expect(await find(report.id)).toMatchObject({ status: 'waiting', attempts: 1, lastError })
      clock.advance(hour)
      await createWorker()()
      expect(mails.map(({ to }) => to)).toEqual(['desk-4@example.com', 'desk-5@example.com'])
    },
  )

  test('retries a refused mail even if the clock was set back by an hour', async () => {
    const { id } = await addMail()
    let isDown = true
    const work = createWorker({
      mailer: {
        async send(mail) {
          if (isDown) throw new Error('refused')
          mails.push(mail)
        },
      },
    })
    await work()
    isDown = false
    clock.advance(-hour)
    await work()
    await work()
    expect(await find(id)).toMatchObject({ status: 'sent', attempts: 2 })
  })

  test('stops after the mail in progress when aborted', async () => {
    for (let i = 0; i < 5; i++) await addMail({ recipient: `desk-${i}@example.com` })
    const stop = new AbortController()
    await createWorker({
      mailer: {
        async send(mail) {
          mails.push(mail)
          stop.abort()
        },
      },
    })({ signal: stop.signal, wait: async () => undefined })
    expect(mails).toHaveLength(1)
  })

  test('deletes finished entries after 30 days and runs the sweeps', async () => {
    const old = await addMail()
    await createWorker()()
    clock.advance(31 * 24 * hour)
    const sweptAt: number[] = []
    await createWorker({ sweeps: [{ name: 'record', run: async (now) => void sweptAt.push(now) }] })()
    expect(await find(old.id)).toBeUndefined()
    expect(sweptAt).toEqual([clock()])
  })

  describe('a sweep that fails', () => {
    const bug = new Error('this statement is wrong')
    let events: object[]
    let ran: string[]
    beforeEach(() => void ([events, ran] = [[], []]))
    const record = (level: string) => (fields: object, event: string) => void events.push({ level, event, ...fields })
    const createFailing = (error: Error) =>
      createWorker({
        logger: { ...silentLogger, warn: record('warn'), error: record('error') },
        sweeps: [
          { name: 'failing', run: () => Promise.reject(error) },
          { name: 'other', run: async () => void ran.push('other') },
        ],
      })
    /** Ends the worker after its first round. */
    function stopAfterRound() {
      const stop = new AbortController()
      return { signal: stop.signal, wait: async () => stop.abort() }
    }

    test('is logged with its name, and the other sweeps run', async () => {
      await createFailing(bug)(stopAfterRound())
      expect(events).toEqual([{ level: 'error', event: 'worker.sweep.failed', sweep: 'failing', err: bug }])
      expect(ran).toEqual(['other'])
    })

    test('makes a call without wait reject, after the other sweeps', async () => {
      await expect(createFailing(bug)()).rejects.toBe(bug)
      expect(ran).toEqual(['other'])
      expect(events).toHaveLength(1)
    })

    test('is logged as an outage when the store does not answer, and the other sweeps wait', async () => {
      const outage = new Unavailable(new Error('gone'))
      await createFailing(outage)(stopAfterRound())
      expect(events).toEqual([{ level: 'warn', event: 'outbox.store.unavailable', err: outage }])
      expect(ran).toEqual([])
    })
  })

  test('logs a bug in the store as a bug, not as an outage', async () => {
    const bug = new Error('this statement is wrong')
    const logged: unknown[] = []
    const logger = { ...silentLogger, error: (fields: object, event: string) => void logged.push([event, fields]) }
    const broken = { ...outbox, hasDue: () => Promise.reject(bug) }
    await expect(createWorker({ outbox: broken, logger })()).rejects.toBe(bug)
    expect(logged).toEqual([['worker.loop.failed', { err: bug, loop: 'outbox' }]])
  })

  test('continues in the next round after the store was unavailable', async () => {
    let rounds = 0
    const stop = new AbortController()
    const unavailable = { ...outbox, hasDue: async () => Promise.reject(new Unavailable(new Error('gone'))) }
    await createWorker({ outbox: unavailable })({
      signal: stop.signal,
      async wait() {
        if (++rounds === 3) stop.abort()
      },
    })
    expect(rounds).toBe(3)
  })
})

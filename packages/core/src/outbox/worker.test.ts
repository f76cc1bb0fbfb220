import { fixedClock, madeMail, seededRandom } from '@tributary/test-kit'
import { beforeEach, expect, test, vi } from 'vitest'
import { memoryOutbox, type MemoryOutbox } from '../stores/memory/outbox.ts'
import type { Mail } from '../ports.ts'
import { silentLogger } from '../service/system.ts'
import { Unavailable } from '../unavailable.ts'
import { deliveryMs, maxAttempts, waitAfter } from './rules.ts'
import { leaseMs } from './store.ts'
import { outboxWorker, type OutboxDeps } from './worker.ts'

const hour = 60 * 60 * 1000
let outbox: MemoryOutbox
let clock: ReturnType<typeof fixedClock>
let mails: Mail[]
beforeEach(() => {
  outbox = memoryOutbox()
  clock = fixedClock()
  mails = []
})

const worker = (changes: Partial<OutboxDeps> = {}) =>
  outboxWorker({
    outbox,
    mailer: { send: async (mail) => void mails.push(mail) },
    deliveries: {},
    forgets: [],
    link: (path) => `https://x.example${path}`,
    clock,
    random: seededRandom(),
    logger: silentLogger,
    ...changes,
  })
const add = (changes: Parameters<typeof madeMail>[0] = {}) => {
  const entry = madeMail({ createdAt: clock(), ...changes })
  outbox.put(entry)
  return entry
}
const standing = async (id: string) => (await outbox.list(null, null, 200)).find((one) => one.id === id)!

test('a mail goes out once, as it was written', async () => {
  const { recipient, subject, payload, id } = add()
  await worker()()
  await worker()()
  expect(mails).toEqual([{ to: recipient, subject, text: payload }])
  expect(await standing(id)).toMatchObject({ status: 'sent', attempts: 1 })
})

test('a refused mail is tried with growing waits, and is dead after the last', async () => {
  const { id } = add()
  let asked = 0
  const work = worker({
    mailer: {
      async send() {
        asked++
        throw new Error('refused')
      },
    },
  })
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    await work()
    expect(asked).toBe(attempt)
    const wait = waitAfter(attempt)
    if (wait === null) break
    clock.advance(wait - 1)
    await work()
    expect(asked).toBe(attempt)
    clock.advance(1)
  }
  expect(await standing(id)).toMatchObject({ status: 'dead', attempts: maxAttempts, lastError: 'refused' })
  clock.advance(100 * hour)
  await work()
  expect(asked).toBe(maxAttempts)
})

test('a server that is down is asked once a look, not once a mail', async () => {
  for (let i = 0; i < 10; i++) add({ recipient: `desk-${i}@example.com` })
  let asked = 0
  await worker({
    mailer: {
      async send() {
        asked++
        throw new Error('down')
      },
    },
  })()
  expect(asked).toBe(1)
})

test('when the store is lost between the sending and the news of it, the mail is not sent again', async () => {
  const { id } = add()
  const settle = outbox.settle.bind(outbox)
  const broken = { ...outbox, settle: async () => Promise.reject(new Unavailable(new Error('gone'))) }
  await expect(worker({ outbox: broken })()).rejects.toThrow('gone')
  expect(mails).toHaveLength(1)
  clock.advance(leaseMs + 1)
  await worker({ outbox: { ...outbox, settle } })()
  expect(mails).toHaveLength(1)
  expect(await standing(id)).toMatchObject({ status: 'unknown' })
})

/** A store whose connection breaks once in one method, before it took effect or after. */
function breakingOnce(method: 'take' | 'takeMail' | 'settle', moment: 'before' | 'after'): OutboxDeps['outbox'] {
  let isBroken = false
  const call = (args: unknown[]): Promise<unknown> =>
    (outbox[method] as (...given: unknown[]) => Promise<unknown>)(...args)
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
  ['before', 'take'],
  ['after', 'take'],
  ['before', 'takeMail'],
  ['after', 'takeMail'],
  ['before', 'settle'],
  ['after', 'settle'],
] as const)('sends and records everything once when the connection broke %s %s took effect', async (moment, method) => {
  const [mail, report] = [add(), add({ channel: 'telemetry' })]
  const got: string[] = []
  const telemetry = async (entries: readonly { id: string }[]): Promise<void> =>
    void got.push(...entries.map(({ id }) => id))
  const work = worker({ outbox: breakingOnce(method, moment), deliveries: { telemetry } })
  await expect(work()).rejects.toThrow('connection reset')
  await work()
  expect(mails).toHaveLength(1)
  expect(got).toEqual([report.id])
  expect(await standing(mail.id)).toMatchObject({ status: 'sent', attempts: 1 })
  expect(await standing(report.id)).toMatchObject({ status: 'sent', attempts: 1 })
})

test('without a mailer mails wait for a worker that has one, and hold up nothing else', async () => {
  const mail = add()
  const sent: string[] = []
  const impression = add({ channel: 'impression' })
  const deliveries = {
    impression: async (entries: readonly { id: string }[]) => void sent.push(...entries.map(({ id }) => id)),
  }
  await worker({ mailer: null, deliveries })()
  expect(sent).toEqual([impression.id])
  expect(await standing(mail.id)).toMatchObject({ status: 'waiting', attempts: 0 })
})

test('of a batch those that failed are tried again, those that were refused for good are dead', async () => {
  const [good, later, never] = [
    add({ channel: 'impression' }),
    add({ channel: 'impression' }),
    add({ channel: 'impression' }),
  ]
  const taken: string[][] = []
  const work = worker({
    deliveries: {
      async impression(entries) {
        taken.push(entries.map(({ id }) => id))
        if (taken.length > 1) return
        return new Map<string, unknown>([
          [later.id, new Error('503')],
          [never.id, Object.assign(new Error('400'), { permanent: true })],
        ])
      },
    },
  })
  await work()
  expect(
    (await Promise.all([good, later, never].map(({ id }) => standing(id)))).map(({ status, lastError }) => [
      status,
      lastError,
    ]),
  ).toEqual([
    ['sent', null],
    ['waiting', '503'],
    ['dead', '400'],
  ])
  clock.advance(waitAfter(1)!)
  await work()
  expect(taken).toEqual([[good.id, later.id, never.id], [later.id]])
  expect(await standing(later.id)).toMatchObject({ status: 'sent', attempts: 2 })
})

test('a receiver that was cut off gets its entries again: at least once', async () => {
  const { id } = add({ channel: 'telemetry' })
  const got: string[] = []
  const telemetry = async (entries: readonly { id: string }[]): Promise<void> =>
    void got.push(...entries.map((one) => one.id))
  const broken = { ...outbox, settle: async () => Promise.reject(new Unavailable(new Error('gone'))) }
  await expect(worker({ outbox: broken, deliveries: { telemetry } })()).rejects.toThrow('gone')
  clock.advance(leaseMs + 1)
  await worker({ deliveries: { telemetry } })()
  expect(got).toEqual([id, id])
})

test('a slow mail server holds up no other channel', async () => {
  add()
  const impression = add({ channel: 'impression' })
  let deliver = (): void => undefined
  const delivered = new Promise<void>((resolve) => (deliver = resolve))
  // The mail is taken only once the impression went out: were they one after the other, this would never end.
  await worker({ mailer: { send: () => delivered }, deliveries: { impression: async () => deliver() } })()
  expect(await standing(impression.id)).toMatchObject({ status: 'sent' })
})

test('a mailer and a receiver that never answer are given up: the mail as unknown, the rest to be sent again', async () => {
  const [mail, report] = [add(), add({ channel: 'telemetry' })]
  const never = (): Promise<never> => new Promise(() => undefined)
  vi.useFakeTimers()
  try {
    const working = worker({ mailer: { send: never }, deliveries: { telemetry: never } })()
    await vi.advanceTimersByTimeAsync(deliveryMs)
    await working
  } finally {
    vi.useRealTimers()
  }
  expect(await standing(mail.id)).toMatchObject({ status: 'unknown' })
  expect(await standing(report.id)).toMatchObject({ status: 'waiting', attempts: 1 })
})

test('a refused mail is tried again after its wait although the clock was set back by an hour', async () => {
  const { id } = add()
  let isDown = true
  const work = worker({
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
  expect(await standing(id)).toMatchObject({ status: 'sent', attempts: 2 })
})

test('an aborted worker ends after the mail in hand', async () => {
  for (let i = 0; i < 5; i++) add({ recipient: `desk-${i}@example.com` })
  const end = new AbortController()
  await worker({
    mailer: {
      async send(mail) {
        mails.push(mail)
        end.abort()
      },
    },
  })({ signal: end.signal, wait: async () => undefined })
  expect(mails).toHaveLength(1)
})

test('what is old is forgotten along the way, and a store that does not answer is asked again at the next look', async () => {
  const old = add()
  await worker()()
  clock.advance(31 * 24 * hour)
  const forgotten: number[] = []
  await worker({ forgets: [async (now) => void forgotten.push(now)] })()
  expect(await standing(old.id)).toBeUndefined()
  expect(forgotten).toEqual([clock()])
  let looks = 0
  const end = new AbortController()
  const lost = { ...outbox, due: async () => Promise.reject(new Unavailable(new Error('gone'))) }
  await worker({ outbox: lost })({
    signal: end.signal,
    async wait() {
      if (++looks === 3) end.abort()
    },
  })
  expect(looks).toBe(3)
})

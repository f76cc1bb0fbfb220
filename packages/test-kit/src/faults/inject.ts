import { Unavailable, type Stores } from '@tributary/core'

/** The moment of a fault: instead of the call, or after the call took effect, so that only its reply is lost. */
export const faultTimes = ['before', 'after'] as const
/** The kinds of injected errors: `Unavailable`, or a plain error like that of a bug. */
export const faultKinds = ['outage', 'bug'] as const

/** The n-th call (1 for the first) of one port method, such as `ingest.enqueue` or `traces.export.next`. */
export interface PortCall {
  readonly call: string
  readonly occurrence: number
}

/** One fault at one call. */
export interface FaultPoint extends PortCall {
  readonly time: (typeof faultTimes)[number]
  readonly kind: (typeof faultKinds)[number]
}

export interface WrapOptions {
  /** Properties that the port requires on an error that is thrown after the call took effect. */
  readonly afterEffect?: Readonly<Record<string, unknown>>
}

/**
 * Counts the calls of wrapped ports while it is armed, and throws at one of these calls. Each `next` of an async
 * iterator is a call; creating the iterator is not.
 */
export class FaultInjector {
  /** The calls seen while armed, in order. */
  readonly calls: PortCall[] = []
  readonly point: FaultPoint | null
  /** Whether the fault happened. */
  reached = false
  armed = false
  readonly #counts = new Map<string, number>()
  readonly #errors = new WeakSet<object>()

  constructor(point: FaultPoint | null = null) {
    this.point = point
  }

  /** Returns the same port with every method watched under `name`. */
  wrap<Port extends object>(name: string, port: Port, options: WrapOptions = {}): Port {
    return new Proxy(port, {
      get: (target, key) => {
        const member: unknown = Reflect.get(target, key)
        if (typeof member !== 'function' || typeof key === 'symbol') return member
        // The method is called on the target itself, because a class may have private fields that a proxy does not
        // have.
        return (...args: unknown[]) =>
          this.#call(`${name}.${key}`, () => member.apply(target, args) as unknown, options)
      },
    })
  }

  /** Returns the same stores with every method of every port watched, including `limiter` and `blobs`. */
  wrapStores(stores: Stores): Stores {
    const ports = Object.entries(stores).map(([name, port]: [string, object]) => [
      name,
      typeof port === 'function' ? port : this.wrap(name, port),
    ])
    return Object.fromEntries(ports) as Stores
  }

  /** Returns whether an error is the injected error, or wraps it. */
  threw(error: unknown): boolean {
    for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++)
      if (this.#errors.has(at)) return true
    return false
  }

  #call(name: string, run: () => unknown, options: WrapOptions): unknown {
    if (!this.armed) return run()
    const fault = this.#count(name) ? this.#error(options) : null
    if (fault && this.point?.time === 'before') return Promise.reject(fault)
    const result = run()
    if (isStream(result)) {
      this.calls.pop()
      return this.#stream(name, result, options)
    }
    return Promise.resolve(result).then((value) => {
      if (fault) throw fault
      return this.#innerStreams(name, value, options)
    })
  }

  #count(call: string): boolean {
    const occurrence = (this.#counts.get(call) ?? 0) + 1
    this.#counts.set(call, occurrence)
    this.calls.push({ call, occurrence })
    const here = this.point?.call === call && this.point.occurrence === occurrence
    this.reached ||= here
    return here
  }

  #error({ afterEffect }: WrapOptions): Error {
    const { kind, time } = this.point!
    const error = kind === 'outage' ? new Unavailable(new Error('injected outage')) : new Error('injected bug')
    if (time === 'after') Object.assign(error, afterEffect)
    this.#errors.add(error)
    return error
  }

  #innerStreams(name: string, value: unknown, options: WrapOptions): unknown {
    if (typeof value !== 'object' || value === null || !Object.values(value).some(isStream)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]: [string, unknown]) => [
        key,
        isStream(inner) ? this.#stream(`${name}.${key}`, inner, options) : inner,
      ]),
    )
  }

  async *#stream(name: string, source: AsyncIterable<unknown>, options: WrapOptions): AsyncGenerator<unknown> {
    const iterator = source[Symbol.asyncIterator]()
    try {
      for (;;) {
        const step = await (this.#call(`${name}.next`, () => iterator.next(), options) as Promise<
          IteratorResult<unknown>
        >)
        if (step.done) return
        yield step.value
      }
    } finally {
      await iterator.return?.()
    }
  }
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

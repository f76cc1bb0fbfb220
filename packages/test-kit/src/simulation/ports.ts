/** Runs a port call with a name such as `ingest.claimJob`. Chooses the moment and the outcome of the call. */
export type PortCaller = <Result>(name: string, run: () => Promise<Result>) => Promise<Result>

/** Port methods that return an async iterable synchronously. Each `next` of the iterable is a call. */
const iterables = new Set([
  'ingest.exportJobs',
  'traces.exportTraces',
  'traces.exportDeletedHashes',
  'traces.exportConversations',
  'traces.exportDeletedNames',
])

/** Returns the same port with methods that run through `call`. */
export function interceptPort<Port extends object>(name: string, port: Port, call: PortCaller): Port {
  return new Proxy(port, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key)
      if (typeof member !== 'function' || typeof key === 'symbol') return member
      const method = `${name}.${key}`
      // The method is called on the target itself, because a class may have private fields that a proxy does not have.
      const run = (args: unknown[]): unknown => member.apply(target, args)
      return (...args: unknown[]): unknown =>
        iterables.has(method)
          ? interceptStream(method, run(args) as AsyncIterable<unknown>, call)
          : call(method, async () => interceptInnerStreams(method, await run(args), call))
    },
  })
}

function interceptInnerStreams(method: string, value: unknown, call: PortCaller): unknown {
  if (typeof value !== 'object' || value === null || !Object.values(value).some(isStream)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => [
      key,
      isStream(inner) ? interceptStream(`${method}.${key}`, inner, call) : inner,
    ]),
  )
}

async function* interceptStream(
  method: string,
  source: AsyncIterable<unknown>,
  call: PortCaller,
): AsyncGenerator<unknown> {
  const iterator = source[Symbol.asyncIterator]()
  for (;;) {
    const step = await call(`${method}.next`, () => iterator.next())
    if (step.done) return
    yield step.value
  }
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

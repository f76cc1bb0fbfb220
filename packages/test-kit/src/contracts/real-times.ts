/** The real time that corresponds to the small time 0 of a contract, in milliseconds since 1970. */
const epoch = Date.UTC(2030, 0, 1)
/** Times below this value are small times of a contract. Larger times are real times that the contract itself uses. */
const smallMs = 5e10
const timeNames = /^(?:now|at|until|before|since|from|to)$|(?:At|Until|Before|Since)$/

/**
 * Returns a place whose stores get real times instead of the small times of a contract, so that a store fails if it
 * cannot hold a value as large as `Date.now()`. `{ now: 100 }` reaches the store as 100 ms after the beginning of 2030,
 * and returned times are converted back. A number is a time if its field has a name such as `now` or `leaseUntil` that
 * is not in `except`.
 */
export function useRealTimes<Place extends object>(place: Place, except: readonly string[] = []): Place {
  if (Array.isArray(place)) return place.map((one) => withTimes(one, except)) as unknown as Place
  return new Proxy(place, { get: (target, name) => withTimes(Reflect.get(target, name), except, target) })
}

function withTimes(member: unknown, except: readonly string[], owner?: object): unknown {
  if (typeof member === 'object' && member !== null) return useRealTimes(member, except)
  if (typeof member !== 'function') return member
  return (...params: unknown[]): unknown => {
    const converted = params.map((param) => convert(param, toReal, except))
    return convertResult(Reflect.apply(member, owner, converted))
  }
}

const toReal = (time: number): number => (Math.abs(time) < smallMs ? time + epoch : time)
const toSmall = (time: number): number => (Math.abs(time - epoch) < smallMs ? time - epoch : time)

/** Converts the times in plain objects and lists. All other values are returned unchanged. */
function convert(value: unknown, change: (time: number) => number, except: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((one) => convert(one, change, except))
  if (!isPlain(value)) return value
  const entries = Object.entries(value).map(([name, one]) => [
    name,
    typeof one === 'number' && timeNames.test(name) && !except.includes(name)
      ? change(one)
      : convert(one, change, except),
  ])
  return Object.fromEntries(entries)
}

function convertResult(result: unknown): unknown {
  if (result instanceof Promise) return result.then((value) => convertResult(value))
  if (typeof result === 'object' && result !== null && Symbol.asyncIterator in result)
    return convertEach(result as AsyncIterable<unknown>)
  if (isPlain(result) && 'documents' in result) return { ...result, documents: convertResult(result['documents']) }
  return convert(result, toSmall)
}

async function* convertEach(values: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const value of values) yield convert(value, toSmall)
}

/** Returns whether a value is a plain object of fields. Rows of a database may have another prototype. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !(Symbol.asyncIterator in value) &&
    [Object, undefined].includes((value as { constructor?: ObjectConstructor }).constructor)
  )
}

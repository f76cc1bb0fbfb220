/** A value that is loaded on first use. After the load, it is returned without a promise. */
export type Lazy<T> = () => T | Promise<T>

/**
 * Creates a lazy value. Concurrent callers wait for the same load. After a failed load, the next caller tries again.
 */
export function lazy<T>(load: () => Promise<T>): Lazy<T> {
  let loaded: { readonly value: T } | null = null
  let loading: Promise<T> | null = null
  return () => {
    if (loaded) return loaded.value
    return (loading ??= load()
      .then((value) => (loaded = { value }).value)
      .finally(() => (loading = null)))
  }
}

/** The method names of a port in two groups: methods that return an async iterable, and all other methods. */
export type IterableMethod<Port> = {
  [Name in keyof Port]: Port[Name] extends (...params: never[]) => AsyncIterable<unknown> ? Name : never
}[keyof Port]
export type PromiseMethod<Port> = Exclude<keyof Port, IterableMethod<Port>>

/** Returns the named methods of a port, which is loaded when one of these methods is first called. */
export function lazyMethods<Port extends object, Name extends PromiseMethod<Port>>(
  load: Lazy<Port>,
  names: readonly Name[],
): Pick<Port, Name> {
  const makeMethod =
    (name: Name) =>
    async (...params: readonly unknown[]) => {
      const port = await load()
      return (port[name] as (...params: readonly unknown[]) => Promise<unknown>).call(port, ...params)
    }
  return Object.fromEntries(names.map((name) => [name, makeMethod(name)])) as Pick<Port, Name>
}

/**
 * Works like `lazyMethods` for methods that return an async iterable. The first step of an iteration loads the port.
 */
export function lazyIterables<Port extends object, Name extends IterableMethod<Port>>(
  load: Lazy<Port>,
  names: readonly Name[],
): Pick<Port, Name> {
  const methodOf = (name: Name) =>
    async function* (...params: readonly unknown[]) {
      const port = await load()
      yield* (port[name] as (...params: readonly unknown[]) => AsyncIterable<unknown>).call(port, ...params)
    }
  return Object.fromEntries(names.map((name) => [name, methodOf(name)])) as Pick<Port, Name>
}

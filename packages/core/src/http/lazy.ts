/** A value that is loaded on first use; from then on it is returned without a promise. */
export type Lazy<T> = () => T | Promise<T>

/**
 * Makes a lazy value. Concurrent callers wait for the same load; after a load that failed, the next caller tries again.
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

/**
 * Returns the named methods of a port that is loaded with the first call of one. Each of them must return a promise.
 */
export function lazyMethods<Port extends object, Name extends keyof Port>(
  load: () => Promise<Port>,
  names: readonly Name[],
): Pick<Port, Name> {
  const methodOf =
    (name: Name) =>
    async (...params: readonly unknown[]) => {
      const port = await load()
      return (port[name] as (...params: readonly unknown[]) => Promise<unknown>).call(port, ...params)
    }
  return Object.fromEntries(names.map((name) => [name, methodOf(name)])) as Pick<Port, Name>
}

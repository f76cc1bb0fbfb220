/** A value that is loaded on first use; from then on it is returned without a promise. */
export type Lazy<T> = () => T | Promise<T>

/** Makes a lazy value. Concurrent callers wait for the same load; after a load that failed, the next caller tries again. */
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

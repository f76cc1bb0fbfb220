/**
 * A value that is made when it is first asked for, and kept. Schemas of zod are made this way: to build all of them takes longer
 * than everything else that a cold start does, and a request needs two or three.
 */
export function memoize<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => (made ??= { value: make() }).value
}

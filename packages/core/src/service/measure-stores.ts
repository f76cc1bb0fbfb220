import { ignoredTimer, type Measurements } from '../measurements.ts'
import type { Stores } from '../stores.ts'

/** Returns the stores with their calls measured, including an app's own stores. A call that rejects counts too. */
export function measureStores(stores: Stores, measurements: Measurements): Stores {
  const ports = Object.entries(stores).filter(([, store]) => typeof store === 'object')
  const measured = ports.map(([port, store]) => [port, measureStore(store as object, port, measurements)])
  return { ...(Object.fromEntries(measured) as Stores), ready: () => stores.ready() }
}

type Method = (...args: unknown[]) => unknown

function measureStore(store: object, port: string, measurements: Measurements): object {
  const labels = { store: port }
  const measured = new Map<string | symbol, Method>()
  // The proxy has another target than the store: a proxy of a frozen object must return its members unchanged.
  return new Proxy({} as object, {
    has: (_, name) => name in store,
    get(_, name) {
      const method = measured.get(name)
      if (method) return method
      const member: unknown = Reflect.get(store, name)
      if (typeof member !== 'function') return member
      const call: Method = (...args) => {
        const stop = measurements.startTimer()
        const result = (Reflect.get(store, name) as Method).apply(store, args)
        if (stop !== ignoredTimer && result instanceof Promise) {
          const record = (): void => stop('tributary_store_seconds', labels)
          result.then(record, record)
        }
        return result
      }
      measured.set(name, call)
      return call
    },
  })
}

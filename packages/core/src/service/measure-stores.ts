import { ignoredTimer, type Measurements } from '../measurements.ts'
import type { Stores } from '../stores.ts'
import { wrapStores } from '../stores/ports.ts'

/** Returns the stores with their calls measured, including an app's own stores. A call that rejects counts too. */
export const measureStores = (stores: Stores, measurements: Measurements): Stores =>
  wrapStores(stores, (store, run) => {
    const stop = measurements.startTimer()
    const result = run()
    if (stop !== ignoredTimer && result instanceof Promise) {
      const record = (): void => stop('tributary_store_seconds', { store })
      result.then(record, record)
    }
    return result
  })

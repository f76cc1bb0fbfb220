// Vitest ends a wait after a second, which is too short on a busy machine. Here a wait ends with its event, or counts
// as hanging.
import { vi } from 'vitest'
import { hangMs } from './hang.ts'

type Options = Parameters<typeof vi.waitFor>[1]
const limit = (options: Options): Options => ({
  timeout: hangMs,
  ...(typeof options === 'number' ? { timeout: options } : options),
})

const { waitFor, waitUntil } = vi
vi.waitFor = (callback, options) => waitFor(callback, limit(options))
vi.waitUntil = (callback, options) => waitUntil(callback, limit(options))

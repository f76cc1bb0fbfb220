import type { ResolvedOptions } from './options.ts'

/** Returns `ServiceWorker.warmUp`. */
export const createWarmUp =
  ({ yieldToEventLoop }: Pick<ResolvedOptions, 'yieldToEventLoop'>) =>
  async (signal?: AbortSignal): Promise<void> => {
    const pause = async (): Promise<void> => {
      await yieldToEventLoop()
      signal?.throwIfAborted()
    }
    await import('../scrubber/index.ts').then(({ warmUpScrubber }) => warmUpScrubber(pause)).catch(() => undefined)
  }

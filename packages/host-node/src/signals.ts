import type { Logger } from '@tributary/core'

/** How long an ordered end may take after the draining. */
const lastMs = 9_500

/**
 * Resolves with the exit code once SIGTERM or SIGINT came and `stop` is done: 0, or 1 when it took too long or failed.
 * A second signal ends the process at once.
 */
export function untilSignal(stop: () => Promise<void>, logger: Logger, drainMs = 0): Promise<number> {
  return new Promise((resolve) => {
    let stopping = false
    const take = (signal: NodeJS.Signals): void => {
      if (stopping) process.exit(signal === 'SIGINT' ? 130 : 143)
      stopping = true
      logger.info({ signal }, drainMs > 0
        ? `stopping: not ready, new requests are served for ${drainMs / 1000} s more, then what runs is finished`
        : 'stopping: no new requests, what runs is finished')
      const late = setTimeout(() => {
        logger.error({}, 'not everything was finished in time')
        resolve(1)
      }, drainMs + lastMs)
      stop().then(() => resolve(0), (error: unknown) => {
        logger.error({ err: error }, 'stopping failed')
        resolve(1)
      }).finally(() => clearTimeout(late))
    }
    process.on('SIGTERM', take).on('SIGINT', take)
  })
}

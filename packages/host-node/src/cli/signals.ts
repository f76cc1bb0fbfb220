import type { Logger } from '@tributary/core'

/** How long an ordered end may take after the draining. */
const lastMs = 9_500

/** What an end by signals needs. `halt` makes it safe to exit at once; without it, it always is. */
export interface Stoppable {
  stop(): Promise<void>
  halt?(): Promise<void>
}

/**
 * Resolves with the exit code once SIGTERM or SIGINT came and `stop` is done: 0, or 1 when it took too long or failed.
 * A second signal ends the process at once.
 */
export function untilSignal(running: Stoppable, logger: Logger, drainMs = 0): Promise<number> {
  const halt = async (): Promise<void> => running.halt?.()
  return new Promise((resolve) => {
    let stopping = false
    const take = (signal: NodeJS.Signals): void => {
      if (stopping) return void halt().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143))
      stopping = true
      logger.info(
        { signal },
        drainMs > 0
          ? `stopping: not ready, new requests are served for ${drainMs / 1000} s more, then what runs is finished`
          : 'stopping: no new requests, what runs is finished',
      )
      const fail = (fields: Record<string, unknown>, message: string): void => {
        logger.error(fields, message)
        void halt().finally(() => resolve(1))
      }
      const late = setTimeout(() => fail({}, 'not everything was finished in time'), drainMs + lastMs)
      running
        .stop()
        .then(
          () => resolve(0),
          (error: unknown) => fail({ err: error }, 'stopping failed'),
        )
        .finally(() => clearTimeout(late))
    }
    process.on('SIGTERM', take).on('SIGINT', take)
  })
}

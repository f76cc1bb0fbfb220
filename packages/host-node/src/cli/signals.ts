import type { Logger } from '@tributary/core'

/** The longest time that an orderly stop may take after draining, in milliseconds. */
const stopTimeoutMs = 9_500

/** A part of the process that a signal stops. `halt` makes an immediate exit safe; without `halt` it is always safe. */
export interface Stoppable {
  stop(): Promise<void>
  halt?(): Promise<void>
}

/**
 * Waits for SIGTERM or SIGINT, stops, and resolves with the exit code: 0, or 1 when stopping failed or took too long. A
 * second signal ends the process immediately.
 */
export function waitForSignal(running: Stoppable, logger: Logger, drainMs = 0): Promise<number> {
  const halt = async (): Promise<void> => running.halt?.()
  return new Promise((resolve) => {
    let isStopping = false
    const handleSignal = (signal: NodeJS.Signals): void => {
      if (isStopping) return void halt().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143))
      isStopping = true
      logger.info({ signal, drainMs }, 'host.stopping')
      const fail = (fields: Record<string, unknown>): void => {
        logger.error({ ...fields }, 'host.stop.failed')
        void halt().finally(() => resolve(1))
      }
      const timer = setTimeout(() => fail({ timeoutMs: drainMs + stopTimeoutMs }), drainMs + stopTimeoutMs)
      running
        .stop()
        .then(
          () => resolve(0),
          (error: unknown) => fail({ err: error }),
        )
        .finally(() => clearTimeout(timer))
    }
    process.on('SIGTERM', handleSignal).on('SIGINT', handleSignal)
  })
}

import type { Clock, Logger } from '../../ports.ts'
import { createPacer, logLoopError, type LoopLog } from '../../queue/loop.ts'
import type { WorkOptions } from '../../work.ts'
import { createCopyRecognizer, readStoredMessages, type StoredMessage } from './recognize.ts'
import type { CopyStore } from './store.ts'

export interface FillWorkerDeps {
  readonly copies: CopyStore
  readonly clock: Clock
  readonly logger: Logger
  readonly yieldToEventLoop: () => Promise<void>
}

/** The maximum number of traces of one step. A step also stops reading after `charsPerStep` characters of messages. */
const tracesPerStep = 50
const charsPerStep = 2 * 1024 * 1024

/**
 * Makes the worker that adds fingerprints to older traces that have none, oldest first. The worker yields between its
 * steps. After a crash at any step, the next worker continues there; two concurrent workers do each step once.
 */
export function fillWorker(deps: FillWorkerDeps): (options: Pick<WorkOptions, 'signal' | 'wait'>) => Promise<void> {
  const { copies, clock, logger } = deps
  const log: LoopLog = { loop: 'copies', logger, outage: 'copies.fill.postponed' }
  const yieldToEventLoop = createPacer(clock, deps.yieldToEventLoop)

  /** Returns whether there may be more traces without fingerprints. */
  async function fillSome(): Promise<boolean> {
    const { after, traces } = await copies.listUnfilledTraces({ limit: tracesPerStep })
    if (traces.length === 0) return false
    const read: { index: number; messages: readonly StoredMessage[] }[] = []
    let [chars, next] = [0, after]
    for (const { num, id } of traces) {
      const messages = await readStoredMessages(id, { copies, yieldToEventLoop })
      // Copies of damaged messages are not recognized.
      if (messages) read.push({ index: num, messages })
      next = num
      if ((chars += messages?.reduce((sum, { content }) => sum + content.length, 0) ?? 0) >= charsPerStep) break
    }
    const recognizer = await createCopyRecognizer(read, { copies, yieldToEventLoop })
    const { copies: found, copyVersion: version } = await recognizer.recognize()
    const filled = [...found].map(([num, { fingerprints, overlaps }]) => ({
      num,
      copies: {
        fingerprints,
        overlaps: overlaps.map(({ other, ...ranges }) => ({
          ...ranges,
          other: 'num' in other ? other : { num: other.index },
        })),
      },
    }))
    await copies.fillCopies({ after, next, version, traces: filled, now: clock() })
    return true
  }

  return async ({ signal, wait }) => {
    while (!signal?.aborted) {
      try {
        if (!(await fillSome())) return
        await deps.yieldToEventLoop()
      } catch (error) {
        logLoopError(error, log)
        if (!wait) throw error
        await wait('copies')
      }
    }
  }
}

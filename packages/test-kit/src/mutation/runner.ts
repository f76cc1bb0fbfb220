import { setTimeout as delay } from 'node:timers/promises'
import { createVitest, ForksPoolWorker, type PoolOptions, type TestModule, type Vitest } from 'vitest/node'
import type { PlacedMutant } from './plugin.ts'

/** Runs tests in one process, again and again, with one mutant at a time. */
export interface MutantRunner {
  /**
   * Returns whether a test of these files fails with the mutant in its place, or does not end. Throws when the file of
   * that test fails without it too.
   */
  isKilled(tests: readonly string[], placed: PlacedMutant): Promise<boolean>
  close(): Promise<void>
}

/**
 * A statement that never ends keeps its worker busy, so that no timeout of a test ends it, nor does closing vitest.
 * Workers are processes, which are killed then.
 */
const runTimeoutMs = 120_000

/** Vitest makes its own workers, which it does not name, for a pool that is called as one of its own. */
const poolName = 'mutants'
class MutantWorker extends ForksPoolWorker {
  override name = poolName
}

/** Starts vitest with the configuration of the repository. Its workers end at the first test that fails. */
export async function createMutantRunner(root: string): Promise<MutantRunner> {
  /** The files of the current run with a test that failed; the result of a run also has those of earlier runs. */
  const failures: string[] = []
  const reporter = {
    onTestModuleEnd(module: TestModule) {
      if (!module.ok()) failures.push(module.moduleId)
    },
  }
  process.env['TRIBUTARY_MUTANT'] = ''
  /** Those started since vitest was. */
  let workers: ForksPoolWorker[] = []
  const pool = {
    name: poolName,
    createPoolWorker(options: PoolOptions) {
      const worker = new MutantWorker(options)
      workers.push(worker)
      return worker
    },
  }
  async function start(): Promise<Vitest> {
    workers = []
    const options = { root, watch: false, bail: 1, silent: true, reporters: [reporter] }
    const started = await createVitest('test', { ...options, pool })
    await started.globTestSpecifications()
    return started
  }
  let vitest = await start()
  /** Files with a mutant in them, and that of the run before, which a worker may have read once more as it ended. */
  const changed = new Set<string>()
  const passing = new Set<string>()

  /** Runs tests; returns the file of one that failed, null without one, or that they did not end. */
  async function findFailure(tests: readonly string[], placed: PlacedMutant | null): Promise<string | null | 'hangs'> {
    process.env['TRIBUTARY_MUTANT'] = placed ? JSON.stringify(placed) : ''
    for (const path of changed) vitest.invalidateFile(path)
    changed.clear()
    if (placed) {
      changed.add(placed.path)
      vitest.invalidateFile(placed.path)
    }
    const timer = new AbortController()
    failures.length = 0
    const run = vitest.runTestFiles([...tests])
    const result = await Promise.race([run, delay(runTimeoutMs, null, { signal: timer.signal })])
    timer.abort()
    if (result) return failures[0] ?? null
    run.catch(() => undefined)
    await Promise.allSettled(workers.map(async (worker) => worker.stop()))
    await Promise.race([vitest.close(), delay(10_000)])
    vitest = await start()
    return 'hangs'
  }

  return {
    async isKilled(tests, placed) {
      const failed = await findFailure(tests, placed)
      if (failed === null || failed === 'hangs' || passing.has(failed)) return failed !== null
      if ((await findFailure([failed], null)) !== null) throw new Error(`${failed} fails without a mutant too`)
      passing.add(failed)
      return true
    },
    close: () => vitest.close(),
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import { createVitest, ForksPoolWorker, type PoolOptions, type TestModule, type Vitest } from 'vitest/node'
import type { PlacedMutant } from './plugin.ts'

/** Runs tests repeatedly in one process, with one mutant at a time. */
export interface MutantRunner {
  /**
   * Returns whether a test of these files fails, or does not end, with the mutant applied. Throws if the file of this
   * test also fails without the mutant.
   */
  isKilled(tests: readonly string[], placed: PlacedMutant): Promise<boolean>
  close(): Promise<void>
}

/**
 * The time limit of a run. A statement that never ends keeps its worker busy, and neither the timeout of a test nor
 * closing vitest ends that worker. Workers are processes, so they are killed after the limit.
 */
const runTimeoutMs = 120_000

/** The name of the pool. With the name of one of vitest's own pools, vitest would create its own workers. */
const poolName = 'mutants'
class MutantWorker extends ForksPoolWorker {
  override name = poolName
}

/** Starts vitest with the configuration of the repository. Its workers end at the first test that fails. */
export async function createMutantRunner(root: string): Promise<MutantRunner> {
  /**
   * The files with a failed test in the current run. The result that vitest returns also contains the failures of
   * earlier runs.
   */
  const failures: string[] = []
  const reporter = {
    onTestModuleEnd(module: TestModule) {
      if (!module.ok()) failures.push(module.moduleId)
    },
  }
  process.env['TRIBUTARY_MUTANT'] = ''
  /** The workers that were started since vitest started. */
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
  /**
   * The files that were mutated in the previous run. They are invalidated before the next run, because a worker may
   * have read the mutated source as it ended.
   */
  const changed = new Set<string>()
  const passing = new Set<string>()

  /** Runs tests. Returns the file of a failed test, null if no test failed, or `hangs` if the tests did not end. */
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

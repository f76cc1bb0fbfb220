import type { Check, Group, Need } from './check.ts'
import { Skip, type Target } from './target.ts'
import { createContext } from './context.ts'
import { RunState, type RunStateOptions } from './run-state.ts'
import { deleteTraces } from './stored-traces.ts'

/** The result of a check. */
export interface Result {
  readonly group: string
  readonly of: string
  readonly name: string
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** For a failed check: the sent, expected and received values. For a skipped check: the reason. Otherwise empty. */
  readonly detail: string
  readonly ms: number
}

/** The result of a run. */
export interface Report {
  readonly results: readonly Result[]
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** The data that stays at the service after the run, in words. */
  readonly left: readonly string[]
  /** The outcomes declared in the contracts that the run observed: `E9 PATCH /api/traces/:id 409 already_sold`. */
  readonly met: readonly string[]
  readonly requests: number
}

export interface RunOptions extends RunStateOptions {
  /**
   * Runs only checks with a number, name or group that contains one of these words. Default: all checks. Numbers must
   * match completely: `E1` does not match `E10`.
   */
  readonly only?: readonly string[]
  /** After an abort, no further check begins. The created data is still deleted. */
  readonly signal?: AbortSignal
  /** The number of groups that run in parallel. Default: 4. */
  readonly concurrency?: number
  /** A function that is called with each group when it ends. */
  readonly onGroup?: (title: string, results: readonly Result[]) => void
}

const wanted: Readonly<Record<Need, (target: Target) => string | null>> = {
  'person': ({ token, code }) => ((token ?? code) ? null : 'needs --mail or --token'),
  'mailbox': ({ code }) => (code ? null : 'needs --mail, so that the run can sign people in'),
  'contributor': ({ token, code }) => ((token ?? code) ? null : 'needs --mail or --token'),
  'operator': ({ adminToken }) => (adminToken === undefined ? 'needs --admin-token' : null),
  'passkey-token': ({ passkeyToken }) => (passkeyToken === undefined ? 'needs --passkey-token' : null),
  'min-version': ({ minVersion }) =>
    minVersion === undefined ? 'needs --min-version, the one that the service is configured with' : null,
  'country-header': ({ countryHeader }) =>
    countryHeader === undefined ? 'needs --country-header, the one that the service reads' : null,
  'rates': ({ rates }) => (rates === undefined ? 'needs --rates: uses up the default rates' : null),
  'datacenter': ({ isDatacenter }) =>
    isDatacenter === true ? null : 'needs --datacenter: the service counts the address of the run as of a data center',
  'repeats': ({ loses = [] }) =>
    loses.includes('repeats') ? 'the platform before the host loses repeated names' : null,
  'origin': ({ origin }) => (origin === undefined ? 'needs an address to open connections to' : null),
}

/** Returns whether a check was selected. */
function isChosen(group: string, { of, name }: Check, only: readonly string[] | undefined): boolean {
  if (!only || only.length === 0) return true
  return only.some((word) => {
    const wordy = word.toLowerCase()
    return (
      of.toLowerCase() === wordy || (!/^e\d+$/.test(wordy) && `${group} ${of} ${name}`.toLowerCase().includes(wordy))
    )
  })
}

/**
 * Runs the checks of the groups against a target, deletes everything that they created, and returns the result of each
 * check. Never throws.
 */
export async function runGroups(groups: readonly Group[], target: Target, options: RunOptions = {}): Promise<Report> {
  const { only, concurrency = 4, onGroup, signal } = options
  const stage = new RunState(target, options)
  // An account that was given by its token is not erased. Instead, the traces that the run sent are deleted one by one.
  if (target.token !== undefined) stage.addCleanup(() => deleteTraces(stage))
  const waiting = groups
    .map(({ title, checks }) => ({ title, checks: checks.filter((check) => isChosen(title, check, only)) }))
    .filter(({ checks }) => checks.length > 0)
  const order = waiting.map(({ title }) => title)
  const done = new Map<string, Result[]>()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let group = waiting.shift(); group; group = waiting.shift()) {
        const results: Result[] = []
        for (const check of group.checks)
          results.push(await runCheck(stage, group.title, check, signal?.aborted === true ? 'the run was ended' : null))
        done.set(group.title, results)
        onGroup?.(group.title, results)
      }
    }),
  )
  await stage.cleanUp()
  const results = order.flatMap((title) => done.get(title)!)
  const count = (outcome: Result['outcome']): number => results.filter((one) => one.outcome === outcome).length
  return {
    results,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    left: [...stage.leftovers],
    met: [...stage.met],
    requests: stage.requests,
  }
}

async function runCheck(stage: RunState, group: string, check: Check, ended: string | null): Promise<Result> {
  const { of, name, needs } = check
  const from = performance.now()
  const finishCheck = (outcome: Result['outcome'], detail = ''): Result => ({
    group,
    of,
    name,
    outcome,
    detail,
    ms: Math.round(performance.now() - from),
  })
  if (ended !== null) return finishCheck('skipped', ended)
  for (const need of needs) {
    const reason = wanted[need](stage.target)
    if (reason !== null) return finishCheck('skipped', reason)
  }
  try {
    await check.run(createContext(stage, `${of}: ${name}`))
    return finishCheck('passed')
  } catch (error) {
    if (error instanceof Skip) return finishCheck('skipped', error.message)
    return finishCheck('failed', error instanceof Error ? error.message : String(error))
  }
}

import { outcomeStatuses, type SessionOutcome } from './sessions/trace.ts'
import { CommandError, toPlainText, type Terminal } from './terminal.ts'

export interface OutcomeFlags {
  readonly 'outcome'?: string
  readonly 'tests-passed'?: string
  readonly 'tests-failed'?: string
  readonly 'note'?: string
}

const isStatus = (text: string): text is SessionOutcome['status'] => outcomeStatuses.some((status) => status === text)

/**
 * Returns the outcome that the flags state, or undefined without `--outcome`. Throws `CommandError` on a wrong value.
 */
export function readOutcome(flags: OutcomeFlags): SessionOutcome | undefined {
  const { outcome, 'tests-passed': passed, 'tests-failed': failed, note } = flags
  if (outcome === undefined) {
    const detail = (['tests-passed', 'tests-failed', 'note'] as const).find((flag) => flags[flag] !== undefined)
    if (detail) throw new CommandError('usage', `--${detail} needs --outcome.`, 2)
    return undefined
  }
  if (!isStatus(outcome)) {
    const message = `--outcome: \`${toPlainText(outcome)}\` is not one of ${outcomeStatuses.join(', ')}.`
    throw new CommandError('usage', message, 2)
  }
  return {
    status: outcome,
    ...(passed !== undefined && { testsPassed: parseCount(passed, '--tests-passed') }),
    ...(failed !== undefined && { testsFailed: parseCount(failed, '--tests-failed') }),
    ...(note && { note }),
  }
}

/** Asks a person whether the work succeeded, until the answer is a status. Returns undefined for an empty answer. */
export async function askOutcome(terminal: Terminal): Promise<SessionOutcome | undefined> {
  for (;;) {
    const question = `Did the work succeed? (${outcomeStatuses.join(', ')}; Enter to leave it out) `
    const answer = (await terminal.ask(question)).trim().toLowerCase()
    if (answer === '') return undefined
    if (isStatus(answer)) return { status: answer }
  }
}

function parseCount(text: string, flag: string): number {
  const count = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count))
    throw new CommandError('usage', `${flag}: use a whole number from 0.`, 2)
  return count
}

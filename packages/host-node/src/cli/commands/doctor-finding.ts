import { within } from '@tributary/core/adapter'
import { describeError } from '../errors.ts'

/** The result of a check of `tributary doctor`. */
export interface Finding {
  readonly check: string
  readonly ok: boolean
  /** The check passes but needs attention; the exit code stays 0. */
  readonly warning?: true
  /** The finding, and how to solve a problem. */
  readonly found: string
}

export const readMessage = (error: unknown): string =>
  describeError(error)?.message ?? (error instanceof Error ? error.message : String(error))

/** Runs a check within a deadline. A check that throws has failed. */
export async function attempt(check: string, find: () => Promise<string>): Promise<Finding> {
  try {
    return { check, ok: true, found: await within(8_000, find) }
  } catch (error) {
    return { check, ok: false, found: readMessage(error) }
  }
}

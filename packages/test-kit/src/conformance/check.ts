import type { Context } from './context.ts'

/**
 * The requirements of a check in addition to an address. `person`: the bearer token of a person. `mailbox`: accounts of
 * the run whose mail can be read. `contributor`: a person who may upload. `operator`: the admin token. `min-version`,
 * `country-header` and `rates`: these values are given, because the configuration of a service cannot be seen from
 * outside. `passkey-token`: the token of an operator that only this run uses. `datacenter`: the service treats the
 * address of the run as part of a data center. `repeats`: the platform before the host keeps repeated query keys.
 * `origin`: an address to which the run can open its own connections.
 */
export type Need =
  | 'person'
  | 'mailbox'
  | 'contributor'
  | 'operator'
  | 'passkey-token'
  | 'min-version'
  | 'country-header'
  | 'rates'
  | 'datacenter'
  | 'repeats'
  | 'origin'

/** A statement about the interface, and the requests that test it. */
export interface Check {
  /** The interface's number, `E5`, or the area: `sign-in`. */
  readonly of: string
  /** The check as a sentence. No other check has the same `of` and name. */
  readonly name: string
  readonly needs: readonly Need[]
  /** Resolves when the sentence is true. Throws `Broken` with the sent, expected and received values, or `Skip`. */
  run(context: Context): Promise<void>
}

/** Checks of one capability. They run one after another, while groups run in parallel. */
export interface Group {
  readonly title: string
  readonly checks: readonly Check[]
}

/** Creates a check. */
export function check(of: string, name: string, needs: readonly Need[], run: Check['run']): Check {
  return { of, name, needs, run }
}

import type { Context } from './context.ts'

/**
 * The requirements of a check besides an address: `person`, somebody's bearer; `mailbox`, people of the run's own,
 * whose mail can be read; `contributor`, somebody who may upload; `operator`, the admin token; `min-version`,
 * `country-header` and `rates`, that these are given, since the configuration of a service cannot be seen from outside;
 * `passkey-token`, the token of an operator of the run's own;
 * `datacenter`, that the service counts the address of the run as one of a data center;
 * `repeats`, that the platform before the host keeps repeated query keys; `origin`, an address to which connections
 * of one's own can be opened.
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
  /** A sentence; with `of`, the same for no other check. */
  readonly name: string
  readonly needs: readonly Need[]
  /** Resolves when the sentence is true; throws `Broken` with what was sent, expected and got, or `Skip`. */
  run(context: Context): Promise<void>
}

/** Checks of one capability. They run one after the other; groups run side by side. */
export interface Group {
  readonly title: string
  readonly checks: readonly Check[]
}

/** Writes one. */
export function check(of: string, name: string, needs: readonly Need[], run: Check['run']): Check {
  return { of, name, needs, run }
}

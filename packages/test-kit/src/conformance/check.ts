import type { HostUnderTest } from '../emulators/wire.ts'
import type { Loss } from '../contracts/host.ts'
import type { Context } from './context.ts'

/**
 * What a check needs beside an address: `person`, somebody's bearer; `mailbox`, people of the run's own, whose mail can be
 * read; `contributor`, somebody who may upload; `operator`, the admin token; `min-version`, `country-header` and `rates`,
 * that these are told, since nobody can see from outside how a service was configured; `repeats`, that the platform before
 * the host keeps repeated query keys; `origin`, an address to which connections of one's own can be opened.
 */
export type Need =
  | 'person'
  | 'mailbox'
  | 'contributor'
  | 'operator'
  | 'min-version'
  | 'country-header'
  | 'rates'
  | 'repeats'
  | 'origin'

/** One sentence about the interface, and the requests that would find it wrong. */
export interface Check {
  /** The interface's number, `E5`, or the section of the decisions, `decisions 4`. */
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

/** Where the interface is to be checked, and what is known of it. */
export interface Target {
  /** Sends one request; `target` begins with `prefix`. */
  readonly request: HostUnderTest['request']
  /** Where to open TCP connections, for requests that no HTTP client makes: `http://127.0.0.1:8787`. */
  readonly origin?: string
  /** Where the service is mounted: `/tributary`; default: the top. */
  readonly prefix?: string
  /** The six digits that were mailed to an address last. Without it nobody can be signed in. */
  readonly code?: (email: string) => string | Promise<string>
  /** Somebody's bearer, where no mail can be read. Their account stays as it is. */
  readonly token?: string
  readonly adminToken?: string
  /** The `minVersion` that the service is configured with. */
  readonly minVersion?: string
  /** The header that the service reads the country from. Requests then come from the US unless a check says otherwise. */
  readonly countryHeader?: string
  /** `default`: the service has the rates of decisions section 1, and they may be used up. */
  readonly rates?: 'default'
  /** What the platform before the host loses of a request. */
  readonly loses?: readonly Loss[]
  /** Works on ingest jobs, where nobody does by itself. */
  readonly work?: () => Promise<unknown>
  /** Lets time pass at the service, where its clock is in the caller's hands; default: waits. */
  readonly wait?: (ms: number) => Promise<void> | void
  /** Sends to an address that is not the service's own, as an upload's may be; default: `fetch`. */
  readonly put?: (url: string, headers: Readonly<Record<string, string>>, body: Uint8Array) => Promise<number>
}

/** A sentence that is not true. The message has what was sent, expected and got; credentials are cut. */
export class Broken extends Error {}

/** A check that cannot be made here; the message says why. */
export class Skip extends Error {}

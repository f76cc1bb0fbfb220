import type { HostUnderTest } from '../emulators/wire.ts'
import type { Loss } from '../contracts/host.ts'

/** The interface under test, and the known facts about it. */
export interface Target {
  /** Sends one request. `target` begins with `prefix`. */
  readonly request: HostUnderTest['request']
  /** The URL for TCP connections, for requests that HTTP clients cannot send: `http://127.0.0.1:8787`. */
  readonly origin?: string
  /** The path where the service is mounted, such as `/tributary`. Default: the root. */
  readonly prefix?: string
  /** Returns the sign-in code that was last mailed to an address. Without it the run cannot sign anybody in. */
  readonly code?: (email: string) => string | Promise<string>
  /** The bearer token of a person, for a run that cannot read mail. This person's account is not changed. */
  readonly token?: string
  readonly adminToken?: string
  /**
   * The token of an operator that only this run uses, for a service that verifies passkeys. The run registers a passkey
   * and removes it.
   */
  readonly passkeyToken?: string
  /** The `minVersion` that the service is configured with. */
  readonly minVersion?: string
  /**
   * The header from which the service reads the country. Requests then come from the US unless a check says otherwise.
   */
  readonly countryHeader?: string
  /** `default`: the service has the default rates, and they may be used up. */
  readonly rates?: 'default'
  /** Whether the service treats the address of the requests as part of a data center. */
  readonly isDatacenter?: boolean
  /** The parts of a request that the platform in front of the host loses. */
  readonly loses?: readonly Loss[]
  /** Processes ingest jobs. Needed if no worker runs by itself. */
  readonly work?: () => Promise<unknown>
  /** Advances the clock of the service, if the caller controls this clock. Default: waits in real time. */
  readonly wait?: (ms: number) => Promise<void> | void
  /** Sends to a URL outside the service, such as an upload URL. Default: `fetch`. */
  readonly put?: (url: string, headers: Readonly<Record<string, string>>, body: Uint8Array) => Promise<number>
}

/** A check that failed. The message contains the sent, expected and received values, with shortened credentials. */
export class Broken extends Error {}

/** A check that cannot run against this target. The message says why. */
export class Skip extends Error {}

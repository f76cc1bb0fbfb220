import type { HostUnderTest } from '../emulators/wire.ts'
import type { Loss } from '../contracts/host.ts'

/** The address of the interface under test, and what is known of it. */
export interface Target {
  /** Sends one request; `target` begins with `prefix`. */
  readonly request: HostUnderTest['request']
  /** The address for TCP connections, for requests that no HTTP client makes: `http://127.0.0.1:8787`. */
  readonly origin?: string
  /** The path where the service is mounted: `/tributary`; default: the top. */
  readonly prefix?: string
  /** The sign-in code that was mailed to an address last. Without it no person can be signed in. */
  readonly code?: (email: string) => string | Promise<string>
  /** Somebody's bearer, where no mail can be read. Their account stays as it is. */
  readonly token?: string
  readonly adminToken?: string
  /**
   * The token of an operator who does not sign in otherwise, at a service that verifies passkeys: one is registered and
   * removed.
   */
  readonly passkeyToken?: string
  /** The `minVersion` that the service is configured with. */
  readonly minVersion?: string
  /**
   * The header that the service reads the country from. Requests then come from the US unless a check says otherwise.
   */
  readonly countryHeader?: string
  /** `default`: the service has the default rates, and they may be used up. */
  readonly rates?: 'default'
  /** Whether the service counts the address that requests come from as one of a data center. */
  readonly isDatacenter?: boolean
  /** The parts of a request that the platform before the host loses. */
  readonly loses?: readonly Loss[]
  /** Works on ingest jobs, where no worker runs by itself. */
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

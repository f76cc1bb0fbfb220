import compare from 'semver/functions/compare.js'
import parse from 'semver/functions/parse.js'
import type { SemVer } from 'semver'
import { fail, type Failure } from './failures.ts'

/** The client version gate. */
export interface VersionGate {
  /** The oldest client version that is served; null serves all. */
  readonly minVersion: string | null
  /** The command that upgrades the client, for the reply. */
  readonly upgradeCommand: string
  /** Whether a request without a valid `x-cli-version` is refused too. */
  readonly requireClientVersion: boolean
}

/** Parses a semantic version. `semver` also accepts a leading `v` and spaces, which the specification does not. */
const parseVersion = (text: string): SemVer | null => (/^\d\S*$/.test(text) ? parse(text) : null)

/** Throws when `minVersion` is not a semantic version: the gate would let every client through. */
export function checkMinVersion({ minVersion }: VersionGate): void {
  if (minVersion !== null && parseVersion(minVersion) === null)
    throw new Error(`minVersion must be a semantic version, not ${minVersion}`)
}

/**
 * Compares the `x-cli-version` header with `minVersion` by semver precedence, prereleases included. Returns the
 * `upgrade_required` failure, or null when the request may continue.
 */
export function checkClientVersion(header: string | undefined, gate: VersionGate): Failure<'upgrade_required'> | null {
  const { minVersion, upgradeCommand, requireClientVersion } = gate
  if (minVersion === null) return null
  const version = header === undefined ? null : parseVersion(header.trim())
  const isServed = version ? compare(version, minVersion) >= 0 : !requireClientVersion
  return isServed ? null : fail('upgrade_required', { minVersion, upgradeCommand })
}

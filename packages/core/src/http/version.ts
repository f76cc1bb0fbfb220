import { fail, type Failure } from './failures.ts'
import { lazy } from '../lazy.ts'

/** The options of the client version gate, which refuses clients that are too old. */
export interface VersionGate {
  /** The oldest client version that is served. Null means that every version is served. */
  readonly minVersion: string | null
  /** The command that upgrades the client, for the reply. */
  readonly upgradeCommand: string
  /** Whether a request without a valid `x-cli-version` is refused too. */
  readonly requireClientVersion: boolean
}

/**
 * The expression that semver.org suggests for semantic versions (2.0.0, FAQ), with numbers of at most 15 digits: `semver`
 * throws for numbers above 2^53-1.
 */
const semanticVersion =
  /^(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/

/** Returns whether a text is a semantic version of at most 256 characters, which `semver` can compare. */
const isVersion = (text: string): boolean => text.length <= 256 && semanticVersion.test(text)

/** Loads the module when the first version is compared, because loading takes longer than the rest of a request. */
const loadCompare = lazy(async () => (await import('semver/functions/compare.js')).default)

/** Throws when `minVersion` is not a semantic version, because then the gate would accept every client. */
export function checkMinVersion({ minVersion }: VersionGate): void {
  if (minVersion !== null && !isVersion(minVersion))
    throw new Error(`minVersion must be a semantic version, not ${minVersion}`)
}

/**
 * Compares the `x-cli-version` header with `minVersion` by semver precedence, prereleases included. Returns the
 * `upgrade_required` failure, or null when the request may continue.
 */
export function checkClientVersion(
  header: string | undefined,
  gate: VersionGate,
): Promise<Failure<'upgrade_required'> | null> | null {
  return gate.minVersion === null ? null : compareVersion(header?.trim() ?? '', gate.minVersion, gate)
}

async function compareVersion(
  version: string,
  minVersion: string,
  { upgradeCommand, requireClientVersion }: VersionGate,
): Promise<Failure<'upgrade_required'> | null> {
  const isServed = isVersion(version) ? (await loadCompare())(version, minVersion) >= 0 : !requireClientVersion
  return isServed ? null : fail('upgrade_required', { minVersion, upgradeCommand })
}

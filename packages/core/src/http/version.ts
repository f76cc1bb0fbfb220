import { fail, type Failure } from './failures.ts'

export interface VersionGate {
  /** The oldest client version that is served; null serves all. */
  readonly minVersion: string | null
  /** What the person types to upgrade. */
  readonly upgradeCommand: string
  /** Whether a request without a readable `x-cli-version` is refused too. */
  readonly requireClientVersion: boolean
}

interface Version {
  numbers: number[]
  pre: string[]
}

const shape =
  /^(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})\.(0|[1-9]\d{0,14})(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/

/** Reads a semantic version (semver 2.0.0), or null. Build metadata is ignored, as precedence ignores it. */
function parse(text: string): Version | null {
  const found = text.length <= 128 ? shape.exec(text) : null
  if (!found) return null
  const pre = found[4]?.split('.') ?? []
  if (pre.some((part) => /^0\d+$/.test(part))) return null
  return { numbers: found.slice(1, 4).map(Number), pre }
}

function compareParts(a: string, b: string): number {
  const [aNumber, bNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (aNumber && bNumber) return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)
  if (aNumber !== bNumber) return aNumber ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

/** Semver precedence (section 11 of its specification): negative when `a` comes before `b`. */
function compare(a: Version, b: Version): number {
  for (let i = 0; i < 3; i++) if (a.numbers[i] !== b.numbers[i]) return a.numbers[i]! - b.numbers[i]!
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length
  for (let i = 0; i < Math.min(a.pre.length, b.pre.length); i++) {
    const order = compareParts(a.pre[i]!, b.pre[i]!)
    if (order !== 0) return order
  }
  return a.pre.length - b.pre.length
}

/** Throws on a least version that is none, since it would let everybody through. */
export function checkGate({ minVersion }: VersionGate): void {
  if (minVersion !== null && parse(minVersion) === null)
    throw new Error(`minVersion must be a semantic version, not ${minVersion}`)
}

/** The client version gate (decisions section 2): the `upgrade_required` failure, or null when the request may go on. */
export function versionGate(header: string | undefined, gate: VersionGate): Failure<'upgrade_required'> | null {
  const least = gate.minVersion === null ? null : parse(gate.minVersion)
  if (!least) return null
  const sent = header === undefined ? null : parse(header.trim())
  if (sent ? compare(sent, least) >= 0 : !gate.requireClientVersion) return null
  return fail('upgrade_required', { minVersion: gate.minVersion, upgradeCommand: gate.upgradeCommand })
}

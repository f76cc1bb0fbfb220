import { toHex } from '../ids.ts'
import type { Digest } from '../ports.ts'

/** Replaces the name of a trace when the name itself was refused. */
export const refusedName = '[REFUSED]'
/** Replaces a name that only the messages of its trace identify as that of a person. */
export const unnamed = '[NAME]'

export interface KeepNameParams {
  /** The name before. */
  readonly name: string
  /** The name as it was scrubbed together with the messages of its trace. */
  readonly scrubbed: string
  /** Scrubs a text alone. Returns null when it is refused. */
  readonly scrubAlone: (text: string) => Promise<string | null>
  readonly makeTail: () => string
}

/**
 * Returns a trace's name as it is shown. Two names that are scrubbed to the same placeholder should look different, so
 * a name that the scrubber changed gets a tail. A parent has the same name in its child, because placeholders have the
 * numbers that they get when the name is scrubbed alone.
 */
export async function keepName({ name, scrubbed, scrubAlone, makeTail }: KeepNameParams): Promise<string> {
  if (scrubbed === name) return scrubbed
  const alone = await scrubAlone(name)
  if (alone === null) return refusedName
  const withoutNumbers = (text: string): string => text.replace(/_\d+\]/g, ']')
  const prefix = withoutNumbers(alone) === withoutNumbers(scrubbed) ? alone : unnamed
  return prefix + makeTail()
}

/**
 * Returns the tail of a scrubbed name: 48 bits that depend on the owner's id and the name. So the same name of another
 * owner has other bits, and a reader cannot find an e-mail address by trying many.
 */
export function nameTail(ownerId: string, sent: string, digest: Digest): string {
  return `~${toHex(digest(JSON.stringify([ownerId, sent]))).slice(0, 12)}`
}

const tailOfScrubbedName = /(?<=\[[A-Z][A-Z0-9_]*\].*)~[0-9a-f]{12}$/s

/** Divides a stored name into the part that may be scrubbed again and its tail, which is empty if there is none. */
export function divideName(stored: string): { readonly name: string; readonly tail: string } {
  const tail = tailOfScrubbedName.exec(stored)?.[0] ?? ''
  return { name: stored.slice(0, stored.length - tail.length), tail }
}

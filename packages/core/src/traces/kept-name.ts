import { toHex } from '../ids.ts'
import type { Digest } from '../ports.ts'

/** Stands for the name of a trace whose very name was refused. */
export const refusedName = '[REFUSED]'
/** Stands for a name that only its trace's messages show to name a person. */
export const unnamed = '[NAME]'

export interface KeepNameParams {
  /** The name before. */
  readonly name: string
  /** The name as it was scrubbed together with the messages of its trace. */
  readonly scrubbed: string
  /** Scrubs a text alone; null when it is refused. */
  readonly scrubAlone: (text: string) => Promise<string | null>
  readonly makeTail: () => string
}

/**
 * Returns a trace's name as it is shown. Two names that scrub to the same placeholder should look different, so a name
 * that the scrubber changed gets a tail. A parent is named as it names itself: placeholders are numbered as when the
 * name is scrubbed alone.
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
 * Returns the tail of a scrubbed name: 48 bits that only the same owner's same name has. The owner's id is in it, so
 * that a reader cannot try e-mail addresses on it.
 */
export function nameTail(ownerId: string, sent: string, digest: Digest): string {
  return `~${toHex(digest(JSON.stringify([ownerId, sent]))).slice(0, 12)}`
}

const tailOfScrubbedName = /(?<=\[[A-Z][A-Z0-9_]*\].*)~[0-9a-f]{12}$/s

/**
 * Divides a stored name into what may be scrubbed again and the tail that it got when it was scrubbed, `` without one.
 */
export function divideName(stored: string): { readonly name: string; readonly tail: string } {
  const tail = tailOfScrubbedName.exec(stored)?.[0] ?? ''
  return { name: stored.slice(0, stored.length - tail.length), tail }
}

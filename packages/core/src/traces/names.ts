import { createHmacCode, type HmacCode, type Secrets } from '../auth/hmac.ts'
import { toHex } from '../ids.ts'
import { lazy } from '../lazy.ts'
import type { Digest } from '../ports.ts'
import type { TraceName } from './store.ts'

/**
 * Returns a function that hashes names with every secret of the deployment, the newest first. The stored secret comes
 * last, so that names that were hashed before a secret was configured are still recognized.
 */
export function createNameHash({ secrets, storedSecret, digest }: Secrets & { readonly digest: Digest }): HmacCode {
  const hash = lazy(async () => createHmacCode({ secrets: [...secrets, await storedSecret()], storedSecret, digest }))
  return async (text) => (await hash())(text)
}

/**
 * Returns the keyed hashes of a conversation, computed from its owner, its source and its source id as the contributor
 * sent it. The hashes do not depend on the scrubbed name, so rules, blocked terms and the rest of the trace may change.
 * A reader who has only the database cannot find a name by trying many names.
 */
export function conversationHashes(
  keyed: HmacCode,
  ownerId: string,
  { source, sourceId }: Pick<TraceName, 'source' | 'sourceId'>,
): ReturnType<HmacCode> {
  return keyed(`conversation\n${JSON.stringify([ownerId, source, sourceId])}`)
}

/**
 * Returns the keyed hashes of a scrubbed name. Before conversations had keyed hashes, these hashes identified a trace
 * after its deletion.
 */
export function formerNameHashes(
  keyed: HmacCode,
  ownerId: string,
  { source, sourceId, segmentIndex }: TraceName,
): ReturnType<HmacCode> {
  return keyed(`deleted trace\n${JSON.stringify([ownerId, source, sourceId, segmentIndex ?? 0])}`)
}

/** Replaces the name of a trace when the name itself was refused. */
export const refusedName = '[REFUSED]'
/** Replaces a name that only the messages of its trace identify as a person's name. */
export const unnamed = '[NAME]'

export interface KeepNameParams {
  /** The name before it was scrubbed. */
  readonly name: string
  /** The name as it was scrubbed together with the messages of its trace. */
  readonly scrubbed: string
  /** Scrubs a text alone. Returns null when it is refused. */
  readonly scrubAlone: (text: string) => Promise<string | null>
  readonly makeTail: () => string
}

/**
 * Returns the name of a trace as it is shown. Two names that are scrubbed to the same placeholder should look
 * different, so a name that the scrubber changed gets a tail. Placeholders are numbered as if the name was scrubbed
 * alone, so that a trace and its child traces show the same name for it.
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
 * Returns the tail of a scrubbed name: 48 bits that depend on the owner's id and the name. The same name of another
 * owner has different bits, so a reader cannot find an e-mail address by trying many addresses.
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

/** The maximum number of characters of a title. */
const maxTitle = 80

/**
 * Returns the title of a conversation: the first 80 characters of the first line that is not blank, in the first user
 * message with such a line. Returns null if no user message has such a line.
 */
export function titleOf(
  messages: readonly { readonly role?: string | null | undefined; readonly content: string }[],
): string | null {
  const content = messages.find(({ role }) => role === 'user')?.content ?? ''
  const line = /\S[^\r\n]*/.exec(content)?.[0].trim() ?? ''
  return line === ''
    ? null
    : Array.from(line.slice(0, maxTitle * 2))
        .slice(0, maxTitle)
        .join('')
}

/**
 * Returns a title as a page or a terminal shows it, in at most `length` characters. A title is shortened if it is
 * longer, or if it has the 80 characters at which titles are cut. It then ends with `…` after its last whole word,
 * without a full stop. It never ends inside a placeholder such as `[EMAIL_1]`, or between `TOKEN=` and its placeholder.
 */
export function displayTitle(title: string, length = maxTitle): string {
  const characters = Array.from(title)
  if (characters.length <= length && characters.length < maxTitle) return title
  const kept = characters.slice(0, length - 1).join('')
  const placeholder = kept.search(/\[[A-Z0-9_]*$/)
  const whole = placeholder >= 0 ? kept.slice(0, placeholder) : kept
  const endsWord = placeholder < 0 && /^\s/.test(title.slice(kept.length))
  const space = endsWord ? kept.length : whole.search(/\s\S*$/)
  const end = space >= length / 2 ? space : whole.length
  return `${kept.slice(0, end).replace(/[\s.…]+$/, '')}…`
}

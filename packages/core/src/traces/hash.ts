import { toHex } from '../ids.ts'
import type { Digest } from '../ports.ts'
import { defaultDigest } from '../system.ts'

/** The parts of a message that its content hash covers. Other keys are ignored. */
export interface HashedMessage {
  readonly role?: string | null | undefined
  readonly content: string
  /** The position of the message. Default: the array index. */
  readonly position?: number | null | undefined
}

/**
 * Returns the content hash of a trace: lower-case hexadecimal SHA-256 of the UTF-8 of `JSON.stringify([[role or null,
 * content], ...])`, messages in the order of their positions, texts in Unicode NFC. Clients send this hash to `POST
 * /api/traces/known`, and `GET /api/traces/:id/download` returns it. The hash covers the sent text, before scrubbing,
 * so a client can compute the hash before it uploads. A lone surrogate is hashed as the `\udXXX` escape of
 * JSON.stringify.
 *
 * ```ts
 * contentHash([{ role: 'user', content: 'hi' }]) // SHA-256 of [["user","hi"]]
 * ```
 *
 * `digest` is the platform's SHA-256, if there is one; the default is plain JavaScript.
 */
export function contentHash(messages: readonly HashedMessage[], digest: Digest = defaultDigest): string {
  const pairs = sortByPosition(messages).map(({ role, content }) => [
    role == null ? null : composeText(role),
    composeText(content),
  ])
  return toHex(digest(JSON.stringify(pairs)))
}

/** Returns the messages by position. Returns the list itself if it is already in order, which is the usual case. */
function sortByPosition(messages: readonly HashedMessage[]): readonly HashedMessage[] {
  const readPosition = ({ position }: HashedMessage, index: number): number => position ?? index
  let last = -Infinity
  for (const [index, message] of messages.entries()) {
    const at = readPosition(message, index)
    if (at < last)
      return messages
        .map((one, i) => ({ one, at: readPosition(one, i) }))
        .sort((a, b) => a.at - b.at)
        .map(({ one }) => one)
    last = at
  }
  return messages
}

/**
 * Normalizes to NFC. NFC does not change characters below U+0300, and V8 answers this test immediately for a one-byte
 * string.
 */
function composeText(text: string): string {
  return /[\u0300-\uffff]/.test(text) ? text.normalize('NFC') : text
}

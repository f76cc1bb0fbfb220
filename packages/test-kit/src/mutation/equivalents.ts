import type { Mutant } from './plugin.ts'

/** A change that tests cannot notice, because a caller cannot see any difference. */
export interface Equivalent {
  /** The path from core's `src`. */
  readonly file: string
  /** The changed lines of the mutant, with each run of spaces as one space. */
  readonly mutated: string
  readonly why: string
}

/** Returns the changed lines of a mutant, in the form in which `equivalents` has them. */
export function mutatedLines(text: string, { start, end, replacement }: Mutant): string {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const to = text.indexOf('\n', end)
  return `${text.slice(from, start)}${replacement}${text.slice(end, to === -1 ? undefined : to)}`
    .replace(/\s+/g, ' ')
    .trim()
}

const cache = 'It only decides how much is kept in memory.'
const copies = 'It only decides whether bytes are copied; they are the same.'
const spare = 'These bits are cut off, or this index is never reached.'
const nextPage = 'One row beyond the page tells that another follows; two tell the same.'

/** Changes that `npm run mutants` leaves out of its score. */
export const equivalents: readonly Equivalent[] = [
  { file: 'ads/nonce.ts', mutated: 'for (let index = 0; index <= bytes.length; index += 3) {', why: spare },
  {
    file: 'ads/nonce.ts',
    mutated:
      'const group = ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? (0 + 1)) << 8) | (bytes[index + 2] ?? 0)',
    why: spare,
  },
  {
    file: 'ads/nonce.ts',
    mutated:
      'const group = ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? (0 + 1))',
    why: spare,
  },
  { file: 'ads/nonce.ts', mutated: 'let buffer = (0 + 1)', why: spare },
  { file: 'ads/nonce.ts', mutated: 'if (index <= 16) bytes[index++] = (buffer >> bits) & 0xff', why: spare },
  { file: 'ads/nonce.ts', mutated: 'if (index < (16 + 1)) bytes[index++] = (buffer >> bits) & 0xff', why: spare },
  { file: 'ads/nonce.ts', mutated: 'if (!(keys.size >= 16)) keys.clear()', why: cache },
  { file: 'ads/nonce.ts', mutated: 'if (keys.size > 16) keys.clear()', why: cache },
  { file: 'ads/nonce.ts', mutated: 'if (keys.size >= (16 + 1)) keys.clear()', why: cache },
  {
    file: 'ads/nonce.ts',
    mutated: 'for (let index = 0; index <= a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index)',
    why: spare,
  },
  {
    file: 'auth/rules.ts',
    mutated: 'const crcTable = Uint32Array.from({ length: (256 + 1) }, (_, byte) => {',
    why: spare,
  },
  {
    file: 'auth/operator.ts',
    mutated: 'if (name === undefined && token === undefined)',
    why: 'Either both parts of the pattern are found or none.',
  },
  {
    file: 'auth/operator.ts',
    mutated: 'for (const [i, byte] of a.entries()) difference |= byte ^ (b[i] ?? (0 + 1))',
    why: 'Both are SHA-256, so neither is shorter.',
  },
  { file: 'auth/authenticator.ts', mutated: 'generation = (0 + 1)', why: 'Only changes of it are compared.' },
  {
    file: 'auth/sign-in.ts',
    mutated:
      "(await consumeRate('mail_address', (browserHash ?? toHex(digest(mailboxOf(to)))).slice((0 + 1), 32), now))",
    why: 'Any part of the hash names the address to the limiter.',
  },
  {
    file: 'auth/sign-in.ts',
    mutated:
      "(await consumeRate('mail_address', (browserHash ?? toHex(digest(mailboxOf(to)))).slice(0, (32 + 1)), now))",
    why: 'Any part of the hash names the address to the limiter.',
  },
  {
    file: 'http/body.ts',
    mutated: "const sent = firstOf((request.headers['content-type'] ?? '').split(';', (1 + 1)))",
    why: 'Only the first part is read.',
  },
  {
    file: 'http/body.ts',
    mutated: 'if (size === (0 + 1) && part.byteLength < declared && declared <= limit) room = new Uint8Array(declared)',
    why: copies,
  },
  {
    file: 'http/body.ts',
    mutated: 'if (size === 0 && part.byteLength < declared && declared < limit) room = new Uint8Array(declared)',
    why: copies,
  },
  {
    file: 'http/body.ts',
    mutated: 'if (room && size + part.byteLength < room.byteLength) room.set(part, size)',
    why: copies,
  },
  {
    file: 'http/body.ts',
    mutated: 'if (parts.length === 1 || size === declared && only?.buffer instanceof ArrayBuffer)',
    why: copies,
  },
  { file: 'http/body.ts', mutated: 'done = false', why: 'A stream that ended ignores that it is cancelled.' },
  { file: 'http/body.ts', mutated: 'if (left >= 0) persons.set(personKey, left)', why: cache },
  {
    file: 'http/body.ts',
    mutated: 'if (counted >= 0) remove(personKey, counted)',
    why: 'Nothing is removed where nothing was counted.',
  },
  { file: 'ingest/encryption.ts', mutated: 'const parallelFrames = (4 + 1)', why: cache },
  {
    file: 'ingest/encryption.ts',
    mutated: "crypto.subtle.importKey('raw', bytes as BufferSource, 'AES-GCM', true, ['encrypt', 'decrypt'])",
    why: 'No key leaves the file.',
  },
  {
    file: 'ingest/encryption.ts',
    mutated: 'for (let first = 0; first <= frames; first += parallelFrames) {',
    why: spare,
  },
  {
    file: 'stores/libsql/dataset.ts',
    mutated: "selectSoldPieces({ saleId, after: cursor ?? '', limit: limit + (1 + 1) }),",
    why: nextPage,
  },
  {
    file: 'stores/libsql/ledger.ts',
    mutated: 'selectPage({ ownerId, before, limit: limit + (1 + 1) }),',
    why: nextPage,
  },
  {
    file: 'stores/libsql/trace-list.ts',
    mutated: 'const rows = filter ? [] : await db.read(selectTraces({ ownerId, before, limit: limit + (1 + 1) }))',
    why: nextPage,
  },
  { file: 'stores/libsql/idempotency.ts', mutated: '.set({ leaseUntil: (0 + 1) })', why: 'Both are long ago.' },
  {
    file: 'stores/libsql/limiter.ts',
    mutated: 'state.full = { cost: 0, until: (0 + 1) }',
    why: 'Its time is long ago, so its cost is not read.',
  },
  {
    file: 'stores/libsql/limiter.ts',
    mutated: 'state.full = { cost: (0 + 1), until: 0 }',
    why: 'Its time is long ago, so its cost is not read.',
  },
  {
    file: 'stores/libsql/limiter.ts',
    mutated: 'full: { cost: 0, until: (0 + 1) },',
    why: 'Its time is long ago, so its cost is not read.',
  },
  {
    file: 'stores/libsql/limiter.ts',
    mutated: 'full: { cost: (0 + 1), until: 0 },',
    why: 'Its time is long ago, so its cost is not read.',
  },
]

import type { Random } from './ports.ts'

const decoder = new TextDecoder()

/** Returns bytes as lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  // The text is built from character codes: each authenticated request looks up such a text, and looking up a text that
  // was joined from pieces takes twice as long.
  const codes = new Uint8Array(bytes.length * 2)
  let at = 0
  for (const byte of bytes) {
    codes[at++] = codeOfDigit(byte >> 4)
    codes[at++] = codeOfDigit(byte & 15)
  }
  return decoder.decode(codes)
}

/** Returns the code of a hexadecimal digit: `0` to `9`, or `a` to `f`. */
const codeOfDigit = (digit: number): number => (digit < 10 ? 48 : 87) + digit

/** Creates a UUID version 7 (RFC 9562): 48 bits of `now` in milliseconds and 74 random bits. It sorts by time. */
export function uuid7(now: number, random: Random): string {
  const bytes = new Uint8Array(16)
  bytes.set(random(10), 6)
  let time = Math.floor(now)
  for (let i = 5; i >= 0; i--) {
    bytes[i] = time % 256
    time = Math.floor(time / 256)
  }
  writeVersion(bytes, 7)
  return uuidText(bytes)
}

/** Returns when a UUID version 7 was created, in milliseconds since 1970. */
export const timeOfUuid = (uuid: string): number => Number.parseInt(uuid.replace('-', '').slice(0, 12), 16)

/** The maximum number of UUIDs whose random bytes `crypto.getRandomValues` returns in one call. */
const uuidsPerCall = 4_096

/** Creates UUIDs version 4: 122 random bits each, so that they do not reveal their time. */
export function randomUuids(count: number, random: Random): string[] {
  const uuids: string[] = []
  while (uuids.length < count) {
    const bytes = new Uint8Array(random(16 * Math.min(count - uuids.length, uuidsPerCall)))
    for (let at = 0; at < bytes.length; at += 16) {
      const uuid = bytes.subarray(at, at + 16)
      writeVersion(uuid, 4)
      uuids.push(uuidText(uuid))
    }
  }
  return uuids
}

/** Writes the version and the variant into the random bytes of a UUID (RFC 9562). */
function writeVersion(bytes: Uint8Array, version: number): void {
  bytes[6] = (version << 4) | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
}

/** The character codes of the UUID that is written, with hyphens between its digits. */
const uuidCodes = new Uint8Array(36).fill(45)

/** Returns the UUID of 16 bytes. */
export function uuidText(bytes: Uint8Array): string {
  // Almost every request gets a UUID. To insert hyphens into a text of digits would take four times as long.
  let at = 0
  for (const byte of bytes) {
    if (at === 8 || at === 13 || at === 18 || at === 23) at++
    uuidCodes[at++] = codeOfDigit(byte >> 4)
    uuidCodes[at++] = codeOfDigit(byte & 15)
  }
  return decoder.decode(uuidCodes)
}

/** Returns the 16 bytes of a UUID. */
export function uuidBytes(uuid: string): Uint8Array<ArrayBuffer> {
  const digits = uuid.replaceAll('-', '')
  return Uint8Array.from({ length: 16 }, (_, at) => Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16))
}

/** Returns a time in the format of replies: ISO 8601 in UTC with milliseconds and `Z`. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString()
}

/** Returns the timestamp of a time that may be null. */
export function timestampOrNull(ms: number | null): string | null {
  return ms === null ? null : timestamp(ms)
}

/** The milliseconds of a day. */
export const dayMs = 24 * 60 * 60 * 1000

/** Returns the UTC day of a time, in days since 1970. */
export function utcDay(ms: number): number {
  return Math.floor(ms / dayMs)
}

/** Returns a UTC day since 1970 as a date: `2026-11-22`. */
export function dateOfDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** Returns the last eight characters of an id, which are random. The first characters reveal the time of the id. */
export function shortId(id: string): string {
  return id.slice(-8)
}

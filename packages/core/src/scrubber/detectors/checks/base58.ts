import { sha256 } from '@noble/hashes/sha2.js'

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/**
 * Returns whether a string is valid Base58Check, as in Bitcoin: its last four bytes equal the first four bytes of the
 * double SHA-256 hash of all bytes before them.
 */
export function isBase58Check(text: string): boolean {
  const bytes: number[] = []
  for (const char of text) {
    let carry = ALPHABET.indexOf(char)
    if (carry < 0) return false
    for (const [i, byte] of bytes.entries()) {
      carry += byte * 58
      bytes[i] = carry & 0xff
      carry >>= 8
    }
    for (; carry > 0; carry >>= 8) bytes.push(carry & 0xff)
  }
  for (let i = 0; text[i] === '1'; i++) bytes.push(0)
  const all = Uint8Array.from(bytes.reverse())
  const sum = sha256(sha256(all.slice(0, -4)))
  return all.length > 4 && all.slice(-4).every((byte, i) => byte === sum[i])
}

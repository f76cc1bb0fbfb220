import { existsSync, readFileSync } from 'node:fs'
import { readSigner, type PackageSigner } from '../../dataset/signing.ts'
import { defineFlags, UsageError, type FlagValues } from './flag.ts'

/** The keys that sign packages: servers publish their public keys, and exports sign with the newest. */
export const signingFlags = defineFlags({
  'signing-key': {
    kind: 'text',
    placeholder: 'NEW,OLD',
    help:
      'Ed25519 keys that sign packages of the dataset, newest first: files, PKCS #8 PEM or base64 seeds; ' +
      'KEY@FROM/UNTIL also states the dates of its use (default: packages are unsigned)',
  },
})

/** Returns the signers, newest first. Throws `UsageError` for a key that cannot be read. */
export function parseSigners(flags: FlagValues<typeof signingFlags>): readonly PackageSigner[] {
  const given = (flags['signing-key'] ?? '').split(',').filter((part) => part.trim() !== '')
  return given.map((part, index) => {
    const [, key, from, until] = /^(.*?)(?:@(\d{4}-\d\d-\d\d)?\/(\d{4}-\d\d-\d\d)?)?$/s.exec(part.trim())!
    const dates = { from: toTime(from), until: toTime(until) }
    try {
      return readSigner(existsSync(key!) ? readFileSync(key!, 'utf8') : key!, dates)
    } catch (error) {
      // The text may be a private key, so no message repeats it.
      const { code, message } = error as NodeJS.ErrnoException
      throw new UsageError(
        `--signing-key: key ${index + 1} is neither a file that can be read nor an Ed25519 key (${code ?? message}). ` +
          'Create one with: openssl genpkey -algorithm ed25519 -out signing-key.pem',
      )
    }
  })
}

const toTime = (date: string | undefined): string | null =>
  date === undefined ? null : new Date(`${date}T00:00:00Z`).toISOString()

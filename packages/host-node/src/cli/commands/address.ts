import { mkdirSync } from 'node:fs'
import { UsageError } from '../flags.ts'
import { smtpServer } from '../../mail.ts'

/** The address that people and clients reach, as it may be. Throws `UsageError`; `wanted` says what to do without one. */
export function baseOf(
  url: string | undefined,
  wanted = 'Say where people reach the service: --base-url https://api.example.com',
): string {
  if (!url) throw new UsageError(wanted)
  if (!URL.canParse(url)) throw new UsageError(`--base-url is an address like https://api.example.com, not "${url}".`)
  const { protocol, hostname, search, hash, username, password } = new URL(url)
  const near = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (protocol !== 'https:' && !(protocol === 'http:' && near)) {
    throw new UsageError(
      `--base-url must be https: "${url}" would send tokens in the clear. Put a proxy with a certificate before the service; it may speak http to it.`,
    )
  }
  if (search || hash || username || password)
    throw new UsageError('--base-url is scheme, host and path alone: no query, no fragment, no password.')
  return url
}

/** A mail server and a sender. Throws `UsageError`, without the address, which holds a password. */
export function smtpOf(url: string, from: string): { url: string; from: string } {
  try {
    smtpServer(url)
  } catch (error) {
    throw new UsageError(`--smtp-url: ${(error as Error).message}.`)
  }
  if (!/^(?:[^<>]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/.test(from.trim()))
    throw new UsageError(
      `--mail-from is an address like hello@example.com, or "Name <hello@example.com>", not "${from}".`,
    )
  return { url, from }
}

/** Origins as browsers send them. Throws `UsageError`. */
export function originsOf(list: string): string[] {
  return list
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => {
      if (
        !URL.canParse(one) ||
        !/^https?:$/.test(new URL(one).protocol) ||
        new URL(one).origin !== one.replace(/\/$/, '').toLowerCase()
      ) {
        throw new UsageError(
          `--origins are origins like https://app.example.com, without a path, divided by commas; not "${one}".`,
        )
      }
      return new URL(one).origin
    })
}

/** The path before requests, `` or `/tributary`. Throws `UsageError`. */
export function prefixOf(path: string): string {
  const prefix = path.replace(/\/+$/, '')
  if (!/^(?:\/[A-Za-z0-9._~-]+)*$/.test(prefix))
    throw new UsageError(`--prefix is a path like /tributary, or "/" for none; not "${path}".`)
  return prefix
}

/** A folder that is there from now on. Throws `UsageError`. */
export function folderOf(flag: string, folder: string): string {
  try {
    mkdirSync(folder, { recursive: true })
    return folder
  } catch (error) {
    throw new UsageError(
      `--${flag}: ${folder} can be no folder here (${String((error as { code?: unknown }).code)}). See that the path is right and that this user may write there.`,
    )
  }
}

import { mkdirSync } from 'node:fs'
import { smtpServer } from '../../mail.ts'
import { describeFileError } from '../system-errors.ts'
import { UsageError } from './flag.ts'

/** Returns a valid public URL of the service. Throws `UsageError`; `required` is its message when no URL is given. */
export function parseBaseUrl(
  url: string | undefined,
  required = '--base-url is required, such as --base-url https://api.example.com',
): string {
  if (!url) throw new UsageError(required)
  if (!URL.canParse(url))
    throw new UsageError(`--base-url: expected a URL such as https://api.example.com, not "${url}"`)
  const { protocol, hostname, search, hash, username, password } = new URL(url)
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback)) {
    throw new UsageError(
      `--base-url must be https: tokens to "${url}" would be sent unencrypted. Put a TLS proxy in front of the service`,
    )
  }
  if (search || hash || username || password)
    throw new UsageError('--base-url must not contain a query, a fragment, a user or a password')
  return url
}

/**
 * Returns a valid mail server and sender. Throws `UsageError`; its message does not contain the URL, which may contain
 * a password.
 */
export function parseSmtp(url: string, from: string): { url: string; from: string } {
  try {
    smtpServer(url)
  } catch (error) {
    throw new UsageError(`--smtp-url: ${(error as Error).message}`)
  }
  if (!/^(?:[^<>]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/.test(from.trim()))
    throw new UsageError(
      `--mail-from: expected an address such as hello@example.com or "Name <hello@example.com>", not "${from}"`,
    )
  return { url, from }
}

/** Returns the values of a comma-separated list, without empty values. */
export function splitList(list: string | undefined): string[] {
  return (list ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

/** Returns comma-separated origins as browsers send them. Throws `UsageError`. */
export function parseOrigins(list: string): string[] {
  return splitList(list).map((item) => {
    const url = URL.canParse(item) ? new URL(item) : null
    if (!url || !/^https?:$/.test(url.protocol) || url.origin !== item.replace(/\/$/, '').toLowerCase())
      throw new UsageError(`--origins: expected comma-separated origins such as https://app.example.com, not "${item}"`)
    return url.origin
  })
}

/** Returns the path prefix of requests, empty or like `/tributary`. Throws `UsageError`. */
export function parsePrefix(path: string): string {
  const prefix = path.replace(/\/+$/, '')
  if (!/^(?:\/[A-Za-z0-9._~-]+)*$/.test(prefix))
    throw new UsageError(`--prefix: expected a path such as /tributary, or "/" for none, not "${path}"`)
  return prefix
}

/** Creates a folder unless it exists, and returns it. Throws `UsageError`. */
export function createFolder(flag: string, folder: string): string {
  try {
    mkdirSync(folder, { recursive: true })
    return folder
  } catch (error) {
    const code = String((error as { code?: unknown }).code)
    throw new UsageError(
      `--${flag}: ${describeFileError(error) ?? `cannot create the folder ${folder} (${code}); check the path`}`,
    )
  }
}

import type * as z from 'zod'
import type { HmacCode, Secrets } from '../../auth/hmac.ts'
import { openText, sealText } from '../../sealed-text.ts'
import { timestamp, timestampOrNull, toHex } from '../../ids.ts'
import type { Digest, Random } from '../../ports.ts'
import type { AccountExport } from './contract.ts'
import type { PreparedExport } from './store.ts'

export interface ExportLinkDeps extends Secrets {
  readonly hmacCode: HmacCode
  readonly digest: Digest
  readonly link: (path: string) => string
}

/** Returns the hash of the last part of an export's URL. The export is stored under this hash. */
export const hashSecret = (secret: string, { digest }: Pick<ExportLinkDeps, 'digest'>): string => toHex(digest(secret))

/**
 * Returns the secrets with which the URL of an export may end; a new export uses the first secret. The secrets are
 * derived from the export's id under the service's secrets, so that the store does not contain them.
 */
export const exportSecrets = (id: string, { hmacCode }: Pick<ExportLinkDeps, 'hmacCode'>): ReturnType<HmacCode> =>
  hmacCode(`account export\n${id}`)

const describePlace = (id: string) => ({ purpose: 'account export', id })

/** Encrypts the URL at which the blob store serves an export, because anyone with this URL may download the export. */
export const sealUrl = (deps: Secrets & { readonly random: Random }, id: string, url: string): Promise<string> =>
  sealText(deps, describePlace(id), url)

/** Returns the JSON representation of a prepared export. */
export async function exportView(
  { id, status, requestedAt, bytes, expiresAt, url, secretHash }: PreparedExport,
  deps: ExportLinkDeps,
): Promise<z.input<typeof AccountExport>> {
  const secret = (await exportSecrets(id, deps)).find((one) => hashSecret(one, deps) === secretHash)
  const ownUrl = secret === undefined ? null : deps.link(`/api/account/exports/files/${secret}`)
  return {
    id,
    status,
    requestedAt: timestamp(requestedAt),
    bytes,
    expiresAt: timestampOrNull(expiresAt),
    url: status !== 'ready' ? null : url === null ? ownUrl : await openText(deps, describePlace(id), url),
  }
}

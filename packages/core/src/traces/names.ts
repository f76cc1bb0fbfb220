import { createHmacCode, type HmacCode, type Secrets } from '../auth/hmac.ts'
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
 * Returns the keyed hashes of a conversation: of its owner, its source and its source id as the contributor sent it.
 * They do not depend on the scrubbed name, so rules, blocked terms and the rest of the trace may change. A reader who
 * has only the database cannot find a name by trying many.
 */
export function conversationHashes(
  keyed: HmacCode,
  ownerId: string,
  { source, sourceId }: Pick<TraceName, 'source' | 'sourceId'>,
): ReturnType<HmacCode> {
  return keyed(`conversation\n${JSON.stringify([ownerId, source, sourceId])}`)
}

/**
 * Returns the keyed hashes of a scrubbed name, by which a trace was recognized after its deletion before conversations
 * had keyed hashes.
 */
export function formerNameHashes(
  keyed: HmacCode,
  ownerId: string,
  { source, sourceId, segmentIndex }: TraceName,
): ReturnType<HmacCode> {
  return keyed(`deleted trace\n${JSON.stringify([ownerId, source, sourceId, segmentIndex ?? 0])}`)
}

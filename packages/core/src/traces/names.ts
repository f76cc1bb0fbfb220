import type { HmacCode } from '../auth/hmac.ts'
import type { TraceName } from './store.ts'

/**
 * Returns keyed hashes of a trace's name, the one to keep first: by them a deleted conversation is known again when it
 * grew longer. The others are of older secrets. Whoever has the database alone cannot try names on them.
 */
export function nameHashes(
  keyed: HmacCode,
  ownerId: string,
  { source, sourceId, segmentIndex }: TraceName,
): ReturnType<HmacCode> {
  return keyed(`deleted trace\n${JSON.stringify([ownerId, source, sourceId, segmentIndex ?? 0])}`)
}

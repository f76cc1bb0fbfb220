import type { HmacCode } from '../auth/hmac.ts'
import type { MakeEvent } from '../events/event.ts'
import { formerNameHashes } from './names.ts'
import type { TraceStore } from './store.ts'

export interface DeletionDeps {
  readonly traces: TraceStore
  readonly makeEvent: MakeEvent
  /** Returns the keyed hashes of a text, one for each secret of the deployment, the newest secret first. */
  readonly keyed: HmacCode
}

/**
 * Deletes the traces that were never sold. The keyed hashes of their conversations are kept, so that the conversations
 * are still recognized.
 */
export async function deleteTraces(
  { traces, keyed, makeEvent }: DeletionDeps,
  ownerId: string,
  ids: readonly string[],
  now: number,
): ReturnType<TraceStore['deleteUnsoldTraces']> {
  const hashes: Record<string, string> = {}
  for (const { id, ...name } of await traces.listFormerNames({ ownerId, ids }))
    hashes[id] = (await formerNameHashes(keyed, ownerId, name))[0]
  return traces.deleteUnsoldTraces({
    ownerId,
    ids,
    formerNameHashes: hashes,
    makeEvent: () => makeEvent('traces.deleted', now),
  })
}

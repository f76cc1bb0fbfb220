import { JsonText, type AccountPart } from './contributors/store.ts'
import type { Kit } from './config.ts'
import { ingestAccount } from './ingest/account.ts'
import { sessionAccount } from './sessions/account.ts'
import type { Identification } from './sessions/who.ts'
import { exportDocuments } from './traces/handlers.ts'

async function* jsonTexts(documents: AsyncIterable<string>): AsyncGenerator<JsonText> {
  for await (const document of documents) yield new JsonText(document)
}

/**
 * What is held of a person, part by part, in the order of erasure: sessions last, since every record hangs on the person's row
 * and their token must last until then.
 */
export function accountParts(kit: Kit, who: Identification): AccountPart[] {
  const { stores, blobs } = kit
  const { traces } = stores
  const part = (name: string, store: Pick<AccountPart, 'export' | 'erase'>): AccountPart => ({ name, export: (id) => store.export(id), erase: (id) => store.erase(id) })
  return [
    // First, so that no worker stores anything after the traces went.
    part('jobs', ingestAccount({ store: stores.ingest, blobs })),
    { name: 'traces', export: (id) => jsonTexts(exportDocuments(traces, id, kit)), erase: (id) => traces.erase(id) },
    // Erased with the traces.
    { name: 'deletedHashes', export: (id) => traces.exportDeletedHashes(id), erase: async () => {} },
    part('contributor', stores.contributors),
    part('policy', stores.policy),
    part('ads', stores.ads),
    part('telemetry', stores.telemetry),
    part('idempotencyKeys', stores.idempotency),
    part('program', stores.program),
    part('sessions', sessionAccount(stores.sessions, who)),
  ]
}

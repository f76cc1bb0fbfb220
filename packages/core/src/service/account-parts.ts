import { dayCountView } from '../ads/rules.ts'
import { exportKeys } from '../contributors/account/rules.ts'
import { JsonText, type AccountPart } from '../contributors/store.ts'
import { ingestAccount } from '../ingest/account.ts'
import { entryView, requestView } from '../ledger/rules.ts'
import { buildRemovalMail } from '../traces/buyers/mail.ts'
import { exportDocuments } from '../traces/export.ts'
import type { ResolvedOptions } from './resolve-options.ts'

/** A store whose data of one user is exported and erased as a whole. */
interface OwnedStore {
  export(params: { readonly ownerId: string }): Promise<unknown> | AsyncIterable<unknown>
  erase(params: { readonly ownerId: string }): Promise<boolean>
}

async function* jsonTexts(documents: AsyncIterable<string>): AsyncGenerator<JsonText> {
  for await (const document of documents) yield new JsonText(document)
}

/**
 * Returns the parts of an account in the order of erasure: sessions come last, because every record refers to the
 * person's row. An account export has one entry for each part.
 */
export function accountParts({ stores, blobs, ...resolved }: ResolvedOptions): AccountPart[] {
  const { traces } = stores
  const { clock, languages, link, makeEvent } = resolved
  const storePart = (name: string, store: OwnedStore): AccountPart => ({
    name,
    export: (ownerId) => store.export({ ownerId }),
    erase: (ownerId) => store.erase({ ownerId }),
  })
  return [
    // Jobs come first, so that no worker stores anything after the traces are deleted.
    storePart('jobs', ingestAccount({ store: stores.ingest, blobs })),
    {
      name: 'traces',
      export: (id) => jsonTexts(exportDocuments(traces, id, resolved)),
      async erase(ownerId, _, id) {
        const now = clock()
        const mail = buildRemovalMail('erased', { link, ...(await languages()).first })
        const event = makeEvent('trace.removal_requested', now)
        return traces.eraseTraces({ ownerId, notice: { id, at: now, event, mail } })
      },
    },
    // These three parts are erased with the traces.
    { name: 'conversations', export: (id) => traces.exportConversations({ ownerId: id }), erase: async () => false },
    { name: 'deletedHashes', export: (id) => traces.exportDeletedHashes({ ownerId: id }), erase: async () => false },
    { name: 'deletedNames', export: (id) => traces.exportDeletedNames({ ownerId: id }), erase: async () => false },
    storePart('contributor', stores.contributors),
    storePart('blockedTerms', stores.blockedTerms),
    storePart('policy', stores.policy),
    {
      name: 'ads',
      async export(ownerId) {
        const { days, ...rest } = await stores.ads.export({ ownerId })
        return { days: days.map(dayCountView), ...rest }
      },
      erase: (ownerId) => stores.ads.erase({ ownerId }),
    },
    storePart('telemetry', stores.telemetry),
    // The keys are stored under the id that the person had before the erasure.
    {
      name: 'idempotencyKeys',
      export: (id) => stores.idempotency.export({ ownerId: id }),
      erase: (_, formerId) => stores.idempotency.erase({ ownerId: formerId }),
    },
    {
      name: 'program',
      export: (ownerId) => stores.program.listDevices({ ownerId }),
      erase: (ownerId) => stores.program.erase({ ownerId }),
    },
    // An erasure keeps the entries, without the person's id.
    {
      name: 'ledger',
      export: async (ownerId) => (await stores.ledger.export({ ownerId })).map(entryView),
      erase: (ownerId) => stores.ledger.erase({ ownerId }),
    },
    // Payout requests are erased with the ledger.
    {
      name: 'payoutRequests',
      export: async (id) => (await stores.ledger.exportPayoutRequests({ ownerId: id })).map(requestView),
      erase: async () => false,
    },
    {
      name: 'exports',
      export: (ownerId) => stores.account.listExports({ ownerId }),
      async erase(ownerId) {
        const { exports, hasMore } = await stores.account.eraseExports({ ownerId })
        for (const stored of exports) for (const key of exportKeys(stored)) await blobs.delete(key)
        return hasMore
      },
    },
    storePart('sessions', stores.auth),
  ]
}

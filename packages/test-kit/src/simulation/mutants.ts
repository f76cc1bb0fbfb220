/** A guard that is removed from the source of core, and a seed with which the simulation then fails. */
export interface PlantedMutant {
  readonly name: string
  /** The path below `packages/core/src`. */
  readonly file: string
  /** A reference for `findMutants`, which names one change. */
  readonly change: string
  /** Whether the product once had this defect and a simulation found it. */
  readonly wasDefect?: true
  /** A seed that fails with the mutant. */
  readonly seed: number
}

/** The planted mutants by file. */
const byFile: Readonly<Record<string, readonly Omit<PlantedMutant, 'file'>[]>> = {
  'ads/serving.ts': [
    { name: 'the ad network learns ids without consent', change: 'decideAd === attribution', seed: 1 },
  ],
  'contributors/policy/rules.ts': [
    { name: 'a contributor uploads during a pause', change: 'policyReason || operatorPaused', seed: 8 },
  ],
  'events/delivery.ts': [
    {
      name: 'an event whose delivery failed is not sent again',
      change: 'createEventDelivery statement errors',
      seed: 1,
    },
  ],
  'events/webhooks/worker.ts': [
    { name: 'a rotated secret signs no longer', change: 'openSecrets element previousSecret', seed: 92 },
  ],
  'ingest/cleanup.ts': [
    { name: 'the upload of a finished job stays', change: 'cleanUpUploads statement blobs', seed: 3 },
  ],
  'ingest/handlers.ts': [
    { name: 'an upload is dropped although its job was taken', change: 'accept condition withdrawJob', seed: 12 },
  ],
  'service/blob-contents.ts': [
    { name: 'the blob of a deleted trace stays', change: 'deleteReleasedBlobs statement forEachParallel', seed: 5 },
  ],
  'service/resolve-options.ts': [
    {
      name: 'a copy is not recognized where contents are in blobs',
      change: 'copies element readMessages',
      wasDefect: true,
      seed: 46,
    },
  ],
  'service/work.ts': [
    { name: 'a blob that cannot be deleted at once stays', change: 'createWork element deleteReleasedBlobs', seed: 12 },
  ],
  'stores/libsql/ad-clicks.ts': [
    { name: 'a click counts each time that it arrives', change: 'click when clickedAt', seed: 4 },
  ],
  'stores/libsql/applications.ts': [
    { name: 'an application is approved twice', change: 'isReviewable and status', seed: 67 },
  ],
  'stores/libsql/buyers.ts': [
    { name: 'a withdrawal is not audited', change: 'withdrawTrace element recordAudit', seed: 3 },
  ],
  'stores/libsql/campaigns.ts': [
    { name: 'a campaign is not audited', change: 'createCampaign element recordAudit', seed: 3 },
  ],
  'stores/libsql/contributors.ts': [
    { name: 'a pause by an operator is not audited', change: 'setOperatorPause element recordAudit', seed: 5 },
  ],
  'stores/libsql/dataset.ts': [
    {
      name: 'a sale takes traces that were excluded after they were chosen',
      change: 'insertSaleItems and isForSale',
      seed: 47,
    },
    { name: 'a repeated sale counts its traces again', change: 'countSale and isNotAudited', seed: 2 },
    { name: 'a sale is not audited', change: 'saleEffects element recordAudit', seed: 1 },
    { name: 'contributors get no share of a sale', change: 'saleEffects element insertSaleEntries', seed: 1 },
    { name: 'a sale enqueues no event', change: 'saleEffects element enqueueRecorded', seed: 1 },
  ],
  'stores/libsql/device-authorization.ts': [
    { name: 'a device login gives its token again', change: 'pollDeviceLogin.status when isApproved', seed: 19 },
  ],
  'stores/libsql/impressions.ts': [
    { name: 'an impression counts each time that it arrives', change: 'last when outcome', seed: 1 },
    { name: 'a campaign spends more than its budget', change: 'isWithinBudget and spent', seed: 42 },
  ],
  'stores/libsql/ingest-batch.ts': [
    { name: 'a deleted conversation is stored again', change: 'outcome when isDeleted', seed: 4 },
    { name: 'a sold trace is replaced by a longer one', change: 'outcome when saleCount', seed: 6 },
  ],
  'stores/libsql/jobs.ts': [
    { name: 'a worker without the lease of a job writes its traces', change: 'isLeasedToCaller and lease', seed: 1 },
  ],
  'stores/libsql/ledger-changes.ts': [
    { name: 'more is paid out than there is', change: 'isPayable and payableBalance', seed: 8 },
    { name: 'a correction is recorded twice', change: 'insertCorrection and isNewCorrection', seed: 48 },
    { name: 'a payout is not audited', change: 'recordPayout element recordAudit', seed: 17 },
  ],
  'stores/libsql/outbox.ts': [{ name: 'events come in any order', change: 'claimEntries and isBlocked', seed: 1 }],
  'stores/libsql/policy.ts': [
    { name: 'the waitlist is notified twice', change: 'isUnnotified and notifiedAt', seed: 180 },
    {
      name: 'who repeats an entry of the waitlist is mailed again',
      change: 'upsertWaitlistEntry iif notifiedAt',
      wasDefect: true,
      seed: 28,
    },
  ],
  'stores/libsql/reports.ts': [
    { name: 'a report with a key is stored twice', change: 'insertReport and lease', seed: 47 },
  ],
  'stores/libsql/sales-by-filter.ts': [
    { name: 'a step of a sale by filter is done twice', change: 'saleAtStep and after', seed: 13 },
  ],
  'stores/libsql/sellable.ts': [
    { name: 'an excluded trace is for sale', change: 'isForSale and sellExcluded', seed: 5 },
    { name: 'a withdrawn trace is delivered', change: 'isDeliverable and withdrawnAt', seed: 59 },
    { name: 'an erased trace is for sale', change: 'isDeliverable and erasedAt', seed: 19 },
  ],
  'stores/libsql/trace-erasure.ts': [
    { name: 'an erasure leaves the contents of traces', change: 'eraseTraces element eraseContents', seed: 3 },
  ],
  'stores/libsql/traces.ts': [
    { name: 'a sold trace can be deleted', change: 'isUnsold and saleCount', seed: 2 },
    { name: 'a bulk request reaches the traces of others', change: 'isListed and owner', seed: 4 },
    { name: 'a trace is shown to others', change: 'selectTrace and owner', seed: 35 },
    { name: 'the state of a trace is shown to others', change: 'selectState and owner', seed: 8 },
    { name: 'the content of a deleted trace stays', change: 'deleteUnsoldTraces element deleteContents', seed: 4 },
  ],
  'traces/copies/rules.ts': [{ name: 'a copy is sold', change: 'isTaken !== null', seed: 1 }],
  'traces/rescrub.ts': [
    {
      name: 'a blocked term is shown until the trace is scrubbed again',
      change: 'rescrubTrace condition isCurrent',
      seed: 35,
    },
  ],
}

/** All planted mutants. If the simulation passes with one of them, it has lost an actor, a fault or a check. */
export const plantedMutants: readonly PlantedMutant[] = Object.entries(byFile).flatMap(([file, mutants]) =>
  mutants.map((mutant) => ({ file, ...mutant })),
)

/** A guard that is removed from the source of core, and a seed of which the simulation then fails. */
export interface PlantedMutant {
  readonly name: string
  /** Below `packages/core/src`. */
  readonly file: string
  /** Occurs once in the file. */
  readonly from: string
  readonly to: string
  readonly seed: number
}

/** Planted mutants: a simulation that no longer fails with one of them has lost an actor, a fault or a check. */
export const plantedMutants: readonly PlantedMutant[] = [
  {
    name: 'a sold trace can be deleted',
    file: 'stores/libsql/traces.ts',
    from: 'sql`${isListed(listed)} and ${traces.saleCount} = 0`',
    to: 'sql`${isListed(listed)}`',
    seed: 2,
  },
  {
    name: 'a bulk request reaches the traces of others',
    file: 'stores/libsql/traces.ts',
    from: 'in ${jsonValues(ids)} and +${traces.owner} = ${ownerNum(ownerId)}`\nconst isUnsold',
    to: 'in ${jsonValues(ids)} and ${ownerId} is not null`\nconst isUnsold',
    seed: 1,
  },
  {
    name: 'a trace is shown to others',
    file: 'stores/libsql/traces.ts',
    from: 'eq(contents.trace, traces.num))\n    .where(sql`${traces.id} = ${id} and +${traces.owner} = ${ownerNum(ownerId)}`),',
    to: 'eq(contents.trace, traces.num))\n    .where(sql`${traces.id} = ${id} and ${ownerId} is not null`),',
    seed: 8,
  },
  {
    name: 'the state of a trace is shown to others',
    file: 'stores/libsql/traces.ts',
    from: '.from(traces)\n    .where(sql`${traces.id} = ${id} and +${traces.owner} = ${ownerNum(ownerId)}`),',
    to: '.from(traces)\n    .where(sql`${traces.id} = ${id} and ${ownerId} is not null`),',
    seed: 11,
  },
  {
    name: 'the content of a deleted trace stays',
    file: 'stores/libsql/traces.ts',
    from: '.where(sql`${contents.trace} in (select ${traces.num} from ${traces} where ${isDeletable(params)})`),',
    to: '.where(sql`0 and ${contents.trace} in (select ${traces.num} from ${traces} where ${isDeletable(params)})`),',
    seed: 1,
  },
  {
    name: 'a deleted conversation is stored again',
    file: 'stores/libsql/ingest-batch.ts',
    from: "    when ${isDeleted} then 'deleted_before'\n",
    to: '',
    seed: 6,
  },
  {
    name: 'a sold trace is replaced by a longer one',
    file: 'stores/libsql/ingest-batch.ts',
    from: "    when ${samePiece.saleCount} > 0 then 'already_sold'\n",
    to: '',
    seed: 37,
  },
  {
    name: 'an excluded trace is for sale',
    file: 'stores/libsql/sellable.ts',
    from: '${traces.sellExcluded} = 0 and ',
    to: '',
    seed: 3,
  },
  {
    name: 'a sale takes what was excluded after it was chosen',
    file: 'stores/libsql/dataset.ts',
    from: "where ${isForSale} and ${isNotAudited('sale.record', saleId)} order by item.key",
    to: "where ${isNotAudited('sale.record', saleId)} order by item.key",
    seed: 20,
  },
  {
    name: 'a repeated sale counts its traces again',
    file: 'stores/libsql/dataset.ts',
    from: "\n        and ${isNotAudited('sale.record', saleId)}`,",
    to: '`,',
    seed: 13,
  },
  {
    name: 'a step of a sale by filter is done twice',
    file: 'stores/libsql/sales-by-filter.ts',
    from: '        and exists ${saleAtStep(params)}`,',
    to: '        and ${params.after} is not null and ${params.saleId} is not null`,',
    seed: 24,
  },
  {
    name: 'a buyer gets a trace twice',
    file: 'stores/libsql/sellable.ts',
    from: '  isBought: isBoughtBy(buyerKey, saleId),\n',
    to: '  isBought: sql<number>`0 and ${buyerKey} is ${saleId}`,\n',
    seed: 7,
  },
  {
    name: 'a sale is not audited',
    file: 'stores/libsql/dataset.ts',
    from: "  recordAudit(audit, 'sale.record', selectNewSale({ saleId })),\n",
    to: '',
    seed: 1,
  },
  {
    name: 'contributors get no share of a sale',
    file: 'stores/libsql/dataset.ts',
    from: '  insertSaleEntries({ saleId, soldAt, ...shares }),\n',
    to: '',
    seed: 1,
  },
  {
    name: 'a sale is no event',
    file: 'stores/libsql/dataset.ts',
    from: '  enqueueRecorded({ saleId, event }),\n',
    to: '',
    seed: 1,
  },
  {
    name: 'more is paid out than there is',
    file: 'stores/libsql/ledger-changes.ts',
    from: '    and ${micros} <= ${payableBalance(now)}`',
    to: '    and ${micros} <= ${payableBalance(now)} + 10000000`',
    seed: 6,
  },
  {
    name: 'a correction is recorded twice',
    file: 'stores/libsql/ledger-changes.ts',
    from: "sql`not exists (select 1 from ${ledger} where ${ledger.kind} = 'correction' and ${ledger.reference} = ${reference})`",
    to: 'sql`${reference} is not null`',
    seed: 8,
  },
  {
    name: 'a payout is not audited',
    file: 'stores/libsql/ledger-changes.ts',
    from: "recordAudit(audit, 'payout.record', selectPayoutAudit(params))",
    to: "recordAudit(audit, 'payout.record', selectPayoutAudit({ ...params, userId: '' }))",
    seed: 18,
  },
  {
    name: 'a request with a key is done twice at once',
    file: 'stores/libsql/idempotency.ts',
    from: "row.lease === params.lease ? { state: 'claimed', effectId: row.effectId } : { state: 'in_progress' }",
    to: "{ state: 'claimed', effectId: params.effectId }",
    seed: 3,
  },
  {
    name: 'an impression counts as often as it comes',
    file: 'stores/libsql/ads.ts',
    from: "        when ${serves.outcome} is not null then 'replayed'\n",
    to: '',
    seed: 1,
  },
  {
    name: 'a click counts as often as it comes',
    file: 'stores/libsql/ad-clicks.ts',
    from: "        when ${serves.clickedAt} is not null then 'click_replayed'\n",
    to: '',
    seed: 37,
  },
  {
    name: 'a device can be claimed from its owner',
    file: 'stores/libsql/program.ts',
    from: 'on conflict (id) do nothing`',
    to: 'on conflict (id) do update set owner = excluded.owner`',
    seed: 37,
  },
  {
    name: 'events come in any order',
    file: 'stores/libsql/outbox.ts',
    from: '          and ${isDueEntry(now)} and not (${isBlocked})\n        order by ${outbox.dueAt}, ${outbox.num}',
    to: '          and ${isDueEntry(now)}\n        order by ${outbox.dueAt}, ${outbox.num} desc',
    seed: 2,
  },
  {
    name: 'an event whose delivery failed is not sent again',
    file: 'events/delivery.ts',
    from: 'errors.set(id, error)',
    to: 'errors.delete(String(error))',
    seed: 3,
  },
  {
    name: 'the upload of a finished job stays',
    file: 'ingest/cleanup.ts',
    from: '(job !== null && !needed.has(job))',
    to: '(job !== null && !needed.has(job) && now === 0)',
    seed: 2,
  },
  {
    name: 'a worker without the lease of a job writes its traces',
    file: 'stores/libsql/jobs.ts',
    from: 'sql`${jobs.id} = ${jobId} and ${jobs.lease} = ${lease}`',
    to: 'sql`${jobs.id} = ${jobId} and ${lease} is not null`',
    seed: 10,
  },
  {
    name: 'an erasure leaves the traces',
    file: 'service/account-parts.ts',
    from: 'return traces.eraseTraces({ ownerId, notice: { id, at: now, event, mail } })',
    to: 'return ownerId === id && now === 0 && mail !== null && event !== undefined',
    seed: 1,
  },
  {
    name: 'a blocked term is shown until the trace is scrubbed again',
    file: 'traces/rescrub.ts',
    from: 'if (isCurrent(trace, deps.scrubVersion)) return trace.withheld ?? trace',
    to: 'if (trace.id !== "") return trace.withheld ?? trace',
    seed: 11,
  },
  {
    name: 'a copy is not recognized where contents are in blobs',
    file: 'service/lazy-blob-contents.ts',
    from: "lazyMethods(async () => (await loadStores()).copies, ['readMessages'])",
    to: '{}',
    seed: 1004,
  },
  {
    name: 'a campaign is not audited',
    file: 'stores/libsql/campaigns.ts',
    from: "recordAudit(audit, 'campaign.create', selectCreated({ id }))",
    to: "recordAudit(audit, 'campaign.create', selectCreated({ id: '' }))",
    seed: 3,
  },
]

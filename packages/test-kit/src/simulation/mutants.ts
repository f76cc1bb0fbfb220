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
    seed: 1,
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
    seed: 3,
  },
  {
    name: 'the state of a trace is shown to others',
    file: 'stores/libsql/traces.ts',
    from: '.from(traces)\n    .where(sql`${traces.id} = ${id} and +${traces.owner} = ${ownerNum(ownerId)}`),',
    to: '.from(traces)\n    .where(sql`${traces.id} = ${id} and ${ownerId} is not null`),',
    seed: 3,
  },
  {
    name: 'the content of a deleted trace stays',
    file: 'stores/libsql/traces.ts',
    from: '.where(sql`${contents.trace} in (select ${traces.num} from ${traces} where ${isDeletable(params)})`),',
    to: '.where(sql`0 and ${contents.trace} in (select ${traces.num} from ${traces} where ${isDeletable(params)})`),',
    seed: 4,
  },
  {
    name: 'a deleted conversation is stored again',
    file: 'stores/libsql/ingest-batch.ts',
    from: "    when ${isDeleted} then 'deleted_before'\n",
    to: '',
    seed: 16,
  },
  {
    name: 'a sold trace is replaced by a longer one',
    file: 'stores/libsql/ingest-batch.ts',
    from: "    when ${samePiece.saleCount} > 0 then 'already_sold'\n",
    to: '',
    seed: 6,
  },
  {
    name: 'an excluded trace is for sale',
    file: 'stores/libsql/sellable.ts',
    from: '${traces.sellExcluded} = 0 and ',
    to: '',
    seed: 10,
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
    seed: 7,
  },
  {
    name: 'a correction is recorded twice',
    file: 'stores/libsql/ledger-changes.ts',
    from: "sql`not exists (select 1 from ${ledger} where ${ledger.kind} = 'correction' and ${ledger.reference} = ${reference})`",
    to: 'sql`${reference} is not null`',
    seed: 28,
  },
  {
    name: 'a payout is not audited',
    file: 'stores/libsql/ledger-changes.ts',
    from: "recordAudit(audit, 'payout.record', selectPayoutAudit(params))",
    to: "recordAudit(audit, 'payout.record', selectPayoutAudit({ ...params, userId: '' }))",
    seed: 6,
  },
  {
    name: 'a request with a key is done twice at once',
    file: 'stores/libsql/idempotency.ts',
    from: "row.lease === params.lease ? { state: 'claimed', effectId: row.effectId } : { state: 'in_progress' }",
    to: "{ state: 'claimed', effectId: params.effectId }",
    seed: 2,
  },
  {
    name: 'the upload of a finished job stays',
    file: 'ingest/cleanup.ts',
    from: '(job !== null && !needed.has(job))',
    to: '(job !== null && !needed.has(job) && now === 0)',
    seed: 11,
  },
  {
    name: 'an erasure leaves the traces',
    file: 'service/account-parts.ts',
    from: 'return traces.eraseTraces({ ownerId, notice: { id, at: now, event, mail } })',
    to: 'return ownerId === id && now === 0 && mail !== null && event !== undefined',
    seed: 1,
  },
]

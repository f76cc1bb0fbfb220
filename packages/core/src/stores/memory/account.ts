import type {
  AccountJob,
  AccountStore,
  NewAccountJob,
  PreparedExport,
  StartExportParams,
  StoredExport,
} from '../../contributors/account/store.ts'
import type { MemoryAuth } from './auth.ts'
import { memoryOutbox, type MemoryOutbox } from './outbox.ts'

interface JobRow {
  readonly id: string
  readonly kind: AccountJob['kind']
  readonly ownerId: string
  readonly requestedAt: number
  readonly secretHash: string
  readonly credential: string | null
  status: 'waiting' | 'ready' | 'failed'
  attempts: number
  nextAt: number
  lease: string | null
  leaseUntil: number
  bytes: number | null
  parts: number
  url: string | null
  expiresAt: number | null
}

/**
 * Returns the store of account exports and erasures in a Map. The stores in memory know users by their id alone, which
 * stays: so `startErasure` erases the user in `auth` and with `eraseElsewhere` at once, and the job erases the rest.
 */
export function memoryAccount(
  auth: Pick<MemoryAuth, 'findUser' | 'erase' | 'isLiveCredential'>,
  eraseElsewhere: (ownerId: string, erasedId: string) => Promise<void> = async () => undefined,
  outbox: Pick<MemoryOutbox, 'enqueueEvent'> = memoryOutbox(),
): AccountStore {
  const jobs = new Map<string, JobRow>()
  const isUser = async (id: string): Promise<boolean> => (await auth.findUser({ id })) !== null
  const exportsOf = (ownerId: string): JobRow[] =>
    [...jobs.values()].filter((job) => job.kind === 'export' && job.ownerId === ownerId)
  const isUnexpired = ({ expiresAt, credential }: JobRow, now: number): boolean =>
    (expiresAt === null || expiresAt > now) && (credential === null || auth.isLiveCredential(credential, now))
  const preparedExport = ({ id, status, requestedAt, bytes, expiresAt, url, secretHash }: JobRow): PreparedExport => ({
    id,
    status: status === 'waiting' ? 'preparing' : status,
    requestedAt,
    bytes,
    expiresAt,
    url,
    secretHash,
  })
  const storedExport = ({ id, attempts, parts, url }: JobRow): StoredExport => ({ id, attempt: attempts, parts, url })
  const findHeld = ({ id, lease }: AccountJob): JobRow | null => {
    const row = jobs.get(id)
    return row?.status === 'waiting' && row.lease === lease ? row : null
  }
  const release = (job: AccountJob, changes: Partial<JobRow>): boolean => {
    const row = findHeld(job)
    if (row) Object.assign(row, { lease: null }, changes)
    return row !== null
  }
  const add = (
    kind: JobRow['kind'],
    { id, ownerId, now, secretHash = '', credential = null }: NewAccountJob & Partial<StartExportParams>,
  ): void => {
    jobs.set(id, {
      id,
      kind,
      ownerId,
      requestedAt: now,
      secretHash,
      credential,
      status: 'waiting',
      attempts: 0,
      nextAt: now,
      lease: null,
      leaseUntil: 0,
      bytes: null,
      parts: 0,
      url: null,
      expiresAt: null,
    })
  }

  return {
    async startErasure({ ownerId, id, now }) {
      if (!(await isUser(ownerId))) return false
      add('erasure', { id, ownerId, now })
      await auth.erase({ ownerId })
      await eraseElsewhere(ownerId, `erased-${id}`)
      return true
    },
    async startExport(params) {
      const { ownerId, id, now } = params
      if (!(await isUser(ownerId))) return null
      const earlier = exportsOf(ownerId).find((job) => job.status !== 'failed' && isUnexpired(job, now))
      if (!earlier) add('export', params)
      return preparedExport(earlier ?? jobs.get(id)!)
    },
    async findExport({ ownerId, id, now }) {
      const found = exportsOf(ownerId).findLast((job) => isUnexpired(job, now) && (id === null || job.id === id))
      return found ? preparedExport(found) : null
    },
    async findExportFile({ secretHash, now }) {
      const found = [...jobs.values()].find(
        (job) => job.secretHash === secretHash && job.status === 'ready' && job.url === null && isUnexpired(job, now),
      )
      return found ? { ...storedExport(found), bytes: found.bytes! } : null
    },

    async claimJob({ lease, now, until }) {
      const free = (job: JobRow): boolean =>
        job.lease === null || job.lease === lease || job.leaseUntil < now || job.leaseUntil > 2 * until - now
      const due = [...jobs.values()]
        .filter((job) => job.status === 'waiting' && job.nextAt <= now && free(job))
        .sort((a, b) => a.nextAt - b.nextAt)
      const row = due[0]
      if (!row) return null
      if (row.lease !== lease) row.attempts++
      Object.assign(row, { lease, leaseUntil: until })
      const { id, kind, ownerId, attempts } = row
      const known = kind === 'erasure' || (await isUser(ownerId))
      return { id, kind, ownerId: known ? ownerId : '', formerId: ownerId, lease, attempt: attempts }
    },
    async renewLease({ job, until }) {
      const row = findHeld(job)
      if (row) row.leaseUntil = until
      return row !== null
    },
    async releaseJob({ job, now }) {
      release(job, { nextAt: now, attempts: job.attempt - 1 })
    },
    async postponeJob({ job, dueAt }) {
      release(job, { nextAt: dueAt })
    },
    async completeExport({ job, bytes, parts, url, expiresAt }) {
      return (await isUser(job.ownerId)) && release(job, { status: 'ready', bytes, parts, url, expiresAt })
    },
    async failExport({ job, expiresAt }) {
      release(job, { status: 'failed', expiresAt })
    },
    async completeErasure({ job: { id, formerId }, event }) {
      const data = { userId: formerId }
      if (jobs.delete(id)) outbox.enqueueEvent(event, { ownerId: null, subject: formerId, data })
    },

    async listExpiredExports({ now, limit }) {
      const expired = [...jobs.values()].filter(
        (job) => job.kind === 'export' && job.expiresAt !== null && !isUnexpired(job, now),
      )
      return expired.slice(0, limit).map(storedExport)
    },
    async deleteExports({ ids }) {
      for (const id of ids) if (jobs.get(id)?.kind === 'export') jobs.delete(id)
    },
    async listExports({ ownerId }) {
      return exportsOf(ownerId).map((job) => {
        const { id, status, requestedAt, expiresAt } = preparedExport(job)
        return { id, status, requestedAt, expiresAt }
      })
    },
    async eraseExports({ ownerId }) {
      const deleted = exportsOf(ownerId)
      for (const { id } of deleted) jobs.delete(id)
      return { exports: deleted.map(storedExport), hasMore: false }
    },
  }
}

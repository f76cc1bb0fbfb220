import type { AccountJob, AccountStore, PreparedExport, StoredExport } from '../../contributors/account/store.ts'
import type { AuthStore } from '../../auth/store.ts'

interface Kept {
  readonly id: string
  readonly kind: AccountJob['kind']
  readonly ownerId: string
  readonly requestedAt: number
  readonly secret: string
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
 * Exports and erasures of accounts in a Map. Stores in memory know people by their id alone, which stays: so an erasure takes the
 * person out of `sessions` and of `others` at once, and leaves to its job what is elsewhere.
 */
export function memoryAccount(
  auth: Pick<AuthStore, 'findUser' | 'erase'>,
  eraseElsewhere: (ownerId: string) => Promise<void> = async () => undefined,
): AccountStore {
  const jobs = new Map<string, Kept>()
  const isUser = async (id: string): Promise<boolean> => (await auth.findUser({ id })) !== null
  const exportsOf = (ownerId: string): Kept[] =>
    [...jobs.values()].filter((job) => job.kind === 'export' && job.ownerId === ownerId)
  const lives = ({ expiresAt }: Kept, now: number): boolean => expiresAt === null || expiresAt > now
  const shown = ({ id, status, requestedAt, bytes, expiresAt, url, secret }: Kept): PreparedExport => ({
    id,
    status: status === 'waiting' ? 'preparing' : status,
    requestedAt,
    bytes,
    expiresAt,
    url,
    secret,
  })
  const stored = ({ id, attempts, parts, url }: Kept): StoredExport => ({ id, attempt: attempts, parts, url })
  const heldBy = ({ id, lease }: AccountJob): Kept | null => {
    const kept = jobs.get(id)
    return kept?.status === 'waiting' && kept.lease === lease ? kept : null
  }
  const letGo = (job: AccountJob, changes: Partial<Kept>): boolean => {
    const kept = heldBy(job)
    if (kept) Object.assign(kept, { lease: null }, changes)
    return kept !== null
  }
  const add = (id: string, kind: Kept['kind'], ownerId: string, now: number, secret: string): void => {
    jobs.set(id, {
      id,
      kind,
      ownerId,
      requestedAt: now,
      secret,
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
      add(id, 'erasure', ownerId, now, '')
      await auth.erase({ ownerId })
      await eraseElsewhere(ownerId)
      return true
    },
    async startExport({ ownerId, id, now, secret }) {
      if (!(await isUser(ownerId))) return null
      const earlier = exportsOf(ownerId).find(
        (job) => job.status === 'waiting' || (job.status === 'ready' && lives(job, now)),
      )
      if (!earlier) add(id, 'export', ownerId, now, secret)
      return shown(earlier ?? jobs.get(id)!)
    },
    async findExport({ ownerId, id, now }) {
      const found = exportsOf(ownerId).findLast((job) => lives(job, now) && (id === null || job.id === id))
      return found ? shown(found) : null
    },
    async findFile({ secret, now }) {
      const found = [...jobs.values()].find(
        (job) => job.secret === secret && job.status === 'ready' && job.url === null && lives(job, now),
      )
      return found ? { ...stored(found), bytes: found.bytes! } : null
    },

    async takeJob({ lease, now, until }) {
      const free = (job: Kept): boolean =>
        job.lease === null || job.lease === lease || job.leaseUntil < now || job.leaseUntil > 2 * until - now
      const due = [...jobs.values()]
        .filter((job) => job.status === 'waiting' && job.nextAt <= now && free(job))
        .sort((a, b) => a.nextAt - b.nextAt)
      const kept = due[0]
      if (!kept) return null
      if (kept.lease !== lease) kept.attempts++
      Object.assign(kept, { lease, leaseUntil: until })
      const { id, kind, ownerId, attempts } = kept
      const known = kind === 'erasure' || (await isUser(ownerId))
      return { id, kind, ownerId: known ? ownerId : '', formerId: ownerId, lease, attempt: attempts }
    },
    async renewLease({ job, until }) {
      const kept = heldBy(job)
      if (kept) kept.leaseUntil = until
      return kept !== null
    },
    async releaseJob({ job, now }) {
      letGo(job, { nextAt: now, attempts: job.attempt - 1 })
    },
    async postponeJob({ job, dueAt }) {
      letGo(job, { nextAt: dueAt })
    },
    async completeExport({ job, bytes, parts, url, expiresAt }) {
      return (await isUser(job.ownerId)) && letGo(job, { status: 'ready', bytes, parts, url, expiresAt })
    },
    async failExport({ job, expiresAt }) {
      letGo(job, { status: 'failed', expiresAt })
    },
    async completeErasure({ job }) {
      jobs.delete(job.id)
    },

    async expiredExports({ now, limit }) {
      const over = [...jobs.values()].filter((job) => job.kind === 'export' && !lives(job, now))
      return over.slice(0, limit).map(stored)
    },
    async deleteExports({ ids }) {
      for (const id of ids) if (jobs.get(id)?.kind === 'export') jobs.delete(id)
    },
    async exports(ownerId) {
      return exportsOf(ownerId).map((job) => {
        const { id, status, requestedAt, expiresAt } = shown(job)
        return { id, status, requestedAt, expiresAt }
      })
    },
    async eraseExports(ownerId) {
      const gone = exportsOf(ownerId)
      for (const { id } of gone) jobs.delete(id)
      return { exports: gone.map(stored), hasMore: false }
    },
  }
}

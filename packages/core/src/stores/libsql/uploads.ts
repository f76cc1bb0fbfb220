import { and, eq, gt, isNull, lt, sql, type SQL } from 'drizzle-orm'
import type { CreateUploadParams, IngestStore } from '../../ingest/store.ts'
import { deleteSome, writeUntilDone } from './bounded-writes.ts'
import type { Database } from './database.ts'
import { build, insertSelect, ownerNum, prepare, type Param } from './statement.ts'
import { uploads } from './tables/ingest.ts'
import { users } from './tables/sessions.ts'
import { addWithinQuota, selectOwnerBelowUploadLimit, type WithLimit } from './job-queue.ts'

const insertUpload = prepare<WithLimit<CreateUploadParams>>()((upload) =>
  insertSelect(
    uploads,
    {
      owner: users.num,
      id: upload.id,
      secret: sql`unhex(${upload.secretHash})`,
      bytes: upload.bytes,
      expiresAt: upload.expiresAt,
      job: sql`null`,
    },
    selectOwnerBelowUploadLimit(upload),
  ),
)

const selectUpload = prepare<{ secretHash: string }>()(({ secretHash }) =>
  build
    .select({ id: uploads.id, bytes: uploads.bytes, expiresAt: uploads.expiresAt, job: uploads.job })
    .from(uploads)
    .where(eq(uploads.secret, sql`unhex(${secretHash})`)),
)
const isOwnUpload = ({ ownerId, uploadId }: { ownerId: Param; uploadId: Param }): SQL =>
  sql`${uploads.id} = ${uploadId} and ${uploads.owner} = ${ownerNum(ownerId)}`
const setUploadJob = prepare<{ ownerId: string; uploadId: string; jobId: string; now: number }>()((params) =>
  build
    .update(uploads)
    .set({ job: sql`${params.jobId}` })
    .where(and(isOwnUpload(params), isNull(uploads.job), gt(uploads.expiresAt, params.now))),
)
const selectOwnUpload = prepare<{ ownerId: string; uploadId: string }>()((params) =>
  build.select({ job: uploads.job }).from(uploads).where(isOwnUpload(params)),
)
const unsetUploadJob = prepare<{ ownerId: string; uploadId: string; jobId: string }>()((params) =>
  build
    .update(uploads)
    .set({ job: null })
    .where(and(isOwnUpload(params), eq(uploads.job, params.jobId))),
)
const deleteUploadsBefore = prepare<{ expiredBefore: number }>()(({ expiredBefore }) =>
  deleteSome(uploads, lt(uploads.expiresAt, expiredBefore)),
)

/** Returns the methods of the ingest store that create, find and delete upload URLs. */
export function libsqlUploads(
  db: Database,
): Pick<IngestStore, 'createUpload' | 'findUpload' | 'claimUpload' | 'releaseUpload' | 'deleteExpiredUploads'> {
  return {
    createUpload: (upload) =>
      addWithinQuota(db, upload.ownerId, insertUpload({ ...upload, maxWaitingBytes: upload.maxWaitingBytes ?? null })),
    async findUpload(params) {
      const [row] = await db.read(selectUpload(params))
      if (!row) return null
      return { id: row.id, bytes: row.bytes, expiresAt: row.expiresAt, taken: row.job !== null }
    },
    async claimUpload(params) {
      const [claimed] = await db.write([setUploadJob(params)], { locks: [] })
      if (claimed.changed > 0) return null
      const [row] = await db.read(selectOwnUpload(params))
      if (!row) return 'not_found'
      return row.job === null ? 'expired' : 'taken'
    },
    async releaseUpload(params) {
      await db.write([unsetUploadJob(params)], { locks: [] })
    },
    deleteExpiredUploads: (params) => writeUntilDone(db, [deleteUploadsBefore(params)]),
  }
}

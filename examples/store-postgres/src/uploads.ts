import type { IngestStore } from '@tributary/core'
import { and, eq, gt, isNull, lt } from 'drizzle-orm'
import { readFirst, type Database } from './database.ts'
import { selectOwnerNum } from './owner.ts'
import { jobs, uploads } from './tables.ts'
import { addWithinLimit } from './waiting.ts'

type Methods =
  | 'createUpload'
  | 'findUpload'
  | 'claimUpload'
  | 'releaseUpload'
  | 'deleteExpiredUploads'
  | 'findUploadOfJob'
  | 'markUploadDeleted'

const isOwnJob = ({ ownerId, jobId }: { ownerId: string; jobId: string }) =>
  and(eq(jobs.id, jobId), eq(jobs.owner, selectOwnerNum(ownerId)))
const isOwnUpload = ({ ownerId, uploadId }: { ownerId: string; uploadId: string }) =>
  and(eq(uploads.id, uploadId), eq(uploads.owner, selectOwnerNum(ownerId)))

/** Returns the methods of `IngestStore` for upload addresses and the uploads of jobs. */
export function uploadMethods(db: Database): Pick<IngestStore, Methods> {
  return {
    createUpload: ({ ownerId, maxWaitingBytes, now, ...upload }) =>
      addWithinLimit(db, { ownerId, bytes: upload.bytes, now, maxWaitingBytes }, (tx, owner) =>
        tx.insert(uploads).values({ ...upload, owner }),
      ),
    async findUpload({ secretHash }) {
      const isFound = eq(uploads.secretHash, secretHash)
      const found = await db.run((query) => readFirst(query.select().from(uploads).where(isFound)))
      return found && { id: found.id, bytes: found.bytes, expiresAt: found.expiresAt, taken: found.job !== null }
    },
    async claimUpload(params) {
      const isFree = and(isOwnUpload(params), isNull(uploads.job), gt(uploads.expiresAt, params.now))
      const claimed = await db.run((query) =>
        query.update(uploads).set({ job: params.jobId }).where(isFree).returning({ id: uploads.id }),
      )
      if (claimed.length > 0) return null
      const upload = await db.run((query) => readFirst(query.select().from(uploads).where(isOwnUpload(params))))
      if (!upload) return 'not_found'
      return upload.job === null ? 'expired' : 'taken'
    },
    async releaseUpload(params) {
      const isClaimed = and(isOwnUpload(params), eq(uploads.job, params.jobId))
      await db.run((query) => query.update(uploads).set({ job: null }).where(isClaimed))
    },
    async deleteExpiredUploads({ expiredBefore }) {
      await db.run((query) => query.delete(uploads).where(lt(uploads.expiresAt, expiredBefore)))
    },
    findUploadOfJob: (params) =>
      db.run((query) =>
        readFirst(query.select({ status: jobs.status, parts: jobs.parts }).from(jobs).where(isOwnJob(params))),
      ),
    async markUploadDeleted(params) {
      const isFailed = and(isOwnJob(params), eq(jobs.status, 'failed'))
      await db.run((query) => query.update(jobs).set({ parts: 0 }).where(isFailed))
    },
  }
}

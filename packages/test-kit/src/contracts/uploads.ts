import { expect, test } from 'vitest'
import { makeHash, makeId } from '../fixtures/seed.ts'
import { makeAuditContext } from './audit.ts'
import type { IngestPlace } from './ingest-place.ts'

/** Runs the contract tests of uploads to an upload URL. The tests are part of the contract tests of `IngestStore`. */
export function runUploadContract(place: () => IngestPlace): void {
  const makeUpload = (n: number) => ({
    id: makeId('up', n),
    secretHash: makeHash('secret', n),
    bytes: 1000,
    now: 10,
    expiresAt: 500,
  })

  test('findUpload finds an upload by its secret; claimUpload returns it once, only to its owner, before it expires', async () => {
    const [store, other] = place().stores
    expect(await store.createUpload({ ownerId: 'ann', ...makeUpload(1) })).toBeNull()
    expect(await store.findUpload({ secretHash: makeHash('secret', 1) })).toEqual({
      id: makeId('up', 1),
      bytes: 1000,
      expiresAt: 500,
      taken: false,
    })
    expect(await store.findUpload({ secretHash: makeHash('secret', 2) })).toBeNull()
    expect(await store.claimUpload({ ownerId: 'bob', uploadId: makeId('up', 1), jobId: 'job', now: 100 })).toBe(
      'not_found',
    )
    expect(await store.claimUpload({ ownerId: 'ann', uploadId: makeId('up', 2), jobId: 'job', now: 100 })).toBe(
      'not_found',
    )
    expect(await store.claimUpload({ ownerId: 'ann', uploadId: makeId('up', 1), jobId: 'job', now: 500 })).toBe(
      'expired',
    )
    const tries = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        (i % 2 ? store : other).claimUpload({ ownerId: 'ann', uploadId: makeId('up', 1), jobId: `job${i}`, now: 499 }),
      ),
    )
    expect(tries.filter((one) => one === null)).toHaveLength(1)
    expect(tries.filter((one) => one === 'taken')).toHaveLength(9)
    expect(await store.findUpload({ secretHash: makeHash('secret', 1) })).toMatchObject({ taken: true })
  })

  test('releaseUpload makes an upload claimable again, only for its owner and the job that claimed it', async () => {
    const [store] = place().stores
    await store.createUpload({ ownerId: 'ann', ...makeUpload(1) })
    await store.claimUpload({ ownerId: 'ann', uploadId: makeId('up', 1), jobId: 'job', now: 100 })
    await store.releaseUpload({ ownerId: 'ann', uploadId: makeId('up', 1), jobId: 'another' })
    await store.releaseUpload({ ownerId: 'bob', uploadId: makeId('up', 1), jobId: 'job' })
    expect(await store.claimUpload({ ownerId: 'ann', uploadId: makeId('up', 1), jobId: 'next', now: 100 })).toBe(
      'taken',
    )
    await store.releaseUpload({ ownerId: 'ann', uploadId: makeId('up', 1), jobId: 'job' })
    expect(await store.claimUpload({ ownerId: 'ann', uploadId: makeId('up', 1), jobId: 'next', now: 100 })).toBeNull()
  })

  test('deleteExpiredUploads deletes expired uploads, and eraseJobs returns the erased uploads', async () => {
    const [store] = place().stores
    await store.createUpload({ ownerId: 'ann', ...makeUpload(1) })
    await store.createUpload({ ownerId: 'ann', ...makeUpload(2), expiresAt: 900 })
    await store.createUpload({ ownerId: 'bob', ...makeUpload(3), expiresAt: 900 })
    await store.deleteExpiredUploads({ expiredBefore: 501 })
    expect(await store.findUpload({ secretHash: makeHash('secret', 1) })).toBeNull()
    expect(await store.eraseJobs({ ownerId: 'ann' })).toEqual({ jobs: [], uploads: [makeId('up', 2)], hasMore: false })
    expect(await store.findUpload({ secretHash: makeHash('secret', 2) })).toBeNull()
    expect(await store.findUpload({ secretHash: makeHash('secret', 3) })).not.toBeNull()
  })

  test('markUploadDeleted makes only the given failed job of its owner impossible to retry', async () => {
    const [store, other] = place().stores
    const jobId = makeId('ann', 1)
    await store.enqueueJob({ ownerId: 'ann', id: jobId, source: 'mixed', total: 2, parts: 1, bytes: 1, enqueuedAt: 1 })
    const findUploadOfJob = (ownerId: string) => store.findUploadOfJob({ ownerId, jobId })
    const markDeleted = (ownerId: string) => other.markUploadDeleted({ ownerId, jobId })
    await markDeleted('ann')
    expect([await findUploadOfJob('ann'), await findUploadOfJob('bob')]).toEqual([{ status: 'queued', parts: 1 }, null])
    await store.failJob({
      claim: (await store.claimJob({ lease: 'one', now: 100, leaseUntil: 30_100 }))!,
      message: 'It broke.',
      usdPerMillionTokens: 1,
      now: 200,
    })
    await markDeleted('bob')
    expect(await findUploadOfJob('ann')).toEqual({ status: 'failed', parts: 1 })
    for (let time = 0; time < 2; time++) await markDeleted('ann')
    expect(await findUploadOfJob('ann')).toEqual({ status: 'failed', parts: 0 })
    expect(await store.retryJob({ jobId, failedSince: 0, audit: makeAuditContext(300) })).toMatchObject({
      retried: false,
      job: { status: 'failed' },
    })
  })
}

import type { LoadOptions } from './model.ts'

/** 20 functions whose database refuses every fifth request. Every tenth reply to their clients is lost. */
export const twentyFunctions: LoadOptions = {
  containers: 20,
  processes: 0,
  uploadsPerClient: 1,
  tracesPerUpload: 2,
  rampMs: 0,
  batchSize: 5,
  database: {
    requestsPerSecond: Infinity,
    concurrentRequests: Infinity,
    refusedShare: 0.2,
    retryAfterSeconds: null,
    slowShare: 0,
    tooLateShare: 0,
    brokenShare: 0,
  },
  lostReplyShare: 0.1,
  scheduleMs: 10_000,
  limitMs: 140_000,
  seed: 7,
}

/** The expected results of `twentyFunctions`, and of the same run with more disturbances. */
export const expectedLoadResult = {
  isComplete: true,
  acknowledged: 20,
  stored: 40,
  lost: 0,
  duplicates: 0,
  deadLetters: 0,
  failedJobs: 0,
}

/** Log events that indicate bugs. An outage that is mistaken for a bug costs a job one of its five attempts. */
export const bugs = ['http.request.failed', 'ingest.job.attempt_failed']

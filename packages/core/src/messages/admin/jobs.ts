/** The ingest jobs of the operators' pages. */
export const adminJobsMessages = {
  'adminJobs.scrubbed': 'All stored traces are scrubbed with the current rules.',
  'adminJobs.rescrubTraces_one': 'Scrubbing stored traces again: {count} trace left to check.',
  'adminJobs.rescrubTraces_other': 'Scrubbing stored traces again: {count} traces left to check.',
  'adminJobs.rescrubPeople_one': '{count} person changed their details.',
  'adminJobs.rescrubPeople_other': '{count} people changed their details.',
  'adminJobs.none': 'No jobs.',
  'adminJobs.traces': 'Traces',
  'adminJobs.finished': 'Finished {time}',
  'adminJobs.retry': 'Retry',
  'adminJobs.retryOne': 'Retry job {id}',
  'adminJobs.retried': 'Job queued again. A worker takes it within a minute.',
  'adminJobs.notFailed': 'Only failed jobs can be retried; nothing was changed.',
  'adminJobs.uploadGone': 'The upload of this job was deleted. The contributor must send it again.',
  'adminJobs.notFound': 'Job not found.',
} as const

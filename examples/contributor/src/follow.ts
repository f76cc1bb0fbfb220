import type { Api } from './api.ts'
import type { Terminal } from './terminal.ts'

export interface Job {
  readonly id: string
  readonly status: 'queued' | 'parsing' | 'ingesting' | 'done' | 'failed'
  readonly traceCount: number
  readonly rejectedCount: number
  readonly estimatedUsd: number | null
  readonly errorMessage: string | null
}

export interface Outcome {
  readonly index: number
  readonly sourceId: string
  readonly outcome: string
  readonly traceId: string | null
  readonly redactions: number
}

/** Asks for a job until it is done or has failed, waiting a little longer each time: 0.2 s at first, 5 s at most. */
export async function follow(api: Api, terminal: Terminal, jobId: string): Promise<{ job: Job; outcomes: Outcome[] }> {
  let shown = ''
  for (let wait = 200; ; wait = Math.min(wait * 1.5, 5000)) {
    const { json } = await api.call('GET', `/api/ingest/jobs/${jobId}`)
    const job = json['job'] as Job
    const line = `Job ${jobId}: ${job.status}`
    if (line !== shown) terminal.progress((shown = line))
    if (job.status === 'done' || job.status === 'failed') {
      const { json: found } = await api.call('GET', `/api/ingest/jobs/${jobId}/outcomes`)
      return { job, outcomes: found['outcomes'] as Outcome[] }
    }
    await terminal.wait(wait)
  }
}

import type { Client } from '@tributary/core/client'
import { readValue, type Service } from './service.ts'
import { CommandError, type Terminal } from './terminal.ts'

type ValueOf<Name extends keyof Client> = Extract<Awaited<ReturnType<Client[Name]>>, { ok: true }>['value']
export type Job = ValueOf<'ingestJob'>['job']
export type Outcome = ValueOf<'ingestOutcomes'>['outcomes'][number]

/**
 * Polls a job until it is done or has failed, waiting a little longer each time: 0.2 s at first, 5 s at most. Resolves
 * with null if the service no longer has the job.
 */
export async function followJob(
  service: Service,
  terminal: Terminal,
  jobId: string,
): Promise<{ job: Job; outcomes: Outcome[] } | null> {
  try {
    return await pollJob(service, terminal, jobId)
  } catch (error) {
    if (error instanceof CommandError && error.code === 'not_found') return null
    throw error
  }
}

async function pollJob(
  { client }: Service,
  terminal: Terminal,
  jobId: string,
): Promise<{ job: Job; outcomes: Outcome[] }> {
  let shown = ''
  for (let wait = 200; ; wait = Math.min(wait * 1.5, 5000)) {
    const { job } = readValue(await client.ingestJob({ params: { jobId } }))
    const line = `Job ${jobId}: ${job.status}`
    if (line !== shown) terminal.progress((shown = line))
    if (job.status === 'done' || job.status === 'failed') {
      const { outcomes } = readValue(await client.ingestOutcomes({ params: { jobId } }))
      return { job, outcomes }
    }
    await terminal.wait(wait)
  }
}

import { fail } from '../../http/failures.ts'
import type { Html } from '../../http/html.ts'
import { mount, type Handlers, type Mounted } from '../../http/route.ts'
import type { IngestStore } from '../store.ts'
import { jobPagesContract } from './contract.ts'
import { jobPage } from './job.ts'
import { jobsPage } from './jobs.ts'

/** What the pages of uploads need. */
export interface JobPagesDeps {
  readonly store: Pick<IngestStore, 'findJob' | 'listJobs' | 'listOutcomes'>
  /** The mount prefix, for links. */
  readonly prefix: string
  /** Returns where the person stands on the way to the first upload, for the top of a page; null after it. */
  readonly progress: (ownerId: string) => Promise<Html | null>
}

const pageSize = 50

export const jobPagesHandlers: Handlers<typeof jobPagesContract, JobPagesDeps> = {
  async jobsPage({ user, query }, { store, prefix, progress }) {
    const [jobs, steps] = await Promise.all([
      store.listJobs({ ownerId: user.id, cursor: query.cursor ?? null, limit: pageSize + 1 }),
      progress(user.id),
    ])
    const shown = jobs.slice(0, pageSize)
    const next = jobs.length > pageSize ? shown.at(-1)!.id : null
    return jobsPage({ prefix, email: user.email, progress: steps, jobs: shown, next, isFirst: !query.cursor })
  },

  async jobPage({ user, params: { jobId } }, { store, prefix, progress }) {
    const job = await store.findJob({ ownerId: user.id, jobId })
    const outcomes = job && (await store.listOutcomes({ ownerId: user.id, jobId }))
    if (!job || !outcomes) return fail('not_found')
    return jobPage({ prefix, email: user.email, progress: await progress(user.id), job, outcomes })
  },
}

/** Binds the routes of the pages of uploads to their handlers. */
export const mountJobPages = (deps: JobPagesDeps): Mounted[] => mount(jobPagesContract, jobPagesHandlers, deps)

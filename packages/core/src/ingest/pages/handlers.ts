import { fail } from '../../http/failures.ts'
import { pageOf } from '../../lists.ts'
import type { Html } from '../../ui/html.ts'
import { mount, type Handlers, type Mounted } from '../../http/route.ts'
import type { IngestStore } from '../store.ts'
import { jobPagesContract } from './contract.ts'
import { jobPage } from './job.ts'
import { jobsPage } from './jobs.ts'

type TraceTitles = (params: {
  readonly ownerId: string
  readonly ids: readonly string[]
}) => Promise<readonly { readonly id: string; readonly title: string | null }[]>

/** The dependencies of the pages of uploads. */
export interface JobPagesDeps {
  readonly store: Pick<IngestStore, 'findJob' | 'listJobs' | 'listOutcomes'>
  /** Returns the titles of the person's traces. */
  readonly listTitles: TraceTitles
  /** The mount prefix, for links. */
  readonly prefix: string
  readonly clientCommand: string | null
  readonly brand: { readonly supportEmail?: string }
  /** Returns the remaining steps until the person's first upload, for the top of a page. Null after the upload. */
  readonly progress: (ownerId: string) => Promise<Html | null>
}

const pageSize = 50

const jobPagesHandlers: Handlers<typeof jobPagesContract, JobPagesDeps> = {
  async jobsPage({ user, query }, { store, prefix, progress }) {
    const [jobs, steps] = await Promise.all([
      store.listJobs({ ownerId: user.id, cursor: query.cursor ?? null, limit: pageSize + 1 }),
      progress(user.id),
    ])
    const { page: shown, next } = pageOf(jobs, pageSize, ({ id }) => id)
    return jobsPage({ prefix, email: user.email, progress: steps, jobs: shown, next, isFirst: !query.cursor })
  },

  async jobPage({ user, params: { jobId } }, { store, listTitles, prefix, clientCommand, brand, progress }) {
    const job = await store.findJob({ ownerId: user.id, jobId })
    const outcomes = job && (await store.listOutcomes({ ownerId: user.id, jobId }))
    if (!job || !outcomes) return fail('not_found')
    const ids = [...new Set(outcomes.flatMap(({ traceId }) => traceId ?? []))]
    const [steps, titled] = await Promise.all([
      progress(user.id),
      ids.length === 0 ? [] : listTitles({ ownerId: user.id, ids }),
    ])
    const titles = new Map(titled.map(({ id, title }) => [id, title]))
    return jobPage({
      prefix,
      client: clientCommand,
      supportEmail: brand.supportEmail,
      email: user.email,
      progress: steps,
      job,
      outcomes,
      titles,
    })
  },
}

/** Binds the routes of the pages of uploads to their handlers. */
export const mountJobPages = (deps: JobPagesDeps): Mounted[] => mount(jobPagesContract, jobPagesHandlers, deps)

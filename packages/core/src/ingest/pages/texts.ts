import { html, type Html, messagesOf } from '../../ui/html.ts'
import { jobMessages } from '../../messages/jobs.ts'
import type { JobStatus, OutcomeName } from '../store.ts'

const message = messagesOf(jobMessages)

const statusKinds: Readonly<Record<JobStatus, string>> = {
  queued: ' quiet',
  parsing: '',
  ingesting: '',
  done: ' good',
  failed: ' bad',
}

/** Returns the name of the status of a job. */
function statusName(status: JobStatus): Html {
  return message(`jobs.${status}`)
}

/** Returns the status of a job as a tag. */
export function statusTag(status: JobStatus): Html {
  return html`<span class="tag${statusKinds[status]}">${statusName(status)}</span>`
}

/** The class of the tag of each outcome. */
export const outcomeKinds: Readonly<Record<OutcomeName, string>> = {
  stored: ' good',
  updated: ' good',
  duplicate: ' quiet',
  duplicate_in_batch: ' quiet',
  deleted_before: ' quiet',
  already_sold: ' quiet',
  rejected: ' bad',
}

/** Returns the outcome of a trace in a word or two. */
export function outcomeName(outcome: OutcomeName): Html {
  return message(`outcome.${outcome}`)
}

/** Returns the meaning of an outcome, or null if it needs no explanation. */
export function outcomeReason(outcome: OutcomeName): Html | null {
  return outcome === 'stored' ? null : message(`outcome.${outcome}Reason`)
}

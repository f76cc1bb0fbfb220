import { html, type Html } from '../../http/html.ts'
import type { JobStatus, OutcomeName } from '../store.ts'

const statusNames: Readonly<Record<JobStatus, readonly [name: string, kind: string]>> = {
  queued: ['Waiting', ' quiet'],
  parsing: ['Reading', ''],
  ingesting: ['Scrubbing', ''],
  done: ['Done', ' good'],
  failed: ['Failed', ' bad'],
}

/** Returns the status of a job as a tag. */
export function statusTag(status: JobStatus): Html {
  const [name, kind] = statusNames[status]
  return html`<span class="tag${kind}">${name}</span>`
}

/** The outcome of a trace in a word or two, and what it means. */
export const outcomeTexts: Readonly<Record<OutcomeName, readonly [name: string, reason: string, kind: string]>> = {
  stored: ['Stored', '', ' good'],
  updated: ['Updated', 'It replaced the earlier version of this conversation.', ' good'],
  duplicate: ['Already stored', 'You uploaded the same content before.', ' quiet'],
  duplicate_in_batch: ['Duplicate', 'The same content is earlier in this upload.', ' quiet'],
  deleted_before: ['Deleted before', 'You deleted this conversation, so it is not stored again.', ' quiet'],
  already_sold: ['Already sold', 'An earlier version was sold, so the conversation stays as it was.', ' quiet'],
  rejected: ['Not stored', 'The scrubber could not make this conversation safe to store.', ' bad'],
}

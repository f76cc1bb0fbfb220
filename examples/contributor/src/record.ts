import { locateConfigFile, readJson, writeJson } from './files.ts'
import type { Terminal } from './terminal.ts'

/**
 * A job that was accepted but not followed to its end. `projects` maps the source id of each of its conversations to
 * the project.
 */
export interface PendingJob {
  readonly jobId: string
  readonly projects: Readonly<Record<string, string | null>>
}

/** The uploads from this machine to one service. */
export interface UploadRecord {
  readonly jobIds: readonly string[]
  readonly pendingJobs: readonly PendingJob[]
  /** The project of each stored trace, by its id. Only this machine knows it. */
  readonly projects: Readonly<Record<string, string>>
}

const noUploads: UploadRecord = { jobIds: [], pendingJobs: [], projects: {} }

type Place = Pick<Terminal, 'env' | 'home'>

function readAll(terminal: Place): Record<string, UploadRecord> {
  return (readJson(locateConfigFile(terminal, 'uploads.json')) ?? {}) as Record<string, UploadRecord>
}

export function readRecord(terminal: Place, base: string): UploadRecord {
  return readAll(terminal)[base] ?? noUploads
}

export function updateRecord(terminal: Place, base: string, update: (record: UploadRecord) => UploadRecord): void {
  const all = readAll(terminal)
  writeJson(locateConfigFile(terminal, 'uploads.json'), { ...all, [base]: update(all[base] ?? noUploads) })
}

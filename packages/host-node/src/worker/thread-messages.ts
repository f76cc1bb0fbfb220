import type { Batch, Download, Mail, Measurement, Receipt } from '@tributary/core'
import type { ServerConfig } from '../server-config.ts'
import type { WriteLease } from '../sqlite/write-lock.ts'

/** The data that a thread receives when it starts. */
export interface ThreadData {
  readonly config: ServerConfig
  /**
   * Lets the worker thread use the write lock of the main thread's database file. Null for a remote database.
   */
  readonly writeLease: WriteLease | null
  /** Whether the thread sends mails to the main thread instead of the mail server. */
  readonly mailbox: boolean
  /** Whether the thread runs the jobs. If not, another process runs them. */
  readonly runsJobs: boolean
}

/** A call that the thread answers with a message of the same id. */
export type ThreadCall =
  | {
      readonly kind: 'receive'
      readonly id: number
      readonly batch: Batch
      readonly limit: number
      readonly key: string
    }
  | { readonly kind: 'read'; readonly id: number; readonly trace: { readonly ownerId: string; readonly id: string } }

/** A message to the thread. */
export type ThreadRequest = ThreadCall | { readonly kind: 'wake' } | { readonly kind: 'stop' }

/** A message from the thread. */
export type ThreadMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'receipt'; readonly id: number; readonly receipt: Receipt }
  | { readonly kind: 'download'; readonly id: number; readonly download: Download }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string; readonly unavailable: boolean }
  | { readonly kind: 'mail'; readonly mail: Mail }
  | { readonly kind: 'found'; readonly rules: readonly string[] }
  | { readonly kind: 'measured'; readonly measurement: Measurement }

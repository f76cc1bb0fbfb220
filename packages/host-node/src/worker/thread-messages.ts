import type { Batch, Mail, Receipt } from '@tributary/core'
import type { WriteLease } from '../sqlite/write-lock.ts'
import type { ServerConfig } from '../server-config.ts'

/** What a thread is started with. */
export interface Setup {
  readonly plan: ServerConfig
  /** The turns to write of the owner of a local file. */
  readonly gate: WriteLease | null
  /** Whether mails go back to the owner instead of out. */
  readonly mailbox: boolean
}

/** To the thread. */
export type Order =
  | {
      readonly kind: 'receive'
      readonly id: number
      readonly batch: Batch
      readonly limit: number
      readonly key: string
    }
  | { readonly kind: 'wake' }
  | { readonly kind: 'stop' }

/** From the thread. */
export type News =
  | { readonly kind: 'ready' }
  | { readonly kind: 'receipt'; readonly id: number; readonly receipt: Receipt }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string; readonly unavailable: boolean }
  | { readonly kind: 'mail'; readonly mail: Mail }
  | { readonly kind: 'stopped' }

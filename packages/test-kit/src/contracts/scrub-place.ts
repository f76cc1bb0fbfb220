import type { Stores } from '@tributary/core'

type ScrubStores = Pick<
  Stores,
  'account' | 'auth' | 'blockedTerms' | 'contributors' | 'ingest' | 'rescrub' | 'traces' | 'dataset'
>

/** Two hosts on one empty database, with every store that re-scrubbing reads or writes. */
export interface ScrubPlace {
  readonly stores: readonly [ScrubStores, ScrubStores]
  close(): Promise<void>
}

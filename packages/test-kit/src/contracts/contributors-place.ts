import type { Stores } from '@tributary/core'

type ContributorStores = Pick<Stores, 'policy' | 'contributors' | 'outbox'>

/** Two hosts on one empty database. */
export interface ContributorsPlace {
  readonly stores: readonly [ContributorStores, ContributorStores]
  /** Creates a user. */
  person(id: string): Promise<void>
  close?(): Promise<void>
}

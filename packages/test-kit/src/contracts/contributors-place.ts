import type { Stores } from '@tributary/core'

type ContributorStores = Pick<Stores, 'policy' | 'contributors' | 'outbox'>

/** Two hosts on one empty database. */
export interface ContributorsPlace {
  readonly stores: readonly [ContributorStores, ContributorStores]
  /** Creates a user, with the verified address of the account. Default: an account without an address. */
  person(id: string, email?: string): Promise<void>
  close?(): Promise<void>
}

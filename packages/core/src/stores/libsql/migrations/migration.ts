/** One step of the schema. */
export interface Migration {
  /** Unique for good, `0001-sessions`. The order is the list's, not the id's. */
  readonly id: string
  /** One statement a string. They run in one transaction: all or none. */
  readonly sql: readonly string[]
}

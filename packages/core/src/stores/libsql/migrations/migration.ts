/** One step of the schema. */
export interface Migration {
  /** A unique and permanent name, such as `0001-sessions`. The list decides the order, not the id. */
  readonly id: string
  /** The statements, one in each string. They run in one transaction: all or none. */
  readonly sql: readonly string[]
}

import { eq, sql, type SQL } from 'drizzle-orm'
import { readFirst, type Postgres } from './database.ts'
import { users } from './tables.ts'

/** Returns the key of a user by id; null, which equals nothing, when there is none. */
export const selectOwnerNum = (ownerId: string): SQL<number> =>
  sql`(select ${users.num} from ${users} where ${users.id} = ${ownerId})`

/** Locks a user against other transactions that change what is theirs, and returns the row; null when there is none. */
export const lockOwner = (tx: Postgres, ownerId: string) =>
  readFirst(tx.select().from(users).where(eq(users.id, ownerId)).for('no key update'))

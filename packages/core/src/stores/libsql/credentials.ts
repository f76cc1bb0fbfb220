import { eq, lte } from 'drizzle-orm'
import { deleteSome } from './bounded-writes.ts'
import { build, prepare } from './statement.ts'
import { credentials, users } from './tables/sessions.ts'

export const deleteExpiredCredentials = prepare<{ now: number }>()(({ now }) =>
  deleteSome(credentials, lte(credentials.expiresAt, now)),
)

export const selectUserOfCredential = prepare<{ hash: string }>()(({ hash }) =>
  build
    .select({ id: users.id, email: users.email })
    .from(credentials)
    .innerJoin(users, eq(users.num, credentials.owner))
    .where(eq(credentials.hash, hash)),
)

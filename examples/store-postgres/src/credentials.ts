import type { NewCredential, StoredUser } from '@tributary/core'
import { eq, lte, sql, type SQL } from 'drizzle-orm'
import { readFirst, type Postgres } from './database.ts'
import { credentials, revokedCredentials, users } from './tables.ts'

/** Deletes credentials, and remembers them as revoked until they would have expired. Returns their hashes. */
export async function revoke(tx: Postgres, condition: SQL | undefined): Promise<string[]> {
  const { hash, owner, expiresAt } = credentials
  const deleted = await tx.delete(credentials).where(condition).returning({ hash, owner, expiresAt })
  if (deleted.length > 0) await tx.insert(revokedCredentials).values(deleted).onConflictDoNothing()
  return deleted.map((credential) => credential.hash)
}

interface CredentialOwner {
  readonly kind: 'token' | 'session'
  readonly owner: number
  readonly label: string
  readonly now: number
}

/** Stores a credential of an owner, and deletes expired ones. */
export async function insertCredential(
  tx: Postgres,
  { kind, owner, label, now }: CredentialOwner,
  credential: NewCredential,
): Promise<void> {
  await tx.delete(credentials).where(lte(credentials.expiresAt, now))
  await tx
    .insert(credentials)
    .values({ ...credential, kind, owner, label, createdAt: now, usedAt: kind === 'session' ? now : null })
}

/** Waits for every other transaction that gives this address to a user. */
async function lockAddress(tx: Postgres, email: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${email}, 0))`)
}

/** Returns the user with an address, whom it inserts if there is none. */
export async function ensureUser(
  tx: Postgres,
  { id, email, now }: { readonly id: string; readonly email: string; readonly now: number },
): Promise<StoredUser & { readonly num: number }> {
  await lockAddress(tx, email)
  const { num } = users
  const known = await readFirst(
    tx.select({ num, id: users.id, email: users.email }).from(users).where(eq(users.email, email)),
  )
  if (known) return known
  const [inserted] = await tx.insert(users).values({ id, email, createdAt: now }).returning({ num })
  return { num: inserted!.num, id, email }
}

/** Works as `AuthStore.upsertUser`; another address raises the identity revision of a known user. */
export async function upsertUser(
  tx: Postgres,
  { id, email, now }: { readonly id: string; readonly email: string | null; readonly now: number },
): Promise<void> {
  if (email !== null) await lockAddress(tx, email)
  const holder = email === null ? null : await readFirst(tx.select().from(users).where(eq(users.email, email)))
  const free = holder && holder.id !== id ? null : email
  await tx
    .insert(users)
    .values({ id, email: free, createdAt: now })
    .onConflictDoUpdate({
      target: users.id,
      set: { email: free, identityRevision: sql`${users.identityRevision} + 1` },
      setWhere: sql`${users.email} is distinct from ${free}`,
    })
}

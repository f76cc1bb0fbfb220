import { sql } from 'drizzle-orm'
import { index, integer, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { sqliteTable } from './sqlite-table.ts'

/**
 * People. `num` is the short key in every table with data about them. It is never used twice, not even after an
 * erasure.
 */
export const users = sqliteTable(
  'users',
  {
    num: integer('num').primaryKey({ autoIncrement: true }),
    id: text('id').notNull().unique(),
    email: text('email').unique(),
    createdAt: integer('created_at').notNull(),
    /** Null unless the person is being erased. During the erasure, `id` is a new id that identifies no person. */
    erasedAt: integer('erased_at'),
    /**
     * The sums of the person's entries in the ledger, in micro-dollars: of all entries, and of all entries except payouts.
     * A trigger of the ledger adds each entry, in the same step. Null if the person has no entries.
     */
    unpaid: integer('unpaid'),
    lifetime: integer('lifetime'),
  },
  (table) => [
    index('users_by_email').on(sql`coalesce(email, '')`, table.num),
    index('users_unpaid')
      .on(table.unpaid, table.num)
      .where(sql`unpaid is not null`),
    index('users_lifetime')
      .on(table.lifetime, table.num)
      .where(sql`unpaid is not null`),
  ],
)

/**
 * Bearer tokens (`kind` `token`, with the machine's label) and browser sessions. `hash` is hex SHA-256, `owner` is
 * `users.num`.
 */
export const credentials = sqliteTable(
  'credentials',
  {
    hash: text('hash').primaryKey(),
    id: text('id').notNull().unique(),
    kind: text('kind', { enum: ['token', 'session'] }).notNull(),
    owner: integer('owner').notNull(),
    label: text('label').notNull(),
    createdAt: integer('created_at').notNull(),
    usedAt: integer('used_at'),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('credentials_owner').on(table.owner), index('credentials_expiry').on(table.expiresAt)],
)

/**
 * One sign-in code for each challenge. It is stored for a day, because its guesses count for a day. `session` is the
 * hash of the session that the right code started; a code with a session is used.
 */
export const signInCodes = sqliteTable(
  'sign_in_codes',
  {
    challengeHash: text('challenge_hash').primaryKey(),
    codeHash: text('code_hash').notNull(),
    address: text('address').notNull(),
    guesses: integer('guesses').notNull(),
    session: text('session'),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [
    index('sign_in_codes_address').on(table.address, table.createdAt),
    index('sign_in_codes_created').on(table.createdAt),
  ],
)

/**
 * Device logins. `wait` is in seconds, `early` tells whether the last poll came too soon, and `token` is the hash of
 * the issued token. `id` is the id of the token; rows that are older than the column have no `id`.
 */
export const deviceLogins = sqliteTable(
  'device_logins',
  {
    deviceHash: text('device_hash').primaryKey(),
    userHash: text('user_hash').notNull().unique(),
    machine: text('machine').notNull(),
    status: text('status', { enum: ['pending', 'approved', 'denied', 'taken'] }).notNull(),
    wait: integer('wait').notNull(),
    polledAt: integer('polled_at'),
    early: integer('early').notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    owner: integer('owner'),
    token: text('token'),
    id: text('id'),
  },
  (table) => [index('device_logins_expiry').on(table.expiresAt), index('device_logins_owner').on(table.owner)],
)

/**
 * Credentials that were deleted from `credentials`, kept until they would have expired. A trigger inserts them for
 * every deletion.
 */
export const endedCredentials = sqliteTable(
  'ended_credentials',
  {
    hash: text('hash').primaryKey(),
    owner: integer('owner').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [index('ended_credentials_expiry').on(table.expiresAt), index('ended_credentials_owner').on(table.owner)],
)

/**
 * Browser sessions of operators. `hash` is hex HMAC-SHA-256 of the cookie's secret, with the operator's token as the
 * key; `passkey` is the id of the passkey that confirmed the session. A used challenge has the expiry 0.
 */
export const operatorSessions = sqliteTable(
  'operator_sessions',
  {
    hash: text('hash').primaryKey(),
    operator: text('operator').notNull(),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    passkey: text('passkey'),
    challenge: text('challenge'),
    challengePurpose: text('challenge_purpose', { enum: ['registration', 'sign_in'] }),
    challengeExpiresAt: integer('challenge_expires_at'),
  },
  (table) => [index('operator_sessions_expiry').on(table.expiresAt)],
)

/**
 * Passkeys of operators. `credential_id` and `public_key` (COSE) are base64url, `transports` is a JSON list, `rp_id` the
 * domain.
 */
export const operatorPasskeys = sqliteTable(
  'operator_passkeys',
  {
    id: text('id').primaryKey(),
    operator: text('operator').notNull(),
    credentialId: text('credential_id').notNull(),
    publicKey: text('public_key').notNull(),
    counter: integer('counter').notNull(),
    transports: text('transports').notNull(),
    rpId: text('rp_id').notNull(),
    label: text('label').notNull(),
    createdAt: integer('created_at').notNull(),
    usedAt: integer('used_at'),
  },
  (table) => [
    index('operator_passkeys_operator').on(table.operator, table.createdAt),
    uniqueIndex('operator_passkeys_credential').on(table.credentialId),
  ],
)

/** The secret that hashes short codes if no secret is configured. The table has one row. */
export const sessionSecrets = sqliteTable('session_secrets', {
  num: integer('num').primaryKey(),
  secret: text('secret').notNull(),
  madeAt: integer('made_at').notNull(),
})

/**
 * The permits that calls of a key consumed or that a host reserved. `spent` of the `granted` permits are known to be
 * consumed. Permits count until they expire.
 */
export const ratePermits = sqliteTable(
  'rate_permits',
  {
    num: integer('num').primaryKey(),
    key: text('key').notNull(),
    granted: integer('granted').notNull(),
    spent: integer('spent').notNull(),
    expiresAt: integer('expires_at').notNull(),
  },
  (table) => [
    index('rate_permits_key').on(table.key, table.expiresAt),
    index('rate_permits_expiry').on(table.expiresAt),
  ],
)

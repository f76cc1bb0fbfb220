import {
  deviceKeptMs,
  guessWindowMs,
  type Account,
  type Credential,
  type DeviceLogin,
  type Machine,
  type SessionStore,
} from '../../auth/store.ts'
import { recordAudit } from './audit.ts'
import { jsonArgument, raw, type Database } from './database.ts'
import { deleteSomeText, writeOnce, maxRowsPerWrite } from './bounded-writes.ts'

const num = '(select num from users where id = ?)'
/** Counts the wrong guesses at codes of the row's address that the same known browser made, or all browsers that are not known. */
const wrongGuesses = `(select coalesce(sum(other.guesses - (other.session is not null)), 0) from sign_in_codes other
  where other.address = sign_in_codes.address and other.browser_hash is sign_in_codes.browser_hash and other.created_at > ?)`
const machineColumns = 'id, label, created_at as "createdAt", used_at as "lastUsedAt"'
const credential = 'insert into credentials (hash, id, kind, owner, label, created_at, expires_at)'

/**
 * The sessions store in SQLite. Every guard stands in a statement's `where`; a batch is one immediate transaction, and
 * a later statement of it finds the work of an earlier one by the hash that this call alone brought.
 */
export function libsqlSessions(db: Database): SessionStore {
  const sweepCredentials = (now: number) => raw(deleteSomeText('credentials', 'hash', 'expires_at <= ?'), [now])

  return {
    async find(hash) {
      type Row = Account & Omit<Credential, 'user'>
      const [row] = await db.read<Row>(
        raw(
          `select c.kind, u.id, u.email, c.created_at as "createdAt", c.expires_at as "expiresAt", c.used_at as "usedAt"
          from credentials c join users u on u.num = c.owner where c.hash = ? and u.erased_at is null`,
          [hash],
        ),
      )
      if (!row) return null
      const { kind, id, email, createdAt, expiresAt, usedAt } = row
      return { kind, user: { id, email }, createdAt, expiresAt, usedAt }
    },
    async touch(hash, now, expiresAt) {
      await db.write([
        raw('update credentials set used_at = ?, expires_at = ? where hash = ? and expires_at > ?', [
          now,
          expiresAt,
          hash,
          now,
        ]),
      ])
    },
    async end(hash) {
      await db.write([raw('delete from credentials where hash = ?', [hash])])
    },

    async findEnded({ hash, now }) {
      const [row] = await db.read<{ id: string }>(
        raw(
          'select u.id from ended_credentials e join users u on u.num = e.owner where e.hash = ? and e.expires_at > ?',
          [hash, now],
        ),
      )
      return row ? { userId: row.id } : null
    },
    async forgetEnded(now) {
      return (
        (await db.write([raw(deleteSomeText('ended_credentials', 'hash', 'expires_at <= ?'), [now])]))[0]!.changed ===
        maxRowsPerWrite
      )
    },

    async account(id) {
      const [row] = await db.read<{ id: string; email: string | null }>(
        raw('select id, email from users where id = ?', [id]),
      )
      return row ? { id: row.id, email: row.email } : null
    },
    async upsertUser({ id, email }, now) {
      await db.write([
        raw(
          `insert into users (id, email, created_at)
         select ?1, case when exists (select 1 from users where email = ?2 and id <> ?1) then null else ?2 end, ?3 where true
         on conflict (id) do update set email = excluded.email`,
          [id, email, now],
        ),
      ])
    },

    async secret(fresh, now) {
      const [, kept] = await db.write<{ secret: string }>([
        raw('insert or ignore into session_secrets (num, secret, made_at) values (1, ?, ?)', [fresh, now]),
        raw('select secret from session_secrets where num = 1'),
      ])
      return kept!.rows[0]!.secret
    },
    async createSignInCode({ challengeHash, codeHash, address, browserHash, createdAt, expiresAt }) {
      await db.write([
        raw(deleteSomeText('sign_in_codes', 'challenge_hash', 'created_at <= ?'), [createdAt - guessWindowMs]),
        raw(
          `insert into sign_in_codes
            (challenge_hash, code_hash, address, browser_hash, guesses, session, created_at, expires_at)
          values (?, ?, ?, ?, 0, null, ?, ?)`,
          [challengeHash, codeHash, address, browserHash, createdAt, expiresAt],
        ),
      ])
    },
    async verifySignInCode({
      challengeHash,
      address,
      codeHashes,
      codeGuesses,
      dailyGuesses,
      userId,
      session,
      label,
      replacedHash,
      now,
    }) {
      const signedIn = 'exists (select 1 from sign_in_codes where challenge_hash = ? and session = ?)'
      type Row = { id: string; email: string | null; wrong: number; since: number | null }
      const [compared, , , , , user, counted] = await db.write<Row>([
        raw(
          `update sign_in_codes set guesses = guesses + 1,
            session = case when code_hash in (select value from json_each(?)) then ? end
          where challenge_hash = ? and address = ? and session is null and guesses < ? and expires_at > ?
            and ${wrongGuesses} < ?`,
          [
            jsonArgument(codeHashes),
            session.hash,
            challengeHash,
            address,
            codeGuesses,
            now,
            now - guessWindowMs,
            dailyGuesses,
          ],
        ),
        raw(
          `insert into users (id, email, created_at) select ?, ?, ? where ${signedIn} on conflict (email) do nothing`,
          [userId, address, now, challengeHash, session.hash],
        ),
        raw(`${credential} select ?, ?, 'session', num, ?, ?, ? from users where email = ? and ${signedIn}`, [
          session.hash,
          session.id,
          label,
          now,
          session.expiresAt,
          address,
          challengeHash,
          session.hash,
        ]),
        raw(`delete from credentials where hash = ? and kind = 'session' and ${signedIn}`, [
          replacedHash,
          challengeHash,
          session.hash,
        ]),
        sweepCredentials(now),
        raw('select u.id, u.email from credentials c join users u on u.num = c.owner where c.hash = ?', [session.hash]),
        raw(
          `select ${wrongGuesses} as wrong, (select min(created_at) from sign_in_codes other
            where other.address = sign_in_codes.address and other.browser_hash is sign_in_codes.browser_hash
              and other.created_at > ? and other.guesses > (other.session is not null)) as since
          from sign_in_codes where challenge_hash = ? and address = ? and session is null and expires_at > ?`,
          [now - guessWindowMs, now - guessWindowMs, challengeHash, address, now],
        ),
      ])
      const row = user!.rows[0]
      if (row) return { outcome: 'signed_in', user: { id: row.id, email: row.email } }
      const { wrong = 0, since = null } = counted!.rows[0] ?? {}
      if (compared!.changed === 1 || since === null || wrong < dailyGuesses) return { outcome: 'wrong' }
      return { outcome: 'too_many_guesses', until: since + guessWindowMs }
    },

    async startDevice(login) {
      const { deviceHash, userHash, machine, createdAt, expiresAt, interval } = login
      const [, inserted] = await db.write([
        raw(deleteSomeText('device_logins', 'device_hash', 'expires_at <= ?'), [createdAt - deviceKeptMs]),
        raw(
          `insert into device_logins (device_hash, user_hash, machine, status, wait, early, created_at, expires_at)
          values (?, ?, ?, 'pending', ?, 0, ?, ?) on conflict (user_hash) do nothing`,
          [deviceHash, userHash, machine, interval, createdAt, expiresAt],
        ),
      ])
      return inserted!.changed === 1
    },
    async findDevice(userHash) {
      const [row] = await db.read<DeviceLogin>(
        raw(
          'select machine, status, created_at as "createdAt", expires_at as "expiresAt" from device_logins where user_hash = ?',
          [userHash],
        ),
      )
      return row
        ? { machine: row.machine, createdAt: row.createdAt, expiresAt: row.expiresAt, status: row.status }
        : null
    },
    async decideDevice(owner, userHash, decision, now) {
      const [decided, left] = await db.write<{ machine: string; status: string }>([
        raw(
          `update device_logins set status = ?, owner = ${num}
          where user_hash = ? and status = 'pending' and expires_at > ? and exists (select 1 from users where id = ?)
          returning machine`,
          [decision, owner, userHash, now, owner],
        ),
        raw('select status from device_logins where user_hash = ? and exists (select 1 from users where id = ?)', [
          userHash,
          owner,
        ]),
      ])
      const done = decided!.rows[0]
      if (done) return { outcome: 'decided', machine: done.machine }
      const status = left!.rows[0]?.status
      if (status === undefined) return { outcome: 'unknown' }
      return { outcome: status === 'pending' ? 'expired' : 'already_decided' }
    },
    async pollDevice(deviceHash, token, now) {
      const [poll, , , given] = await db.write<{
        status: DeviceLogin['status']
        early: number
        wait: number
        token: string | null
        expires_at: number
        id: string
      }>([
        raw(
          `update device_logins set
            token = case when status = 'approved' and expires_at > ?1 then ?2 else token end,
            status = case when status = 'approved' and expires_at > ?1 then 'taken' else status end,
            early = case when status = 'pending' and ?1 < polled_at + wait * 1000 then 1 else 0 end,
            wait = case when status = 'pending' and ?1 < polled_at + wait * 1000 then wait + 5 else wait end,
            polled_at = ?1
          where device_hash = ?3 returning status, early, wait, token, expires_at`,
          [now, token.hash, deviceHash],
        ),
        raw(
          `${credential} select ?, ?, 'token', owner, machine, ?, ? from device_logins where device_hash = ? and token = ?`,
          [token.hash, token.id, now, token.expiresAt, deviceHash, token.hash],
        ),
        sweepCredentials(now),
        raw('select u.id from credentials c join users u on u.num = c.owner where c.hash = ?', [token.hash]),
      ])
      const row = poll!.rows[0]
      if (!row) return { outcome: 'unknown' }
      const user = given!.rows[0]
      if (user) return { outcome: 'approved', userId: user.id }
      if (row.status === 'denied' || row.status === 'taken') return { outcome: row.status }
      if (row.expires_at <= now) return { outcome: 'expired' }
      return row.early ? { outcome: 'slow_down', interval: row.wait } : { outcome: 'pending' }
    },

    async listSignedIn({ ownerId, now, currentHash }) {
      const rows = await db.read<Machine & { hash: string; kind: Credential['kind'] }>(
        raw(
          `select hash, kind, ${machineColumns} from credentials where owner = ${num} and expires_at > ? order by created_at desc, id desc`,
          [ownerId, now],
        ),
      )
      return rows.map(({ hash, kind, id, label, createdAt, lastUsedAt }) => ({
        id,
        kind: kind === 'token' ? 'machine' : 'browser',
        label,
        createdAt,
        lastUsedAt,
        isCurrent: hash === currentHash,
      }))
    },
    async revoke(owner, id) {
      const [gone] = await db.write<{ hash: string }>([
        raw(`delete from credentials where id = ? and owner = ${num} returning hash`, [id, owner]),
      ])
      return gone!.rows[0]?.hash ?? null
    },

    async startOperatorSession({ hash, expiresAt, audit }) {
      await db.write([
        raw(deleteSomeText('operator_sessions', 'hash', 'expires_at <= ?'), [audit.at]),
        raw('insert into operator_sessions (hash, operator, created_at, expires_at) values (?, ?, ?, ?)', [
          hash,
          audit.actor,
          audit.at,
          expiresAt,
        ]),
        recordAudit(audit, 'operator.sign_in', 'select operator, null, null from operator_sessions where hash = ?', [
          hash,
        ]),
      ])
    },
    async findOperatorSession({ hashes, now }) {
      const [row] = await db.read<{ hash: string }>(
        raw('select hash from operator_sessions where hash in (select value from json_each(?)) and expires_at > ?', [
          jsonArgument(hashes),
          now,
        ]),
      )
      return row?.hash ?? null
    },
    async endOperatorSession({ hash, audit }) {
      await db.write([
        recordAudit(audit, 'operator.sign_out', 'select operator, null, null from operator_sessions where hash = ?', [
          hash,
        ]),
        raw('delete from operator_sessions where hash = ?', [hash]),
      ])
    },

    async export(owner) {
      const [people, held, logins] = (await db.readAll([
        raw('select id, email, created_at as "createdAt" from users where id = ?', [owner]),
        raw(
          `select kind, ${machineColumns}, expires_at as "expiresAt" from credentials where owner = ${num} order by created_at, id`,
          [owner],
        ),
        raw(
          `select machine, status, created_at as "createdAt" from device_logins where owner = ${num} order by created_at`,
          [owner],
        ),
      ])) as [
        { id: string; email: string | null; createdAt: number }[],
        (Machine & { kind: string; expiresAt: number })[],
        { machine: string; status: string; createdAt: number }[],
      ]
      const user = people[0]
      if (!user) return null
      return {
        user: { id: user.id, email: user.email, createdAt: user.createdAt },
        machines: held
          .filter(({ kind }) => kind === 'token')
          .map(({ id, label, createdAt, lastUsedAt, expiresAt }) => ({ id, label, createdAt, lastUsedAt, expiresAt })),
        sessions: held
          .filter(({ kind }) => kind === 'session')
          .map(({ label, createdAt, lastUsedAt, expiresAt }) => ({ label, createdAt, lastUsedAt, expiresAt })),
        deviceLogins: logins.map(({ machine, status, createdAt }) => ({ machine, status, createdAt })),
      }
    },
    async erase(owner) {
      const queries = [
        raw(deleteSomeText('credentials', 'hash', `owner = ${num}`), [owner]),
        raw(deleteSomeText('device_logins', 'device_hash', `owner = ${num}`), [owner]),
        raw(deleteSomeText('ended_credentials', 'hash', `owner = ${num}`), [owner]),
      ]
      if (await writeOnce(db, queries)) return true
      // Nothing that came meanwhile outlives the person.
      await db.write([
        ...queries,
        raw('delete from sign_in_codes where address = (select email from users where id = ?)', [owner]),
        raw('delete from users where id = ?', [owner]),
      ])
      return false
    },
  }
}

import { temporaryDatabase, makeRemovalNotice } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import type { SqlClient, SqlResult } from './client.ts'
import { openDatabase, raw } from './database.ts'
import { libsqlStores } from './stores.ts'
import type { Stores } from '../../stores.ts'

const rows = 5_000
const repeatInsert = (insert: string): string =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows}) ${insert}`

/**
 * For each method that deletes or updates rows of a growing table: the statements that fill the table, the call, and
 * the counts that must be 0 afterwards.
 */
const methods: Record<string, { fill: string[]; call: (stores: Stores) => Promise<unknown>; left: string[] }> = {
  'outbox.deleteFinished': {
    fill: [
      'insert into outbox (id, channel, recipient, subject, payload, created_at, due_at, finished_at, ' +
        "status) select 'x' || i, 'mail', '', '', '', 0, 0, 5, 'sent' from n",
    ],
    call: ({ outbox }) => outbox.deleteFinished({ before: 6 }),
    left: ['select 1 from outbox'],
  },
  'outbox.claimMail': {
    fill: [
      'insert into outbox (id, channel, recipient, subject, payload, created_at, due_at, lease_until, ' +
        "status) select 'x' || i, 'mail', 'a@x.example', '', '', 0, 0, 5, 'sending' from n",
    ],
    call: async ({ outbox }) => {
      const limits = { perHour: 1, digestAfterMs: 1, maxDigestEntries: 1_000 }
      for (let n = 0; n < 5; n++) await outbox.claimMail({ lease: 'lease', now: 6, until: 7, limits })
    },
    left: ["select 1 from outbox where status = 'sending'"],
  },
  'ads.erase': {
    fill: [
      'insert into serves (id, owner, device, source, fingerprint, price, served_at, expires_at) select ' +
        `cast('x' || i as blob), 1, 'd', 'campaign', 'f', 0, 0, 0 from n`,
      "insert into ad_votes (serve, owner, device, fingerprint, vote, voted_at) select cast('x' || i as blob), 1, 'd', 'f', 'up', 0 from n",
      "insert into ad_days (owner, device, day, outcome, count) select 1, 'd', i, 'counted', 1 from n",
      "insert into outbox (id, owner, channel, recipient, subject, payload, created_at, due_at) select 'x' " +
        "|| i, 1, 'impression', '', '', '', 0, 0 from n",
    ],
    call: async ({ ads }) => {
      while (await ads.erase({ ownerId: 'ann' }));
    },
    left: ['select 1 from serves', 'select 1 from ad_votes', 'select 1 from ad_days', 'select 1 from outbox'],
  },
  'ingest.deleteExpiredUploads': {
    fill: [
      "insert into uploads (id, owner, secret, bytes, expires_at) select 'x' || i, 1, cast(i as blob), 1, 5 from n",
    ],
    call: ({ ingest }) => ingest.deleteExpiredUploads({ expiredBefore: 6 }),
    left: ['select 1 from uploads'],
  },
  'ingest.eraseJobs': {
    fill: [
      "insert into jobs (id, owner, source, status, total, parts, enqueued_at, next_at) select 'x' || i, 1, 's', 'done', 1, 1, 0, 0 from n",
      "insert into outcomes (job, idx, source_id, outcome, redactions, tokens) select i % 7 + 1, i, 'n', 'rejected', 0, 0 from n",
      "insert into uploads (id, owner, secret, bytes, expires_at) select 'x' || i, 1, cast(i as blob), 1, 5 from n",
    ],
    call: async ({ ingest }) => {
      const [jobs, uploads] = [new Set<string>(), new Set<string>()]
      for (let hasMore = true; hasMore;) {
        const erased = await ingest.eraseJobs({ ownerId: 'ann' })
        for (const { id } of erased.jobs) jobs.add(id)
        for (const id of erased.uploads) uploads.add(id)
        hasMore = erased.hasMore
      }
      expect([jobs.size, uploads.size]).toEqual([rows, rows])
    },
    left: ['select 1 from jobs', 'select 1 from outcomes', 'select 1 from uploads'],
  },
  'ingest.deleteFinishedJobs': {
    fill: [
      `insert into jobs (id, owner, source, status, total, parts, enqueued_at, next_at, finished_at)
        select 'x' || i, 1, 's', 'done', 1, 1, 0, 0, 5 from n`,
      "insert into outcomes (job, idx, source_id, outcome, redactions, tokens) select i % 7 + 1, i, 'n', 'rejected', 0, 0 from n",
    ],
    call: async ({ ingest }) => {
      while (await ingest.deleteFinishedJobs({ finishedBefore: 6 }));
    },
    left: ['select 1 from jobs', 'select 1 from outcomes'],
  },
  'traces.deleteUnsoldTraces': {
    fill: [
      `insert into traces (id, owner, source, source_id, created_at, hash, token_count, estimated_usd, scrub_version, redactions, stored_at)
        select 'x' || i, 1, 's', i, '', cast(i as blob), 0, 0, '', '{}', 0 from n where i < 3`,
      'insert into outcomes (job, idx, source_id, outcome, trace_id, redactions, tokens) select 1, i, ' +
        "'name', 'duplicate', 'x1', 0, 0 from n",
    ],
    call: async ({ traces }) =>
      expect(await traces.deleteUnsoldTraces({ ownerId: 'ann', ids: ['x1'] })).toEqual({ deleted: ['x1'], sold: [] }),
    left: ["select 1 from traces where id = 'x1'", "select 1 from outcomes where source_id <> ''"],
  },
  'traces.eraseTraces': {
    fill: [
      `insert into traces (id, owner, source, source_id, created_at, hash, token_count, estimated_usd,
         scrub_version, redactions, stored_at, sale_count)
        select 'x' || i, 1, 's', i, '', cast(i as blob), 0, 0, '', '{}', 0, 1 from n`,
      'insert into seen (owner, hash, trace) select 1, cast(i as blob), i from n',
      'insert into deleted_names (owner, hash) select 1, cast(i as blob) from n',
    ],
    call: async ({ traces }) => {
      while (await traces.eraseTraces({ ownerId: 'ann', notice: makeRemovalNotice() }));
    },
    left: ['select 1 from traces where owner is not null', 'select 1 from seen', 'select 1 from deleted_names'],
  },
  'account.eraseExports': {
    fill: [
      'insert into account_jobs (id, owner, former_id, kind, status, requested_at, next_at, secret) select ' +
        "'x' || i, 1, 'ann', 'export', 'failed', 0, 0, i from n",
    ],
    call: async ({ account }) => {
      while ((await account.eraseExports({ ownerId: 'ann' })).hasMore);
    },
    left: ['select 1 from account_jobs'],
  },
  'ads.deleteServes': {
    fill: [
      'insert into serves (id, owner, device, source, fingerprint, price, served_at, expires_at) select ' +
        `unhex(printf('%032x', i)), 1, 'd', 'campaign', 'f', 0, 0, 0 from n`,
    ],
    call: async ({ ads }) => {
      while (await ads.deleteServes({ before: Date.UTC(2200, 0) }));
    },
    left: ['select 1 from serves'],
  },
  'telemetry.deleteReports': {
    fill: [
      "insert into telemetry (id, owner, device_id, diagnostics, events, received_at) select 'x' || i, 1, 'd', '[]', '[]', 5 from n",
    ],
    call: async ({ telemetry }) => {
      while (await telemetry.deleteReports({ before: 6 }));
    },
    left: ['select 1 from telemetry'],
  },
  'telemetry.deleteFeedback': {
    fill: ["insert into cli_feedback (id, owner, message, received_at) select 'x' || i, 1, 'm', 5 from n"],
    call: async ({ telemetry }) => {
      while (await telemetry.deleteFeedback({ before: 6 }));
    },
    left: ['select 1 from cli_feedback'],
  },
  'telemetry.erase': {
    fill: [
      "insert into telemetry (id, owner, device_id, diagnostics, events, received_at) select 'x' || i, 1, 'd', '[]', '[]', 5 from n",
      "insert into cli_feedback (id, owner, message, received_at) select 'x' || i, 1, 'm', 5 from n",
    ],
    call: async ({ telemetry }) => {
      while (await telemetry.erase({ ownerId: 'ann' }));
    },
    left: ['select 1 from telemetry', 'select 1 from cli_feedback'],
  },
  'reports.deleteStaleReports': {
    fill: [
      "insert into reports (id, meaning, body, duplicate_of, status, created_at, changed_at) select 'x' || " +
        "i, 'm', '{}', iif(i = 1, null, 'x1'), 'open', 5, 5 from n",
      "insert into report_evidence (id, report, sender, type, content, redacted, created_at) select 'x' || " +
        "i, 'x1', 'x1', 't', 'c', 0, 5 from n",
      "insert into report_receipts (id, report, evidence_ids, created_at) select 'x' || i, 'x' || i, '[]', 5 from n",
    ],
    call: async ({ reports }) => {
      while (await reports.deleteStaleReports({ before: 6 }));
    },
    left: ['select 1 from reports', 'select 1 from report_evidence', 'select 1 from report_receipts'],
  },
  'reports.deleteKeys': {
    fill: [
      "insert into report_keys (key, fingerprint, lease, lease_until, created_at) select 'x' || i, 'f', 'l', 0, 5 from n",
    ],
    call: async ({ reports }) => {
      while (await reports.deleteKeys({ before: 6 }));
    },
    left: ['select 1 from report_keys'],
  },
  'idempotency.deleteKeys': {
    fill: [
      'insert into idempotency_keys (actor, key, fingerprint, effect_id, lease, lease_until, created_at) ' +
        "select 'operator', 'x' || i, '', '', '', 0, 5 from n",
    ],
    call: async ({ idempotency }) => {
      while (await idempotency.deleteKeys({ before: 6 }));
    },
    left: ['select 1 from idempotency_keys'],
  },
  'idempotency.erase': {
    fill: [
      'insert into idempotency_keys (actor, key, fingerprint, effect_id, lease, lease_until, created_at) ' +
        "select 'user:ann', 'x' || i, '', '', '', 0, 5 from n",
    ],
    call: async ({ idempotency }) => {
      while (await idempotency.erase({ ownerId: 'ann' }));
    },
    left: ['select 1 from idempotency_keys'],
  },
  'auth.erase': {
    fill: [
      "insert into credentials (hash, id, kind, owner, label, created_at, expires_at) select 'x' || i, 'x' " +
        "|| i, 'session', 1, '', 0, 5 from n",
      'insert into device_logins (device_hash, user_hash, machine, status, wait, early, created_at, ' +
        `expires_at, owner) select 'x' || i, 'x' || i, '', 'denied', 5, 0, 0, 5, 1 from n`,
    ],
    call: async ({ auth }) => {
      while (await auth.erase({ ownerId: 'ann' }));
    },
    left: ['select 1 from credentials', 'select 1 from device_logins', 'select 1 from users'],
  },
  'auth, deletion with each call': {
    fill: [
      "insert into credentials (hash, id, kind, owner, label, created_at, expires_at) select 'x' || i, 'x' " +
        "|| i, 'session', 1, '', 0, 5 from n",
      `insert into sign_in_codes (challenge_hash, code_hash, address, guesses, created_at, expires_at)
        select 'x' || i, 'h', 'x', 0, 0, 5 from n`,
      'insert into device_logins (device_hash, user_hash, machine, status, wait, early, created_at, ' +
        "expires_at) select 'x' || i, 'x' || i, '', 'denied', 5, 0, 0, 5 from n",
    ],
    call: async ({ auth }) => {
      const now = 1e12
      for (let i = 0; i < 6; i++) {
        const code = { challengeHash: `new ${i}`, address: 'a@x.example' }
        await auth.createSignInCode({
          ...code,
          codeHash: 'h',
          createdAt: now,
          expiresAt: now - 1,
        })
        await auth.verifySignInCode({
          ...code,
          codeHashes: ['h'],
          codeGuesses: 5,
          userId: 'u',
          session: { hash: 'new', id: 'new', expiresAt: now + 1 },
          label: '',
          replacedHash: null,
          now,
        })
        await auth.startDeviceAuthorization({
          id: `d${i}`,
          deviceCodeHash: `d${i}`,
          userCodeHash: `u${i}`,
          machine: '',
          createdAt: now,
          expiresAt: now + 1,
          interval: 5,
        })
      }
    },
    left: [
      "select 1 from credentials where hash <> 'new'",
      'select 1 from sign_in_codes where created_at = 0',
      'select 1 from device_logins where expires_at = 5',
    ],
  },
  'contributors.erase': {
    fill: [
      "insert into choices (owner, at, kind, fact) select 1, i, 'consent', '{}' from n",
      'insert into applications (id, owner, company_name, website, email, role, status, submitted_at) ' +
        "select 'x' || i, 1, '', '', '', '', 'rejected', 0 from n",
    ],
    call: async ({ contributors }) => {
      while (await contributors.erase({ ownerId: 'ann' }));
    },
    left: ['select 1 from choices', 'select 1 from applications'],
  },
  'policy.erase': {
    fill: ["insert into choices (owner, at, kind, fact) select 1, i, 'pause', '{}' from n"],
    call: async ({ policy }) => {
      while (await policy.erase({ ownerId: 'ann' }));
    },
    left: ['select 1 from choices'],
  },
  'program.erase': {
    fill: ["insert into devices (id, owner, claimed_at) select 'x' || i, 1, 0 from n"],
    call: async ({ program }) => {
      while (await program.erase({ ownerId: 'ann' }));
    },
    left: ['select 1 from devices'],
  },
  'limiter.take': {
    fill: ["insert into rate_permits (key, granted, spent, expires_at) select 'x' || i, 1, 1, 5 from n"],
    call: async ({ limiter }) => {
      for (let i = 0; i < 256; i++)
        await limiter.consume({ key: `key ${i}`, rate: { limit: 1, windowMs: 60_000 }, now: 1e12 })
    },
    left: [], // One of 256 calls deletes expired rows, and 256 calls add at most 256 rows.
  },
}

describe.each(Object.entries(methods))('%s', (_, { fill, call, left }) => {
  test('changes at most 2,000 rows per statement and finishes its work', { tags: 'long' }, async () => {
    const { client, close } = await temporaryDatabase()
    await openDatabase(client).write([
      raw("insert into users (id, email, created_at) values ('ann', 'ann@x.example', 0)"),
      ...fill.map((text) => raw(repeatInsert(text))),
    ])
    let [most, changed] = [0, 0]
    const counting = {
      execute: (one) => client.execute(one),
      async batch(all, mode) {
        const results = (await client.batch(all, mode)) as unknown as SqlResult[]
        for (const { columns, rows: returned, rowsAffected } of results) {
          const count = columns.length > 0 ? returned.length : rowsAffected
          most = Math.max(most, count)
          changed += count
        }
        return results
      },
      close: () => client.close(),
    } as SqlClient
    await call(libsqlStores(counting))
    expect(changed).toBeGreaterThanOrEqual(1_000)
    expect(most).toBeLessThanOrEqual(2_000)
    for (const text of left) expect([text, (await client.execute(text)).rows.length]).toEqual([text, 0])
    await close()
  })
})

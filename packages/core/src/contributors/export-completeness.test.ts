import { createTestStores, fixture } from '@tributary/test-kit'
import { getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import * as schema from '../stores/libsql/schema.ts'

/** The tables whose rows the account export shows, each with the parts of the export that contain the rows. */
const shown: Record<string, readonly string[]> = {
  account_jobs: ['exports'],
  ad_days: ['ads.days'],
  ad_votes: ['ads.votes'],
  applications: ['contributor.applications'],
  choices: ['policy.terms', 'policy.pauses', 'contributor.consents'],
  cli_feedback: ['telemetry.feedback'],
  contents: ['traces'],
  conversations: ['conversations'],
  credentials: ['sessions.machines', 'sessions.sessions'],
  deleted_names: ['deletedNames'],
  deleted_segments: ['conversations'],
  device_logins: ['sessions.deviceLogins'],
  devices: ['program'],
  idempotency_keys: ['idempotencyKeys'],
  jobs: ['jobs'],
  ledger: ['ledger'],
  outcomes: ['jobs'],
  payout_requests: ['payoutRequests'],
  profiles: ['contributor.contact', 'contributor.consent'],
  sale_items: ['traces'],
  sales: ['traces'],
  scrub_contexts: ['blockedTerms.terms', 'blockedTerms.updatedAt'],
  seen: ['traces', 'deletedHashes'],
  serves: ['ads.serves'],
  standings: ['policy.terms', 'policy.pauses'],
  telemetry: ['telemetry.reports'],
  traces: ['traces'],
  users: ['sessions.user'],
  waitlist: ['policy.waitlist'],
}

/** The other tables, each with the reason why the account export does not show the table. */
const omitted: Record<string, string> = {
  ad_addresses: 'hashes of addresses beside the time alone: nothing says whose they are',
  ad_secrets: 'secrets of the service',
  audit: 'what operators did; it names a person by id, and what was decided is in contributor, policy, jobs and traces',
  blob_pieces: 'pieces of blobs',
  blobs: 'raw uploads, encrypted, until their job is done, and prepared exports; their jobs are shown',
  campaign_corrections: 'corrections of campaigns, of nobody',
  campaign_months: 'closed sums of campaigns, of nobody',
  campaign_days: 'sums of campaigns, of nobody',
  campaign_rejections: 'sums of campaigns, of nobody',
  sponsor_links: 'links of campaigns, of nobody',
  campaigns: "the operator's",
  content_blobs:
    'keys of blobs that no trace names any more; what they held was shown with the trace until it was deleted',
  daily_counts: 'sums by day, of nobody',
  ended_credentials: 'hashes of ended tokens and sessions, until they would have expired',
  operator_sessions: 'sessions of operators, who have no account',
  operator_passkeys: 'public keys of operators, who have no account',
  outbox: 'copies of mails, telemetry and impressions on their way out; where they came from is shown',
  rate_permits: 'permits that expire with their window',
  report_evidence: 'sent without an account',
  report_keys: 'sent without an account',
  report_receipts: 'sent without an account',
  reports: 'sent without an account',
  fingerprints: 'hashes of words of the traces',
  fingerprint_index: 'the same',
  fingerprint_state: 'counts of nobody',
  overlaps: "which traces have text of others, which says something of other people's traces",
  rescrub_passes: 'how far the background re-scrubbing of all traces got, of nobody',
  session_secrets: 'secrets of the service',
  sign_in_codes: 'hashes of codes with the address that was typed, which is in sessions; deleted after a day',
  buyers: 'buyers are not contributors',
  buyer_sessions: 'buyers are not contributors',
  removals: 'what buyers were told to delete; it names no person, and sales of a trace are in traces',
  webhooks: "the operator's",
  uploads: 'addresses to upload to, good for an hour; what was uploaded is in jobs',
}

test('every table appears in GET /api/account/export or has a reason for its omission', () => {
  const tables = (Object.values(schema) as readonly unknown[])
    .filter((one): one is SQLiteTable => is(one, SQLiteTable))
    .map(getTableName)
  expect([...Object.keys(shown), ...Object.keys(omitted)].sort()).toEqual(tables.sort())
})

test('GET /api/account/export contains exactly the parts that are listed for the tables', async () => {
  const made = fixture({ stores: createTestStores() })
  const { account } = (
    await made.ask('GET', '/api/account/export', { headers: (await made.signIn('ann@example.com')).bearer })
  ).json
  // A part that is a list shows whole tables; any other part shows a table under each of its keys.
  const parts = Object.entries(account as Record<string, object>).flatMap(([name, part]) =>
    Array.isArray(part) ? [name] : Object.keys(part).map((key) => `${name}.${key}`),
  )
  expect([...new Set(Object.values(shown).flat())].sort()).toEqual(parts.sort())
})

import { createService, type ServiceOptions, type Stores } from '@tributary/core'
import { describe, expect, test } from 'vitest'
import { conformance, overFetch, type Target } from './conformance.ts'
import { createTestStores } from './fixtures/database.ts'
import { createRecordingMailer } from './fixtures/service.ts'

/**
 * Faults inside services that are tested from outside. `mutants.isolated.slow.test.ts` changes the form of replies;
 * here the reply has the right form but the wrong content.
 */
type Fault = (stores: Stores) => Partial<ServiceOptions> | void

const put = <S extends object>(store: S, methods: Partial<Record<keyof S, unknown>>): void =>
  void Object.assign(store, methods)

const faults: readonly (readonly [what: string, fault: Fault, only: string, seenBy: readonly string[]])[] = [
  [
    'POST /api/traces/known returns every hash',
    ({ traces }) => put(traces, { findKnownHashes: async ({ hashes }: { hashes: string[] }) => hashes }),
    'E7',
    [
      'E7: the stored hashes are returned, once each, in the order sent',
      'E7: 5,000 hashes are accepted, and one more hash returns 400',
    ],
  ],
  [
    'POST /api/traces/known returns hashes of other users',
    (stores) => ignoreOwner(stores, 'findKnownHashes', (found) => (found as string[]).length > 0),
    'stored for another user',
    ['ingest: the same content is stored for another user'],
  ],
  [
    'GET /api/traces/:id finds traces of other users',
    (stores) => ignoreOwner(stores, 'findTrace', (found) => found !== null),
    'E8',
    ['E8: a trace of another user returns 404 for every method'],
  ],
  [
    'GET /api/traces/:id/download returns traces of other users',
    (stores) => ignoreOwner(stores, 'readTrace', (found) => found !== null),
    'E8',
    ['E8: a trace of another user returns 404 for every method'],
  ],
  [
    'DELETE /api/traces/bulk keeps traces that it returns as deleted',
    ({ traces }) =>
      put(traces, {
        deleteUnsoldTraces: async ({ ids }: { ids: string[] }) => ({ deleted: [...new Set(ids)], sold: [] }),
      }),
    'E4',
    [
      'E4: a deleted trace returns 404 on every route, and its hash stays known',
      'E4: a sold trace is kept and listed',
      'E4: 1 to 500 ids are accepted',
    ],
  ],
  [
    'an exclusion is not stored',
    ({ traces }) => {
      const set = traces.setSellExcluded.bind(traces)
      put(traces, {
        setSellExcluded: async ({ sellExcluded, ...params }: Parameters<typeof set>[0]) =>
          (await set({ ...params, sellExcluded: false })).map((state) => ({ ...state, sellExcluded })),
      })
    },
    'traces',
    [
      'traces: a sale sells the traces that are for sale and lists the skipped traces',
      'traces: the dataset has the documents of the traces for sale, without names of contributors',
    ],
  ],
  [
    'a claim replaces the owner of a device',
    ({ program }) => put(program, { claimDevice: async () => 'claimed' }),
    'E19',
    ['E19: a device of another user returns 409', 'E19: only one of two concurrent claims succeeds'],
  ],
  [
    'GET /api/ad does not check the owner of the device',
    ({ program }) => put(program, { findOwnership: async () => 'nobody' }),
    'E16',
    ['E16: a device of another user and its settings return 403'],
  ],
  [
    'consent is always given',
    ({ contributors }) => put(contributors, { getConsent: async () => ({ attribution: true, pixel: true }) }),
    'E17',
    ['E17: tracking matches the consent, unless the request declines tracking'],
  ],
  [
    'a revoked machine still works',
    ({ auth }) => put(auth, { revokeCredentialById: async () => ({ hash: 'no-such-hash' }) }),
    'machine',
    [
      'sign-in: machines are listed with their label and next to browsers, and a revoked machine gets 401',
      'sign-in: a machine of another user returns 404',
    ],
  ],
  [
    'signing out revokes no session',
    ({ auth }) => put(auth, { revokeCredential: async () => undefined }),
    'signing out',
    [
      'sign-in: signing out ends only the session of the request',
      'sign-in: signing out with a bearer token revokes this token',
    ],
  ],
  [
    'an erasure does not start',
    ({ account }) => put(account, { startErasure: async () => true }),
    'ends the account',
    ['contributor: DELETE /api/account ends the account and all of its credentials'],
  ],
  [
    'a denied device authorization is not stored',
    ({ auth }) => {
      const decide = auth.decideDeviceAuthorization.bind(auth)
      put(auth, {
        decideDeviceAuthorization: (params: Parameters<typeof decide>[0]) =>
          decide({ ...params, decision: 'approved' }),
      })
    },
    'device login',
    ['device-login: a user code is accepted in any case and punctuation'],
  ],
  [
    'a pause is not stored',
    ({ policy }) => put(policy, { setPause: async (params: { ownerId: string }) => policy.getStanding(params) }),
    'pause',
    ['contributor: a pause closes uploads, and the end of the pause opens them'],
  ],
  [
    'a repeated key counts as new',
    ({ reports }) => put(reports, { claimKey: async () => 'claimed' }),
    'E20',
    ['E20: the same key and report return 200 with the same receipt, in any spelling of the key'],
  ],
  [
    'no two reports mean the same',
    ({ reports }) => {
      const createReport = reports.createReport.bind(reports)
      let made = 0
      put(reports, {
        createReport: ({ report, ...params }: Parameters<typeof createReport>[0]) =>
          createReport({ ...params, report: { ...report, similarityHash: `${report.similarityHash}${made++}` } }),
      })
    },
    'agent reports',
    [
      'E20: the same meaning with another key returns 202 and refers to the open report',
      'reports: an observation returns 201, or 202 if it means the same as an open one',
    ],
  ],
  [
    'evidence is lost',
    ({ reports }) => put(reports, { attachEvidence: async () => null }),
    'evidence',
    ['reports: evidence can be attached to an existing report'],
  ],
  [
    'feedback is not stored',
    ({ telemetry }) => put(telemetry, { recordFeedback: async () => true }),
    'feedback is returned',
    ['operator: feedback is returned to the operator as it was written'],
  ],
  [
    'every impression is counted',
    ({ ads }) => {
      const count = ads.recordImpression.bind(ads)
      put(ads, {
        recordImpression: (params: Parameters<typeof count>[0]) => count({ ...params, now: params.now + 5_000 }),
      })
    },
    'ads',
    [
      'E18: a vote on an ad without an impression is refused',
      'ads: an impression counts once, even if it is repeated, and does not count if it is too early',
    ],
  ],
  [
    'nothing is scrubbed',
    () => ({
      scrubber: {
        version: 'none',
        scrub: (texts: readonly string[]) => ({ ok: true, texts: [...texts], counts: {}, total: 0 }),
      },
    }),
    'are replaced and counted',
    ['ingest: secrets and personal data are replaced and counted'],
  ],
  [
    'times and tokens of the client are stored unchecked',
    () => ({ tokenizer: { name: 'wrong', count: () => 999_999 } }) as never,
    'messages are returned',
    ['ingest: messages are returned by position, with times in UTC, and with the tokens that the service counted'],
  ],
  [
    'baseUrl and origins are wrong',
    () => ({ baseUrl: 'http://127.0.0.1:8787', prefix: '', origins: ['https://evil.example'] }),
    'every path: HTTP',
    ['http: replies have no CORS headers for other origins'],
  ],
  [
    "the operator's token is another",
    () => ({ adminToken: 'somebody-elses-token' }),
    'operator',
    ['operator: /api/admin/jobs'],
  ],
  [
    'rate limits are off',
    () => ({ rates: 'off' }),
    'rates',
    [
      'E2: 20 messages an hour are accepted from one user',
      'E5: 60 batches a minute are accepted from one user',
      'E20: 100 reports an hour are accepted from one address',
      'http: five sign-in codes in ten minutes are sent to one address',
    ],
  ],
  [
    'no job completes',
    ({ ingest }) => put(ingest, { claimJob: async () => null }),
    'an empty batch',
    ['E5: an empty batch returns a job that is done'],
  ],
]

/** Makes a method of the trace store find traces of any owner. */
function ignoreOwner(
  { traces, policy }: Stores,
  method: 'findKnownHashes' | 'findTrace' | 'readTrace',
  fits: (found: unknown) => boolean,
): void {
  const owners = new Set<string>()
  const getStanding = policy.getStanding.bind(policy)
  put(policy, {
    getStanding: (params: { ownerId: string }) => (owners.add(params.ownerId), getStanding(params)),
  })
  const own = traces[method].bind(traces) as (params: { ownerId: string }) => Promise<unknown>
  put(traces, {
    async [method](params: { ownerId: string }) {
      for (const ownerId of [params.ownerId, ...owners]) {
        const found = await own({ ...params, ownerId })
        if (fits(found)) return found
      }
      return own(params)
    },
  })
}

describe('conformance finds a fault inside the service:', { tags: 'long' }, () => {
  test.each(faults)('%s', async (_, fault, only, seenBy) => {
    const mailer = createRecordingMailer()
    const [stores, adminToken] = [createTestStores(), 'the-operator-of-this-test']
    let ahead = 0
    const service = createService({
      baseUrl: 'http://127.0.0.1:8787',
      stores,
      mailer,
      rates: only === 'rates' ? {} : 'off',
      adminToken,
      country: () => 'US',
      approval: 'automatic',
      ingestLimit: 256 * 1024,
      clock: () => Date.now() + ahead,
      ...fault(stores),
    })
    const target: Target = {
      request: overFetch(service),
      adminToken,
      code: (email) => mailer.code(email),
      work: () => service.work(),
      wait: (ms) => void (ahead += ms),
      ...(only === 'rates' ? { rates: 'default' } : {}),
    }
    const { results } = await conformance(target, { only: [only], eventuallyMs: 0, jobMs: 200 })
    const failed = results.filter(({ outcome }) => outcome === 'failed').map(({ of, name }) => `${of}: ${name}`)
    expect(seenBy.filter((one) => !failed.some((name) => name.startsWith(one)))).toEqual([])
  })
})

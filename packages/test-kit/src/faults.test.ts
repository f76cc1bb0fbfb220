import { createService, type ServiceOptions, type Stores } from '@tributary/core'
import { memoryStores } from '@tributary/core/memory'
import { describe, expect, test } from 'vitest'
import { conformance, overFetch, type Target } from './conformance.ts'
import { recordingMailer } from './fixtures/service.ts'

/**
 * Services with a real fault inside, seen from outside. `mutants.isolated.slow.test.ts` breaks what a reply says;
 * here the reply is well made and what it says is not so.
 */
type Fault = (stores: Stores) => Partial<ServiceOptions> | void

const put = <S extends object>(store: S, methods: Partial<Record<keyof S, unknown>>): void =>
  void Object.assign(store, methods)

const faults: readonly (readonly [what: string, fault: Fault, only: string, seenBy: readonly string[]])[] = [
  [
    'E7 knows whatever is asked',
    ({ traces }) => put(traces, { findKnownHashes: async ({ hashes }: { hashes: string[] }) => hashes }),
    'E7',
    ['E7: of the hashes sent', 'E7: 5,000 hashes'],
  ],
  [
    "E7 knows other people's traces",
    (stores) => anybody(stores, 'findKnownHashes', (found) => (found as string[]).length > 0),
    'another person may send',
    ['decisions 6: another person may send'],
  ],
  [
    "E8 finds other people's traces",
    (stores) => anybody(stores, 'findTrace', (found) => found !== null),
    'E8',
    ["E8: another person's trace"],
  ],
  [
    "E10 gives other people's traces out",
    (stores) => anybody(stores, 'readTrace', (found) => found !== null),
    'E8',
    ["E8: another person's trace"],
  ],
  [
    'E4 says that it deletes, and does not',
    ({ traces }) =>
      put(traces, {
        deleteUnsoldTraces: async ({ ids }: { ids: string[] }) => ({ deleted: [...new Set(ids)], sold: [] }),
      }),
    'E4',
    ['E4: a deleted trace', 'E4: a sold trace is kept', 'E4: 1 to 500 ids'],
  ],
  [
    'an exclusion is forgotten',
    ({ traces }) => {
      const set = traces.setSellExcluded.bind(traces)
      put(traces, {
        setSellExcluded: async ({ sellExcluded, ...params }: Parameters<typeof set>[0]) =>
          (await set({ ...params, sellExcluded: false })).map((state) => ({ ...state, sellExcluded })),
      })
    },
    'decisions 7',
    ['decisions 7: a sale takes what may be sold', 'decisions 7: the dataset has what may be sold'],
  ],
  [
    'a device belongs to whoever claimed it last',
    ({ program }) => put(program, { claimDevice: async () => 'claimed' }),
    'E19',
    ['E19: a device of another person', 'E19: of two who claim'],
  ],
  [
    'E16 asks nobody whose device it is',
    ({ program }) => put(program, { findOwnership: async () => 'nobody' }),
    'E16',
    ['E16: a device of another person'],
  ],
  [
    'consent is always given',
    ({ contributors }) => put(contributors, { getConsent: async () => ({ attribution: true, pixel: true }) }),
    'E17',
    ['E17: the configuration follows the consent'],
  ],
  [
    'a revoked machine goes on',
    ({ auth }) => put(auth, { revokeCredentialById: async () => 'no-such-hash' }),
    'machine',
    ['decisions 3: machines are listed', "decisions 3: another person's machine"],
  ],
  [
    'signing out ends nothing',
    ({ auth }) => put(auth, { revokeCredential: async () => undefined }),
    'signing out',
    ['decisions 3: signing out ends the session', 'decisions 3: signing out by bearer'],
  ],
  [
    'erasing leaves the person',
    ({ account }) => put(account, { startErasure: async () => true }),
    'erasing',
    ['decisions 5: erasing ends the account'],
  ],
  [
    'a device login is never denied',
    ({ auth }) => {
      const decide = auth.decideDeviceAuthorization.bind(auth)
      put(auth, {
        decideDeviceAuthorization: (params: Parameters<typeof decide>[0]) =>
          decide({ ...params, decision: 'approved' }),
      })
    },
    'device login',
    ['decisions 4: a code is read without regard'],
  ],
  [
    'a pause is forgotten',
    ({ policy }) => put(policy, { setPause: async (params: { ownerId: string }) => policy.getStanding(params) }),
    'pause',
    ["decisions 5: a pause of one's own"],
  ],
  [
    'every key is new',
    ({ reports }) => put(reports, { claimKey: async () => 'claimed' }),
    'E20',
    ['E20: the same key and report again'],
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
    ['E20: the same meaning under another key', 'decisions 10: an observation is 201'],
  ],
  [
    'evidence is lost',
    ({ reports }) => put(reports, { attachEvidence: async () => null }),
    'evidence',
    ['decisions 10: evidence is attached'],
  ],
  [
    'feedback is thrown away',
    ({ telemetry }) => put(telemetry, { recordFeedback: async () => true }),
    'feedback reaches',
    ['decisions 11: feedback reaches the operator'],
  ],
  [
    'every impression counts',
    ({ ads }) => {
      const count = ads.recordImpression.bind(ads)
      put(ads, {
        recordImpression: (params: Parameters<typeof count>[0]) => count({ ...params, now: params.now + 5_000 }),
      })
    },
    'ads',
    ['E18: nobody votes on what was not seen', 'decisions 9: an impression counts once'],
  ],
  [
    'nothing is scrubbed',
    () => ({
      scrubber: {
        version: 'none',
        scrub: (texts: readonly string[]) => ({ ok: true, texts: [...texts], counts: {}, total: 0 }),
      },
    }),
    'taken out',
    ['decisions 6: secrets and personal data'],
  ],
  [
    "the client's times and tokens are believed",
    () => ({ tokenizer: { name: 'wrong', count: () => 999_999 } }) as never,
    'messages come back',
    ['decisions 6: messages come back by position'],
  ],
  [
    'links go to another place',
    () => ({ baseUrl: 'http://127.0.0.1:8787', prefix: '', origins: ['https://evil.example'] }),
    'every path: HTTP',
    ['decisions 1: no page of another origin'],
  ],
  [
    "the operator's token is another",
    () => ({ adminToken: 'somebody-elses-token' }),
    'operator',
    ['decisions 11: /api/admin/jobs'],
  ],
  [
    'the rates are off',
    () => ({ rates: 'off' }),
    'rates',
    [
      'E2: 20 messages an hour',
      'E5: 60 batches a minute',
      'E20: 100 reports an hour',
      'decisions 1: five codes by mail',
    ],
  ],
  [
    'no job is ever done',
    ({ ingest }) => put(ingest, { claimJob: async () => null }),
    'an empty batch',
    ['E5: an empty batch'],
  ],
]

/** Lets a method of the traces find what anybody has. */
function anybody(
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

describe('a fault inside the service is seen from outside', () => {
  test.each(faults)('%s', async (_, fault, only, seenBy) => {
    const mailer = recordingMailer()
    const [stores, adminToken] = [memoryStores(), 'the-operator-of-this-test']
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

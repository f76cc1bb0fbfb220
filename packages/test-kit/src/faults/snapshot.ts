import type {
  AdExport,
  AdminJob,
  AuditEntry,
  Balance,
  Campaign,
  StoredFeedback,
  StoredReport,
  LedgerEntry,
  ListedTrace,
  OutcomeRecord,
  RecordedSale,
  ListedOutboxEntry,
} from '@tributary/core/stores'
import type { ExpectedPerson } from './ledger.ts'
import { operator, type World } from './world.ts'

/** The data of one person in the stores. */
export interface PersonFound {
  readonly expected: ExpectedPerson
  readonly hasAccount: boolean
  readonly traces: readonly ListedTrace[]
  /** Stored messages as JSON text, by trace id. */
  readonly messages: ReadonlyMap<string, string | null>
  readonly jobs: readonly (AdminJob & { readonly outcomes: readonly OutcomeRecord[] })[]
  readonly machines: number
  readonly devices: readonly string[]
  readonly ads: AdExport
  readonly entries: readonly LedgerEntry[]
  readonly balance: Balance
  readonly telemetryIds: readonly string[]
  /** The result of each port's `export`, by port. */
  readonly held: ReadonlyMap<string, unknown>
  /** Whether the person's first token still works. */
  readonly tokenWorks: boolean
  /** The status of the reply to the repeated call of `ExpectedPerson.correction`. Null if there is none. */
  readonly correctionStatus: number | null
  /** The id of the account that the person's address signs in to. */
  readonly signsInAs: string
}

/** Everything that the invariants compare, read after the flow from the stores and a host without faults. */
export interface Snapshot {
  readonly people: readonly PersonFound[]
  readonly sales: readonly RecordedSale[]
  /** Traces that their buyers are to delete. */
  readonly removals: Awaited<ReturnType<World['stores']['buyers']['listAllRemovals']>>['items']
  readonly audit: readonly AuditEntry[]
  readonly campaigns: readonly (Campaign & { readonly today: number })[]
  /** The CSV lines that sponsors with a link read. `isSame`: whether closed months are the same as in the flow. */
  readonly sponsored: readonly {
    readonly name: string
    readonly days: readonly string[]
    readonly months: readonly string[]
    readonly isSame: boolean
  }[]
  readonly reports: readonly (StoredReport & { readonly title: string })[]
  /** Report ids by receipt id. */
  readonly receipts: ReadonlyMap<string, string>
  readonly feedback: readonly StoredFeedback[]
  readonly outbox: readonly ListedOutboxEntry[]
  readonly blobs: readonly string[]
  /** Whether an erasure or an export of an account is still due. */
  readonly accountJobWaits: boolean
  /** The user id of each credential, in the order of the ledger. Null if the credential does not work. */
  readonly credentials: readonly (string | null)[]
  /** The number of credentials of `ledger.revoked` that still work. */
  readonly revokedThatWork: number
  /** The current replies to the requests of `ledger.reads`. */
  readonly reads: readonly string[]
}

const most = 1000
const first = { cursor: null, limit: most } as const
const dayMs = 24 * 60 * 60 * 1000

/** Reads the snapshot. */
export async function takeSnapshot(world: World): Promise<Snapshot> {
  const { stores, ledger } = world
  const day = Math.floor(Date.UTC(2026, 10, 20) / dayMs)
  const running = new Map(
    (await stores.ads.listActiveCampaigns({ day })).map(({ id, impressionsToday: today }) => [id, today]),
  )
  const receipts = await Promise.all(
    ledger.reports.map(
      async ({ receiptId }) =>
        [receiptId, (await stores.reports.findReceipt({ id: receiptId }))?.reportId ?? 'none'] as const,
    ),
  )
  const readLines = async (path: string): Promise<string[]> =>
    (await world.askOk('GET', path)).text.split('\r\n').filter((line) => line !== '')
  const sponsored = []
  for (const { name, sponsorPath, closedMonths = [] } of ledger.campaigns) {
    if (sponsorPath === undefined) continue
    const [days, months] = [await readLines(`${sponsorPath}.csv`), await readLines(`${sponsorPath}/months.csv`)]
    sponsored.push({ name, days, months, isSame: closedMonths.every((line) => months.includes(line)) })
  }
  const reads: string[] = []
  for (const { path, headers } of ledger.reads) reads.push((await world.askOk('GET', path, { headers })).text)
  const findUser = async (headers: Readonly<Record<string, string>>): Promise<string | null> => {
    const answer = await world.setup.ask('GET', '/api/account/export', { headers })
    return answer.status === 200 ? (answer.json.userId as string) : null
  }
  const credentials: (string | null)[] = []
  for (const { headers } of ledger.credentials) credentials.push(await findUser(headers))
  let revokedThatWork = 0
  for (const headers of ledger.revoked) if ((await findUser(headers)) !== null) revokedThatWork++
  const people: PersonFound[] = []
  for (const expected of ledger.people) people.push(await readPerson(world, expected))
  return {
    people,
    credentials,
    revokedThatWork,
    reads,
    sales: (await stores.dataset.listSales(first)).items,
    removals: (await stores.buyers.listAllRemovals({ ...first, status: 'open' })).items,
    audit: (await stores.audit.listEntries({ ...first, actor: null, action: null })).items,
    campaigns: (await stores.ads.listCampaigns(first)).items.map((one) => ({
      ...one,
      today: running.get(one.id) ?? 0,
    })),
    reports: (await stores.reports.listReports({ status: null, ...first })).items.map((one) => ({
      ...one,
      title: (JSON.parse(one.body) as { content: { title: string } }).content.title,
    })),
    sponsored,
    receipts: new Map(receipts),
    feedback: (await stores.telemetry.listFeedback(first)).items,
    outbox: (await stores.outbox.list({ cursor: null, limit: most })).items,
    accountJobWaits:
      (await stores.account.claimJob({ lease: 'snapshot', now: world.clock(), until: world.clock() + 1 })) !== null,
    blobs: await listUnnamedBlobs(world),
  }
}

/** Returns the keys of the blobs that no content of a trace references. */
async function listUnnamedBlobs({ stores: { contents }, blobs }: World): Promise<string[]> {
  const named = new Set<string>()
  for (const { traceId } of await contents.listMovable({ to: 'database', minBytes: 0, after: 0, limit: most }))
    named.add((JSON.parse((await contents.readContent({ traceId }))!) as { blob: string }).blob)
  return (await blobs.stale(Number.MAX_SAFE_INTEGER, most, '')).filter((key) => !named.has(key))
}

async function readPerson({ stores, setup, clock }: World, expected: ExpectedPerson): Promise<PersonFound> {
  const { userId, email, bearer } = expected.signed
  const traces = (await stores.traces.listTraces({ ownerId: userId, ...first })).items
  const messages = new Map<string, string | null>()
  for (const { id } of [...traces, ...expected.traces]) {
    if (id !== null) messages.set(id, (await stores.traces.readTrace({ ownerId: userId, id }))?.messages ?? null)
  }
  const jobs = (await stores.ingest.listAllJobs({ cursor: null, limit: most })).items.filter(
    ({ ownerId }) => ownerId === userId,
  )
  const owner = { ownerId: userId }
  const exports: Record<string, unknown> = {
    ads: stores.ads.export({ ownerId: userId }),
    auth: stores.auth.export(owner),
    contributors: stores.contributors.export(owner),
    idempotency: stores.idempotency.export(owner),
    ingest: stores.ingest.exportJobs(owner),
    ledger: stores.ledger.export(owner),
    policy: stores.policy.export(owner),
    program: stores.program.listDevices({ ownerId: userId }),
    telemetry: stores.telemetry.export({ ownerId: userId }),
    traces: stores.traces.exportTraces(owner),
    deletedHashes: stores.traces.exportDeletedHashes(owner),
    deletedNames: stores.traces.exportDeletedNames(owner),
  }
  const held = new Map<string, unknown>()
  for (const [name, exported] of Object.entries(exports)) held.set(name, await gatherValues(exported))
  return {
    expected,
    traces,
    messages,
    held,
    hasAccount: (await stores.auth.findUser({ id: userId })) !== null,
    jobs: await Promise.all(
      jobs.map(async (job) => ({
        ...job,
        outcomes: (await stores.ingest.listOutcomes({ ownerId: userId, jobId: job.id })) ?? [],
      })),
    ),
    machines: (await stores.auth.listCredentials({ ownerId: userId, now: clock(), currentHash: null })).filter(
      ({ kind, status }) => kind === 'machine' && status === 'signed_in',
    ).length,
    devices: (await stores.program.listDevices({ ownerId: userId })).map(({ id }) => id),
    ads: await stores.ads.export({ ownerId: userId }),
    entries: await stores.ledger.export(owner),
    balance: (await stores.ledger.listEntries({ ownerId: userId, now: clock(), cursor: null, limit: 1 })).balance,
    telemetryIds: (await stores.telemetry.export({ ownerId: userId })).reports.map(({ id }) => id),
    tokenWorks: (await setup.ask('GET', '/api/cli/session', { headers: bearer })).status === 200,
    correctionStatus: await repeatCorrection(setup, expected),
    signsInAs: (await setup.signIn(email)).userId,
  }
}

async function repeatCorrection(setup: World['setup'], { correction }: ExpectedPerson): Promise<number | null> {
  if (!correction) return null
  const { key, json } = correction
  const headers = { ...operator, 'idempotency-key': key }
  return (await setup.ask('POST', '/api/admin/corrections', { headers, json })).status
}

async function gatherValues(given: unknown): Promise<unknown> {
  if (typeof given !== 'object' || given === null || !(Symbol.asyncIterator in given)) return given
  const all: unknown[] = []
  for await (const one of given as AsyncIterable<unknown>) all.push(one)
  return all
}

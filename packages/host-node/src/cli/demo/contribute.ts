import type { SeededRandom } from './seeded-random.ts'
import { people, waitlist, type Character } from './people.ts'
import type { DemoService, SignedInUser } from './demo-service.ts'
import { createConversation } from './conversation.ts'

const minute = 60_000
const hour = 60 * minute

/** A signed-in demo user. */
export interface DemoUser extends SignedInUser {
  readonly by: Character
}

/** Uploads a batch and, unless it is left waiting, runs its job. Resolves with the job's id. */
async function upload(
  service: DemoService,
  { by, headers }: DemoUser,
  count: number,
  random: SeededRandom,
  runsJob = true,
): Promise<string> {
  const traces = Array.from({ length: count }, (_, n) =>
    createConversation(by, service.now() - (count - n) * 20 * minute, random),
  )
  // The batch contains one session twice, as when two exports overlap.
  const sent = count > 8 ? [...traces, { ...traces[0]!, sourceId: `${traces[0]!.sourceId}-copy` }] : traces
  const { jobId } = await service.call('POST', '/api/ingest', { body: { traces: sent }, headers })
  service.advance(minute)
  if (runsJob) await service.service.work({ jobId: String(jobId) })
  return String(jobId)
}

async function apply(service: DemoService, { by, headers }: DemoUser): Promise<string> {
  const slug = by.company.toLowerCase().replaceAll(' ', '-')
  const { application } = await service.call(
    'POST',
    '/api/account/application',
    {
      headers,
      body: {
        companyName: by.company,
        website: `https://${slug}.example.com`,
        email: `${by.at}@example.com`,
        role: by.role,
        authorized: true,
        ...(by.batch === '' ? {} : { incubatorBatch: by.batch, directoryUrl: `https://directory.example.com/${slug}` }),
      },
    },
    [409],
  )
  return String((application as { id?: string } | undefined)?.id ?? '')
}

const review = (service: DemoService, id: string, decision: 'approve' | 'reject', reason?: string) =>
  id === ''
    ? null
    : service.operate(
        'POST',
        `/api/admin/applications/${id}`,
        { decision, ...(reason === undefined ? {} : { reason }) },
        [404, 409],
      )

/** Accepts the terms of the service. */
async function acceptTerms(service: DemoService, headers: Readonly<Record<string, string>>): Promise<void> {
  const { termsVersion } = await service.call('GET', '/api/traces/upload-policy', { headers })
  await service.call('POST', '/api/account/terms', { body: { termsVersion, residencyConfirmed: true }, headers })
}

/** Accepts the terms of a second service on the same database, for everybody who accepted the earlier terms. */
export async function acceptNewTerms(service: DemoService, users: readonly DemoUser[]): Promise<void> {
  for (const { by, headers } of users)
    if (by.state !== 'visited' && by.state !== 'waiting') await acceptTerms(service, headers)
}

/** Does the steps of a user up to the user's state. */
async function enroll(service: DemoService, by: Character): Promise<DemoUser> {
  const user: DemoUser = { by, ...(await service.signIn(`${by.at}@example.com`, by.machine)) }
  const headers = { ...user.headers, 'x-demo-country': by.country }
  if (by.state === 'visited') return user
  if (by.state === 'waiting') {
    await service.call('POST', '/api/waitlist', {
      body: { email: `${by.at}@example.com`, country: by.country },
      headers,
    })
    return user
  }
  await acceptTerms(service, headers)
  if (by.state === 'accepted') return user
  service.advance(20 * minute)
  const id = await apply(service, user)
  service.advance(5 * hour)
  if (by.state === 'pending') return user
  if (by.state === 'rejected' || by.state === 'again') {
    await review(service, id, 'reject', "Please name the company's website and your role there.")
    service.advance(3 * hour)
    if (by.state === 'again') await apply(service, user)
    return user
  }
  await review(service, id, 'approve')
  // In a database that already has demo data, the users may be paused.
  await service.call('PATCH', '/api/account', { body: { paused: false }, headers })
  await service.operate('POST', `/api/admin/contributors/${user.userId}`, { paused: false })
  await service.call('POST', '/api/account/contact', {
    body: { name: by.name, email: `${by.at}@example.com` },
    headers,
  })
  if (by.at === 'ada')
    await service.call('PUT', '/api/account/blocked-terms', {
      body: { terms: ['Kestrel', 'kestrel-staging'] },
      headers,
    })
  await service.call('PUT', '/api/account/consent', {
    body: { attribution: by.at !== 'ben', pixel: by.at === 'ada' },
    headers,
  })
  return user
}

/** Enrolls every user. */
export async function enrollUsers(service: DemoService): Promise<DemoUser[]> {
  const users: DemoUser[] = []
  for (const by of people) users.push(await enroll(service, by))
  for (const [email, country] of waitlist) {
    const { headers } = await service.signIn(email, 'a laptop')
    await service.call('POST', '/api/waitlist', {
      body: { email, country },
      headers: { ...headers, 'x-demo-country': country },
    })
  }
  return users
}

/**
 * Uploads the batches of a day. On the first day everybody uploads the first batch; on later days some people upload a
 * small batch.
 */
export async function uploadBatches(
  service: DemoService,
  users: readonly DemoUser[],
  day: number,
  random: SeededRandom,
): Promise<void> {
  for (const user of users) {
    if (day === 0) await upload(service, user, user.by.firstBatch, random)
    else if (random.chance(user.by.activity)) await upload(service, user, 2 + random.integer(6), random)
  }
}

/** Pauses the users whose state is paused, by themselves or by the operator. */
export async function pauseUsers(service: DemoService, users: readonly DemoUser[]): Promise<void> {
  for (const { by, userId, headers } of users) {
    if (by.state === 'paused') await service.call('PATCH', '/api/account', { body: { paused: true }, headers })
    if (by.state === 'stopped') await service.operate('POST', `/api/admin/contributors/${userId}`, { paused: true })
  }
}

async function listIds(service: DemoService, { headers }: DemoUser): Promise<string[]> {
  const { traces } = await service.call('GET', '/api/traces?limit=200', { headers })
  return (traces as { id: string }[]).map(({ id }) => id)
}

/** Excludes, deletes and sells some traces. */
export async function sellFirstTraces(service: DemoService, [ada, ben, carmen]: readonly DemoUser[]): Promise<void> {
  const [first, second, third] = [
    await listIds(service, ada!),
    await listIds(service, ben!),
    await listIds(service, carmen!),
  ]
  for (const [{ headers }, ids] of [
    [ada!, first.slice(0, 3)],
    [ben!, second.slice(0, 4)],
  ] as const)
    await service.call('POST', '/api/traces/bulk', { body: { action: 'exclude', ids }, headers })
  await service.call('DELETE', '/api/traces/bulk', { body: { ids: third.slice(0, 2) }, headers: carmen!.headers })
  service.advance(hour)
  await sell(service, 'Meridian Research', { traceIds: [...first.slice(5, 20), ...second.slice(4, 13)] })
}

/** The price of a million tokens: with a share of 80 %, contributors earn the estimated value of their traces. */
const usdPerMillionTokens = 1.25

/** Sells the listed traces, or all traces that match a filter, at the price of their tokens. */
export async function sell(
  service: DemoService,
  buyer: string,
  chosen: { readonly traceIds: readonly string[] } | { readonly filter: object },
): Promise<void> {
  const { tokens } = await service.operate('POST', '/api/admin/sales', { buyer, usd: 0, ...chosen, dryRun: true })
  const usd = Math.ceil((Number(tokens) * usdPerMillionTokens) / 10_000) / 100
  await service.operate('POST', '/api/admin/sales', { buyer, usd, ...chosen })
}

/**
 * Creates a token for the first buyer. The demo does not store this token, because an operator can create a new one. A
 * database that was filled before already has this buyer.
 */
export const createBuyer = (service: DemoService) =>
  service.operate('POST', '/api/admin/buyers', { name: 'Meridian Research', email: 'data@meridian.example' }, [409])

/** Withdraws a trace that was sold, so that its buyers have to delete it. */
export async function withdrawSoldTrace(service: DemoService, [ada]: readonly DemoUser[]): Promise<void> {
  const { traces } = await service.call('GET', '/api/traces?state=sold&limit=1', { headers: ada!.headers })
  const [{ id }] = traces as [{ id: string }]
  const reason = 'The contributor asked for it: a client is recognizable in it'
  await service.operate('POST', `/api/admin/traces/${id}/withdraw`, { reason })
}

const addBonus = (service: DemoService, { userId }: DemoUser, usd: number, reason: string) =>
  service.operate('POST', '/api/admin/corrections', { userId, usd, reason })

/** Adds bonuses, and pays out most of each available balance. */
export async function payOut(service: DemoService, [ada, ben]: readonly DemoUser[]): Promise<void> {
  await addBonus(service, ada!, 5, 'Welcome bonus of the first month')
  await addBonus(service, ben!, 30, 'Invited three contributors of Tidepool Robotics')
  const { items } = await service.operate('GET', '/api/admin/balances?limit=200')
  for (const [at, { userId, balanceUsd }] of (items as { userId: string; balanceUsd: number }[]).entries()) {
    const usd = Math.floor(balanceUsd * 0.9)
    if (usd === 0) continue
    const date = new Date(service.now()).toISOString().slice(0, 10)
    await service.operate('POST', '/api/admin/payouts', { userId, usd, reference: `TRB-${date}-${at + 1}` }, [409])
  }
}

/** Leaves one open payout request of a contributor. */
export async function requestPayout(service: DemoService, [, , carmen]: readonly DemoUser[]): Promise<void> {
  await addBonus(service, carmen!, 25, 'Invited two contributors and reviewed the guide for Cursor')
  await service.call('POST', '/api/account/payout-requests', { body: {}, headers: carmen!.headers }, [409])
}

/** Leaves a job that failed after five attempts, which can be retried. */
export async function leaveFailedJob(
  service: DemoService,
  [, ben]: readonly DemoUser[],
  random: SeededRandom,
): Promise<void> {
  const jobId = await upload(service, ben!, 6, random, false)
  service.isDiskBroken = true
  for (let attempt = 0; attempt < 5; attempt++) {
    await service.service.work({ jobId })
    service.advance(11 * minute)
  }
  service.isDiskBroken = false
}

/** Leaves a job that waits for a worker. */
export async function leaveQueuedJob(
  service: DemoService,
  [ada]: readonly DemoUser[],
  random: SeededRandom,
): Promise<void> {
  await upload(service, ada!, 4, random, false)
}

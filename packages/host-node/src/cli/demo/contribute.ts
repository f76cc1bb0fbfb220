import type { Chance } from './chance.ts'
import { people, waitlist, type Character } from './people.ts'
import type { Person, Stage } from './stage.ts'
import { talk } from './talk.ts'

const minute = 60_000
const hour = 60 * minute

/** Somebody of the cast, signed in. */
export interface Player extends Person {
  readonly by: Character
}

/** Puts a batch in and, unless it is to wait, has it worked on. Resolves with the job's id. */
async function upload(
  stage: Stage,
  { by, headers }: Player,
  count: number,
  chance: Chance,
  works = true,
): Promise<string> {
  const traces = Array.from({ length: count }, (_, n) => talk(by, stage.now() - (count - n) * 20 * minute, chance))
  // The same session twice, as happens when two exports overlap.
  const sent = count > 8 ? [...traces, { ...traces[0]!, sourceId: `${traces[0]!.sourceId}-copy` }] : traces
  const { jobId } = await stage.ask('POST', '/api/ingest', { body: { traces: sent }, headers })
  stage.pass(minute)
  if (works) await stage.service.work({ jobId: String(jobId) })
  return String(jobId)
}

async function apply(stage: Stage, { by, headers }: Player): Promise<string> {
  const slug = by.company.toLowerCase().replaceAll(' ', '-')
  const { application } = await stage.ask(
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

const review = (stage: Stage, id: string, decision: 'approve' | 'reject', reason?: string) =>
  id === ''
    ? null
    : stage.operate(
        'POST',
        `/api/admin/applications/${id}`,
        { decision, ...(reason === undefined ? {} : { reason }) },
        [404, 409],
      )

/** One person's way as far as they got. */
async function enter(stage: Stage, by: Character): Promise<Player> {
  const player: Player = { by, ...(await stage.signIn(`${by.at}@example.com`, by.machine)) }
  const headers = { ...player.headers, 'x-demo-country': by.country }
  if (by.stage === 'visited') return player
  if (by.stage === 'waiting') {
    await stage.ask('POST', '/api/waitlist', { body: { email: `${by.at}@example.com`, country: by.country }, headers })
    return player
  }
  const { termsVersion } = await stage.ask('GET', '/api/traces/upload-policy', { headers })
  await stage.ask('POST', '/api/account/terms', { body: { termsVersion, residencyConfirmed: true }, headers })
  if (by.stage === 'accepted') return player
  stage.pass(20 * minute)
  const id = await apply(stage, player)
  stage.pass(5 * hour)
  if (by.stage === 'pending') return player
  if (by.stage === 'rejected' || by.stage === 'again') {
    await review(stage, id, 'reject', "Please name the company's website and your role there.")
    stage.pass(3 * hour)
    if (by.stage === 'again') await apply(stage, player)
    return player
  }
  await review(stage, id, 'approve')
  // In a database that has a demonstration in it already they may be paused.
  await stage.ask('PATCH', '/api/account', { body: { paused: false }, headers })
  await stage.operate('POST', `/api/admin/contributors/${player.userId}`, { paused: false })
  await stage.ask('POST', '/api/account/contact', { body: { name: by.name, email: `${by.at}@example.com` }, headers })
  await stage.ask('PUT', '/api/account/consent', {
    body: { attribution: by.at !== 'ben', pixel: by.at === 'ada' },
    headers,
  })
  return player
}

/** Everybody comes, applies and uploads; resolves with who may contribute. */
export async function contribute(stage: Stage, chance: Chance): Promise<Player[]> {
  const players: Player[] = []
  for (const by of people) players.push(await enter(stage, by))
  for (const [email, country] of waitlist) {
    const { headers } = await stage.signIn(email, 'a laptop')
    await stage.ask('POST', '/api/waitlist', {
      body: { email, country },
      headers: { ...headers, 'x-demo-country': country },
    })
  }
  for (const round of [0, 1, 2]) {
    for (const player of players) {
      const count = player.by.batches[round]
      if (count !== undefined) await upload(stage, player, count, chance)
    }
    stage.pass(2 * 24 * hour)
  }
  for (const { by, userId, headers } of players) {
    if (by.stage === 'paused') await stage.ask('PATCH', '/api/account', { body: { paused: true }, headers })
    if (by.stage === 'stopped') await stage.operate('POST', `/api/admin/contributors/${userId}`, { paused: true })
  }
  return players.filter(({ by }) => by.batches.length > 0)
}

async function idsOf(stage: Stage, { headers }: Player): Promise<string[]> {
  const { traces } = await stage.ask('GET', '/api/traces?limit=200', { headers })
  return (traces as { id: string }[]).map(({ id }) => id)
}

/** Some traces are kept out, some deleted, some sold, one of them twice. */
export async function sell(stage: Stage, [ada, ben, carmen]: readonly Player[], chance: Chance): Promise<void> {
  const [first, second, third] = [await idsOf(stage, ada!), await idsOf(stage, ben!), await idsOf(stage, carmen!)]
  await stage.ask('POST', '/api/traces/bulk', {
    body: { action: 'exclude', ids: second.slice(0, 4) },
    headers: ben!.headers,
  })
  await stage.ask('DELETE', '/api/traces/bulk', { body: { ids: third.slice(0, 2) }, headers: carmen!.headers })
  stage.pass(hour)
  await stage.operate('POST', '/api/admin/sales', {
    buyer: 'Meridian Research',
    traceIds: [...first.slice(5, 20), ...second.slice(0, 9)],
    usd: 84.5,
  })
  stage.pass(2 * 24 * hour)
  await stage.operate('POST', '/api/admin/sales', {
    buyer: 'Open Dialogue Institute',
    traceIds: [...first.slice(18, 26), chance.pick(third.slice(2))],
    usd: 31,
  })
}

/** The last jobs: one that failed after five attempts, which `Retry` mends, and one that still waits for a worker. */
export async function leaveOpen(stage: Stage, [ada, ben]: readonly Player[], chance: Chance): Promise<void> {
  const jobId = await upload(stage, ben!, 6, chance, false)
  stage.broken = true
  for (let attempt = 0; attempt < 5; attempt++) {
    await stage.service.work({ jobId })
    stage.pass(11 * minute)
  }
  stage.broken = false
  await upload(stage, ada!, 4, chance, false)
}

import type { SeededRandom } from './seeded-random.ts'
import type { DemoUser } from './contribute.ts'
import { campaigns, feedback, reports } from './people.ts'
import { acceptingWebhook, type DemoService } from './demo-service.ts'

type DemoCampaign = (typeof campaigns)[number]

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Creates the sponsors' campaigns. Resolves with a map from the name of each campaign to its id. */
export async function createCampaigns(service: DemoService, until: number): Promise<Map<string, string>> {
  const ids = new Map<string, string>()
  for (const campaign of campaigns) {
    const { campaign: created } = await service.operate('POST', '/api/admin/campaigns', createBody(campaign, until))
    const { id } = created as { id: string }
    ids.set(campaign.name, id)
    if ('paused' in campaign) await service.operate('PATCH', `/api/admin/campaigns/${id}`, { status: 'paused' })
  }
  return ids
}

function createBody(
  { name, brandName, title, text, url, topics, cpmUsd, budgetUsd, ...more }: DemoCampaign,
  until: number,
) {
  // The times are full hours, as a person enters them.
  const iso = (inMs: number): string => new Date(Math.floor((until + inMs) / hour) * hour).toISOString()
  return {
    name,
    brandName,
    title,
    text,
    url,
    topics,
    cpmUsd,
    budgetUsd,
    ...('dailyCap' in more ? { dailyCap: more.dailyCap } : {}),
    ...('startsIn' in more ? { startsAt: iso(more.startsIn), endsAt: iso(more.endsIn) } : {}),
  }
}

/** Edits the line of a campaign, as after a call with its sponsor. */
export async function editCampaign(
  service: DemoService,
  ids: ReadonlyMap<string, string>,
  until: number,
): Promise<void> {
  const [campaign] = campaigns
  await service.operate('PUT', `/api/admin/campaigns/${ids.get(campaign.name)}`, {
    ...createBody(campaign, until),
    text: 'CI that finishes before your coffee does. First 5,000 minutes free.',
  })
}

const topics = ['databases', 'backend', 'terminal', 'ai', null, null] as const

/** Requests a sponsor line and records its impression, sometimes too soon, too late or twice. */
async function recordImpression(service: DemoService, { by, headers }: DemoUser, random: SeededRandom): Promise<void> {
  const device = by.machine
  const topic = random.pick(topics)
  const served = await service.call('GET', `/api/ad?d=${device}${topic === null ? '' : `&topic=${topic}`}`, { headers })
  const ad = served['ad'] as { impUrl: string; shortUrl: string } | null
  const vote = served['feedback'] as { token: string } | null
  if (!ad || ad.impUrl === '') return
  const imp = new URL(ad.impUrl).pathname
  const roll = random.integer(20)
  if (roll === 0) return void (await service.call('POST', imp))
  service.advance(roll === 1 ? 10 * minute : 4 * second)
  await service.call('POST', imp)
  if (roll === 2) await service.call('POST', imp)
  if (roll === 1) return
  if (random.chance(15)) await service.call('GET', new URL(ad.shortUrl).pathname)
  if (vote && random.chance(12)) {
    // Ada never votes a line down, because she would not see that line again, and the README shows lines of her
    // account.
    const up = random.chance(80) || by.at === 'ada'
    await service.call('POST', '/api/ad/feedback', {
      headers,
      body: { deviceId: device, token: vote.token, vote: up ? 'up' : 'down', reason: up ? 'helpful' : 'repetitive' },
    })
  }
}

/** Claims a device for each contributor. */
export async function claimDevices(service: DemoService, users: readonly DemoUser[]): Promise<void> {
  for (const { by, headers } of users)
    await service.call('POST', '/api/program/claim', { body: { deviceId: by.machine }, headers }, [409])
}

/** Records the impressions of a day on the contributors' machines, with few impressions on weekends. */
export async function recordImpressions(
  service: DemoService,
  users: readonly DemoUser[],
  random: SeededRandom,
): Promise<void> {
  const isWeekend = new Date(service.now()).getUTCDay() % 6 === 0
  for (const user of users) {
    for (let count = isWeekend ? random.integer(2) : 1 + random.integer(4); count > 0; count--) {
      await recordImpression(service, user, random)
      service.advance(random.integer(6) * minute)
    }
  }
}

/** Sends telemetry of every contributor, and feedback. */
export async function sendMessages(
  service: DemoService,
  users: readonly DemoUser[],
  random: SeededRandom,
): Promise<void> {
  const client = (user: DemoUser) => ({
    deviceId: user.by.machine,
    cliVersion: '0.1.0',
    platform: random.pick(['darwin', 'linux']),
    arch: random.pick(['arm64', 'x64']),
  })
  for (const user of users) {
    const total = 20 + random.integer(200)
    await service.call('POST', '/api/cli/telemetry', {
      headers: user.headers,
      body: {
        schema: 1,
        ...client(user),
        command: 'upload',
        sentAt: new Date(service.now()).toISOString(),
        diagnostics: [
          {
            adapter: user.by.tool,
            source: 'local',
            totalEntries: total,
            skippedEntries: random.integer(5),
            invalidEntries: random.integer(3),
            eventCount: total,
            traceCount: 5 + random.integer(20),
            rejectedTraces: 0,
            unhandledTypes: ['summary'],
            emptyParse: false,
          },
        ],
        events: [{ name: 'upload_finished', properties: { durationMs: 900 + random.integer(9000), jobs: 1 } }],
      },
    })
    service.advance(minute)
  }
  for (const [at, [message, command]] of feedback.entries()) {
    const user = users[at % users.length]!
    await service.call('POST', '/api/cli/feedback', {
      headers: user.headers,
      body: { message, command, ...client(user), ...(at === 1 ? { email: `${user.by.at}@example.com` } : {}) },
    })
    service.advance(40 * minute)
  }
}

/** Sends the report of an agent, sometimes also as an agent of another vendor. Resolves with its id. */
export async function sendReport(service: DemoService, at: number, random: SeededRandom): Promise<string> {
  const { product, version, surface, kind, category, severity, confidence, title, summary, steps } = reports[at]!
  const send = async (vendor: string) =>
    service.call('POST', '/api/v1/feedback', {
      body: {
        reporter: { agent_vendor: vendor, agent_product: product, agent_version: version },
        subject: { surface, kind },
        signal: { category, severity, confidence },
        content: { title, summary },
        evidence: [{ type: 'repro_steps', content: steps }],
      },
    })
  const { receipt } = await send('demo')
  service.advance(minute)
  if (random.chance(40)) await send('another')
  return (receipt as { feedback_id: string }).feedback_id
}

/**
 * Sets the status of most reports, and merges the two reports about the same problem. In a database that already has
 * demo data, the new reports are duplicates, and the service refuses some of these calls.
 */
export async function triageReports(service: DemoService, ids: readonly string[]): Promise<void> {
  const statuses = ['accepted', 'investigating', 'resolved', null, 'dismissed', 'resolved', null] as const
  for (const [at, status] of statuses.entries())
    if (status !== null) await service.operate('PATCH', `/api/admin/reports/${ids[at]}`, { status }, [404])
  await service.operate('POST', `/api/admin/reports/${ids[3]}/merge`, { into: ids[0] }, [409])
}

/** Creates a webhook that accepts events and a webhook that refuses events. The hosts of both webhooks do not exist. */
export async function createWebhooks(service: DemoService): Promise<void> {
  for (const [url, description, events] of [
    [acceptingWebhook, 'Credits contributors in the app', undefined],
    ['https://old.example/hooks', 'The app before the move', ['job.completed', 'sale.recorded']],
  ] as const)
    await service.operate('POST', '/api/admin/webhooks', { url, description, ...(events ? { events } : {}) }, [409])
}

/** Disables all webhooks, or only the webhook that refuses events, so that no delivery waits. */
export async function disableWebhooks(service: DemoService, which: 'all' | 'failing'): Promise<void> {
  const { items } = await service.operate('GET', '/api/admin/webhooks')
  for (const { id, url } of items as { id: string; url: string }[])
    if (which === 'all' || url !== acceptingWebhook)
      await service.operate('PATCH', `/api/admin/webhooks/${id}`, { status: 'disabled' })
}

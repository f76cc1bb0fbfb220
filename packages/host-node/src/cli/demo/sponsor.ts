import type { SeededRandom } from './seeded-random.ts'
import type { DemoUser } from './contribute.ts'
import { campaigns, feedback, reports } from './people.ts'
import type { DemoService } from './demo-service.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Creates the sponsors' campaigns. */
export async function createCampaigns(service: DemoService, until: number): Promise<void> {
  for (const { name, brandName, title, text, url, topics, cpmUsd, budgetUsd, ...more } of campaigns) {
    const iso = (inMs: number): string => new Date(until + inMs).toISOString()
    const { campaign } = await service.operate('POST', '/api/admin/campaigns', {
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
    })
    if ('paused' in more)
      await service.operate('PATCH', `/api/admin/campaigns/${(campaign as { id: string }).id}`, { status: 'paused' })
  }
}

const topics = ['databases', 'backend', 'terminal', 'ai', null, null] as const

/** Requests a sponsor line and records its impression, sometimes too soon, too late or twice. */
async function recordImpression(service: DemoService, { by, headers }: DemoUser, random: SeededRandom): Promise<void> {
  const device = `${by.at}-terminal-1`
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
    const up = random.chance(80)
    await service.call('POST', '/api/ad/feedback', {
      headers,
      body: { deviceId: device, token: vote.token, vote: up ? 'up' : 'down', reason: up ? 'helpful' : 'repetitive' },
    })
  }
}

/** Records impressions on the contributors' machines for some days. */
export async function recordImpressions(
  service: DemoService,
  users: readonly DemoUser[],
  days: number,
  random: SeededRandom,
): Promise<void> {
  for (const { by, headers } of users)
    await service.call('POST', '/api/program/claim', { body: { deviceId: `${by.at}-terminal-1` }, headers }, [409])
  for (let day = 0; day < days; day++) {
    for (const user of users) {
      for (let count = 0; count < 4 + random.integer(6); count++) {
        await recordImpression(service, user, random)
        service.advance(random.integer(15) * minute)
      }
    }
    service.advance(8 * hour)
  }
}

/** Sends telemetry, feedback and agents' reports. */
export async function sendMessages(
  service: DemoService,
  users: readonly DemoUser[],
  random: SeededRandom,
): Promise<void> {
  const client = (user: DemoUser) => ({
    deviceId: `${user.by.at}-terminal-1`,
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
  // The reports capability may be off.
  if (!(await service.service.routes()).some(({ route }) => route.id === 'E20')) return
  for (const { product, version, surface, kind, category, severity, confidence, title, summary, steps } of reports) {
    await service.call('POST', '/api/v1/feedback', {
      body: {
        reporter: { agent_vendor: 'demo', agent_product: product, agent_version: version },
        subject: { surface, kind },
        signal: { category, severity, confidence },
        content: { title, summary },
        evidence: [{ type: 'repro_steps', content: steps }],
      },
    })
    service.advance(hour)
  }
}

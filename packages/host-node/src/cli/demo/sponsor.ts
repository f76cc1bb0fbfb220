import type { Chance } from './chance.ts'
import type { Player } from './contribute.ts'
import { campaigns, feedback, reports } from './people.ts'
import type { Stage } from './stage.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** The sponsors' campaigns; resolves with how many there are. */
export async function startCampaigns(stage: Stage, until: number): Promise<void> {
  for (const { name, brandName, title, text, url, topics, cpmUsd, budgetUsd, ...more } of campaigns) {
    const iso = (inMs: number): string => new Date(until + inMs).toISOString()
    const { campaign } = await stage.operate('POST', '/api/admin/campaigns', {
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
      await stage.operate('PATCH', `/api/admin/campaigns/${(campaign as { id: string }).id}`, { status: 'paused' })
  }
}

const topics = ['databases', 'backend', 'terminal', 'ai', null, null] as const

/** One look at a line: counted as a rule; now and then reported too soon, too late or twice. */
async function look(stage: Stage, { by, headers }: Player, chance: Chance): Promise<void> {
  const device = `${by.at}-terminal-1`
  const topic = chance.pick(topics)
  const served = await stage.ask('GET', `/api/ad?d=${device}${topic === null ? '' : `&topic=${topic}`}`, { headers })
  const ad = served['ad'] as { impUrl: string; shortUrl: string } | null
  const vote = served['feedback'] as { token: string } | null
  if (!ad || ad.impUrl === '') return
  const imp = new URL(ad.impUrl).pathname
  const luck = chance.whole(20)
  if (luck === 0) return void (await stage.ask('POST', imp))
  stage.pass(luck === 1 ? 10 * minute : 4 * second)
  await stage.ask('POST', imp)
  if (luck === 2) await stage.ask('POST', imp)
  if (luck === 1) return
  if (chance.often(15)) await stage.ask('GET', new URL(ad.shortUrl).pathname)
  if (vote && chance.often(12)) {
    const up = chance.often(80)
    await stage.ask('POST', '/api/ad/feedback', {
      headers,
      body: { deviceId: device, token: vote.token, vote: up ? 'up' : 'down', reason: up ? 'helpful' : 'repetitive' },
    })
  }
}

/** Days of prompts on the contributors' machines. */
export async function watch(stage: Stage, players: readonly Player[], days: number, chance: Chance): Promise<void> {
  for (const { by, headers } of players)
    await stage.ask('POST', '/api/program/claim', { body: { deviceId: `${by.at}-terminal-1` }, headers }, [409])
  for (let day = 0; day < days; day++) {
    for (const player of players) {
      for (let at = 0; at < 4 + chance.whole(6); at++) {
        await look(stage, player, chance)
        stage.pass(chance.whole(15) * minute)
      }
    }
    stage.pass(8 * hour)
  }
}

/** What clients and agents send: diagnostics with events, feedback and reports. */
export async function write(stage: Stage, players: readonly Player[], chance: Chance): Promise<void> {
  const client = (player: Player) => ({
    deviceId: `${player.by.at}-terminal-1`,
    cliVersion: '0.1.0',
    platform: chance.pick(['darwin', 'linux']),
    arch: chance.pick(['arm64', 'x64']),
  })
  for (const player of players) {
    const total = 20 + chance.whole(200)
    await stage.ask('POST', '/api/cli/telemetry', {
      headers: player.headers,
      body: {
        schema: 1,
        ...client(player),
        command: 'upload',
        sentAt: new Date(stage.now()).toISOString(),
        diagnostics: [
          {
            adapter: player.by.tool,
            source: 'local',
            totalEntries: total,
            skippedEntries: chance.whole(5),
            invalidEntries: chance.whole(3),
            eventCount: total,
            traceCount: 5 + chance.whole(20),
            rejectedTraces: 0,
            unhandledTypes: ['summary'],
            emptyParse: false,
          },
        ],
        events: [{ name: 'upload_finished', properties: { durationMs: 900 + chance.whole(9000), jobs: 1 } }],
      },
    })
    stage.pass(minute)
  }
  for (const [at, [message, command]] of feedback.entries()) {
    const player = players[at % players.length]!
    await stage.ask('POST', '/api/cli/feedback', {
      headers: player.headers,
      body: { message, command, ...client(player), ...(at === 1 ? { email: `${player.by.at}@example.com` } : {}) },
    })
    stage.pass(40 * minute)
  }
  // A service without the reports capability has nobody to take them.
  if (!(await stage.service.routes()).some(({ route }) => route.id === 'E20')) return
  for (const { product, version, surface, kind, category, severity, confidence, title, summary, steps } of reports) {
    await stage.ask('POST', '/api/v1/feedback', {
      body: {
        reporter: { agent_vendor: 'demo', agent_product: product, agent_version: version },
        subject: { surface, kind },
        signal: { category, severity, confidence },
        content: { title, summary },
        evidence: [{ type: 'repro_steps', content: steps }],
      },
    })
    stage.pass(hour)
  }
}

import type { OpenDatabase } from '../../server-config.ts'
import { chance as chanceOf } from './chance.ts'
import { contribute, leaveOpen, sell } from './contribute.ts'
import { campaigns, people, waitlist } from './people.ts'
import { startCampaigns, watch, write } from './sponsor.ts'
import { stage as stageOf } from './stage.ts'

const hour = 60 * 60 * 1000
/** The story takes this long and ends now. */
const storyMs = 14 * 24 * hour

export interface Filled {
  readonly people: number
  readonly campaigns: number
  readonly waitlist: number
  /** An address to sign in with. */
  readonly signIn: string
}

export interface FillOptions {
  readonly seed: number
  /** When the story ends, in ms. */
  readonly now: number
  /** Of who serves the database later: the upload that is left waiting is encrypted under it. */
  readonly secret: readonly string[]
}

/** Whether somebody is in the database already. */
export async function inhabited({ client }: OpenDatabase): Promise<boolean> {
  return (await client.execute({ sql: 'select 1 from users limit 1', args: [] })).rows.length > 0
}

/**
 * Fills a migrated database with two weeks of people, traces, jobs, sales, campaigns and messages, all through the service's own
 * interface. The same seed and end give the same story; ids, tokens and secrets are random ones, as they must be. Mails nobody,
 * and takes no jobs or mails but its own in hand.
 */
export async function fill(opened: OpenDatabase, { seed, now: until, secret }: FillOptions): Promise<Filled> {
  const stage = stageOf(opened, { from: until - storyMs, until, secret })
  const chance = chanceOf(seed)
  const players = await contribute(stage, chance)
  await startCampaigns(stage, until)
  await write(stage, players, chance)
  await sell(stage, players, chance)
  await watch(stage, players, 6, chance)
  // What is left of the two weeks, but for the last hour.
  stage.pass(Math.max(0, until - stage.now() - hour - 30_000))
  await leaveOpen(stage, players, chance)
  return {
    people: people.length,
    campaigns: campaigns.length,
    waitlist: waitlist.length,
    signIn: `${people[0]!.at}@example.com`,
  }
}

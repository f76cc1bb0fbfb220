import { check, type Check } from '../conformance/check.ts'
import type { Context } from '../conformance/context.ts'
import { listOutcomes, makeTrace, send } from '../conformance/stored-traces.ts'

/** Names whose scrubbed form depends on the rest of the conversation: name, first text, text that is added later. */
const names: Readonly<Record<string, readonly [name: string, first: string, added: string]>> = {
  'a home folder': ['-home-zebulonk-shop', 'How do I sort a list?', 'cd /home/zebulonk/shop'],
  'a user name': ['zebulonk-42', 'How do I sort a list?', 'Author: Zebulon Krantz <zebulonk@krantz.dev>'],
  'a secret': ['f3Zk91qLw8Xv2Bn6', 'How do I sort a list?', 'password=f3Zk91qLw8Xv2Bn6'],
  'a company': [
    'quorvexa-billing',
    'How do I sort a list?',
    'git remote add origin git@github.com:quorvexa/billing.git',
  ],
}

async function uploadVersion({ stage }: Context, name: string, label: string, ...texts: string[]) {
  const messages = texts.map((content, n) => ({
    role: 'user',
    content: n === 0 ? `${content} ${label} ${stage.run}` : content,
  }))
  const [outcome] = await listOutcomes(
    stage,
    await send(stage, [makeTrace(stage, label, { sourceId: `${name}-${stage.run}-${label}`, messages })]),
  )
  return outcome!
}

/** Attempts to store or sell a conversation again after the scrubber changed its name differently. */
export const conversations: readonly Check[] = Object.entries(names).flatMap(([kind, [name, first, added]], n) => [
  check(
    'API3',
    `a longer version of a deleted conversation named after ${kind} is not stored`,
    ['contributor'],
    async (context) => {
      const { ask, contributor } = context
      const { bearer } = await contributor()
      const stored = await uploadVersion(context, name, `deleted-${n}`, first)
      const reply = await ask('DELETE', '/api/traces/bulk', { as: bearer, json: { ids: [stored.traceId] } }).is(200)
      const longer = await uploadVersion(context, name, `deleted-${n}`, first, added)
      reply.must(longer.outcome === 'deleted_before', 'deleted_before', `the longer version is ${longer.outcome}`)
    },
  ),
  check(
    'API3',
    `two versions of a conversation named after ${kind} are one trace, which stays excluded`,
    ['contributor'],
    async (context) => {
      const { ask, contributor } = context
      const { bearer } = await contributor()
      const { traceId } = await uploadVersion(context, name, `excluded-${n}`, first)
      await ask('PATCH', `/api/traces/${traceId}`, { as: bearer, json: { sellExcluded: true } }).is(200)
      const longer = await uploadVersion(context, name, `excluded-${n}`, first, added)
      const reply = await ask('GET', `/api/traces/${traceId}`, { as: bearer }).is(200, {
        ok: true,
        trace: { id: traceId, sellExcluded: true, saleCount: 0, locked: false },
      })
      reply.must(
        longer.outcome === 'updated' && longer.traceId === traceId,
        'updated',
        `the longer version is ${longer.outcome}`,
      )
    },
  ),
])

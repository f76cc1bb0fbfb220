import { approveContributor } from './people.ts'
import type { Answer } from './answer.ts'
import { makeCampaign } from './campaign.ts'
import { check, type Check, type Need } from './check.ts'
import type { Context } from './context.ts'

const strange = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'

/** A route that accepts an idempotency key, with two bodies and the headers of the sender. */
interface Keyed {
  readonly of: string
  readonly path: string | ((context: Context) => Promise<string>)
  readonly needs: readonly Need[]
  readonly headers: (context: Context) => Promise<Readonly<Record<string, string>>>
  readonly bodies: (context: Context) => readonly [object, object] | Promise<readonly [object, object]>
  /** Deletes the objects that a call created, as far as this is possible. */
  readonly undo?: (context: Context, made: Answer) => void
}

const keyed: readonly Keyed[] = [
  {
    of: 'E2',
    path: '/api/cli/feedback',
    needs: ['person'],
    headers: async ({ person }) => (await person()).bearer,
    bodies: ({ stage }) => [
      { message: `Conformance ${stage.run}: a key` },
      { message: `Conformance ${stage.run}: another body` },
    ],
  },
  {
    of: 'POST /api/admin/sales',
    path: '/api/admin/sales',
    needs: ['operator'],
    headers: async ({ operator }) => operator(),
    bodies: () => [
      { buyer: 'conformance', traceIds: [strange], usd: 0 },
      { buyer: 'conformance', traceIds: [strange], usd: 1 },
    ],
  },
  {
    of: 'POST /api/admin/campaigns',
    path: '/api/admin/campaigns',
    needs: ['operator'],
    headers: async ({ operator }) => operator(),
    bodies: ({ stage }) => [
      { ...makeCampaign(stage.run, 'key'), topics: ['hosting'] },
      { ...makeCampaign(stage.run, 'another body'), topics: ['hosting'] },
    ],
    undo: ({ stage, operator }, { json }) =>
      stage.addCleanup(() =>
        stage
          .ask('PATCH', `/api/admin/campaigns/${json.campaign.id}`, { as: operator(), json: { status: 'paused' } })
          .is(200),
      ),
  },
  {
    of: 'POST /api/admin/campaigns/{id}/corrections',
    async path({ stage, operator }) {
      const id = await stage.makeOnce('campaign to correct', async () => {
        const draft = { ...makeCampaign(stage.run, 'corrected'), startsAt: '2099-01-01T00:00:00Z' }
        const { json } = await stage.ask('POST', '/api/admin/campaigns', { as: operator(), json: draft }).is(201)
        const made = `/api/admin/campaigns/${json.campaign.id}`
        stage.addCleanup(() => stage.ask('PATCH', made, { as: operator(), json: { status: 'paused' } }).is(200))
        return json.campaign.id as string
      })
      return `/api/admin/campaigns/${id}/corrections`
    },
    needs: ['operator'],
    headers: async ({ operator }) => operator(),
    bodies: () => [
      { usd: 1, reason: 'conformance' },
      { usd: 2, reason: 'conformance' },
    ],
  },
  {
    of: 'POST /api/admin/corrections',
    path: '/api/admin/corrections',
    needs: ['operator', 'mailbox'],
    headers: async ({ operator }) => operator(),
    async bodies({ own }) {
      const { userId } = await own('corrected')
      return [
        { userId, usd: 1, reason: 'conformance' },
        { userId, usd: 2, reason: 'conformance' },
      ]
    },
  },
  {
    of: 'POST /api/admin/payouts',
    path: '/api/admin/payouts',
    needs: ['operator', 'mailbox'],
    headers: async ({ operator }) => operator(),
    async bodies({ ask, own, operator, stage }) {
      const person = await own('paid')
      const { userId } = person
      await stage.makeOnce('paid, approved', () => approveContributor(stage, person))
      await ask('POST', '/api/admin/corrections', {
        as: operator(),
        json: { userId, usd: 2, reason: 'conformance' },
        headers: { 'idempotency-key': `conformance ${stage.run} paid` },
      }).is(200)
      const reference = `conformance ${stage.run} key`
      return [
        { userId, usd: 0.5, reference },
        { userId, usd: 0.25, reference },
      ]
    },
  },
]

/** Checks of `Idempotency-Key` on the routes that accept it. */
export const idempotency: readonly Check[] = keyed.flatMap(({ of, path: pathOf, needs, headers, bodies, undo }) => [
  check(
    'http',
    `${of}: a repeated key returns the first reply, or 422 with another body; an invalid key returns 400`,
    needs,
    async (context) => {
      const { ask, stage } = context
      const path = typeof pathOf === 'string' ? pathOf : await pathOf(context)
      const [json, other] = await bodies(context)
      const as = await headers(context)
      const send = (key: string, body = json) =>
        ask('POST', path, { as, json: body, headers: { 'idempotency-key': key } })
      const key = `conformance ${stage.run} ${path}`
      const first = await send(key)
      undo?.(context, first)
      first.must(
        first.status < 300 && first.header('idempotency-replayed') === null,
        'a success that is not a repetition',
      )
      const reordered = Object.fromEntries(Object.entries(json).toReversed())
      ;(await send(key, reordered).is(first.status, first.json)).has('idempotency-replayed', 'true')
      await send(key, other).is(422, { ok: false, error: 'idempotency_key_reused' })
      await send('x'.repeat(256)).is(400, { ok: false, error: 'invalid_idempotency_key' })
    },
  ),
  check(
    'http',
    `${of}: of four concurrent calls with one key, one takes effect; the others get its reply or 409`,
    needs,
    async (context) => {
      const { ask, stage } = context
      const path = typeof pathOf === 'string' ? pathOf : await pathOf(context)
      const [json] = await bodies(context)
      const as = await headers(context)
      const answers = await Promise.all(
        Array.from({ length: 4 }, () =>
          ask('POST', path, { as, json, headers: { 'idempotency-key': `at once ${stage.run} ${path}` } }),
        ),
      )
      const fresh = answers.filter((one) => one.status < 300 && one.header('idempotency-replayed') === null)
      answers[0]!.must(fresh.length === 1, 'one reply that is not a repetition', `there are ${fresh.length}`)
      undo?.(context, fresh[0]!)
      for (const answer of answers) {
        if (answer.status === 409)
          answer.is(409, { ok: false, error: 'idempotency_in_progress' }).has('retry-after', /^\d+$/)
        else answer.is(fresh[0]!.status, fresh[0]!.json)
      }
    },
  ),
])

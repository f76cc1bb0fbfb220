import { check, type Check } from './check.ts'
import { send } from './forms.ts'
import { matchOrNull, time, wholeNumber } from './matchers.ts'
import { listOutcomes, send as upload, makeTrace } from './stored-traces.ts'

const path = '/api/account/blocked-terms'
const invalid = { ok: false, error: 'invalid_body' }

/** The terms that a person wants replaced in their traces. */
export const blockedTerms: readonly Check[] = [
  check('identity', 'blocked terms are returned to their user only', ['mailbox'], async ({ ask, own }) => {
    const { bearer, cookie } = await own('blocking')
    const terms = ['Projekt Ångström', 'kumquat', 'x'.repeat(128)]
    await ask('GET', path, { as: bearer }).is(200, {
      ok: true,
      terms: [],
      updatedAt: matchOrNull(time),
      pending: wholeNumber,
    })
    await ask('PUT', path, { as: bearer, json: { terms } }).is(200, { ok: true, terms, updatedAt: time, pending: 0 })
    await ask('GET', path, { as: cookie }).is(200, { ok: true, terms, updatedAt: time, pending: 0 })
    await ask('GET', path, { as: (await own('stranger')).bearer }).is(200, {
      ok: true,
      terms: [],
      updatedAt: null,
      pending: wholeNumber,
    })
  }),
  check('identity', 'a list has at most 200 terms of 2 to 128 characters', ['mailbox'], async ({ ask, own }) => {
    const { bearer } = await own('blocking')
    const makeTerms = (count: number) => Array.from({ length: count }, (_, n) => `term ${n}`)
    await ask('PUT', path, { as: bearer, json: { terms: makeTerms(200) } }).is(200)
    for (const terms of [['x'], ['x'.repeat(129)], makeTerms(201), [1], 'kumquat', undefined])
      await ask('PUT', path, { as: bearer, json: { terms } }).is(400, invalid)
    const { json } = await ask('GET', path, { as: bearer }).is(200)
    if (json.terms.length !== 200) throw new Error('a refused list replaced the stored one')
    await ask('PUT', path, { as: bearer, json: { terms: [] } }).is(200)
  }),
  check(
    'identity',
    'a term is replaced in new traces and in stored traces, which are pending until then',
    ['contributor', 'mailbox'],
    async ({ ask, contributor, stage, target, eventually }) => {
      const { bearer } = await contributor()
      const word = `kumquat${stage.run.replace(/[^a-z]/gi, '')}`
      const content = `The project ${word.toUpperCase()} is not public.`
      const storeTrace = async (name: string): Promise<string> => {
        const sent = makeTrace(stage, name, { messages: [{ role: 'user', content: `${name}: ${content}` }] })
        const [outcome] = await listOutcomes(stage, await upload(stage, [sent]))
        return outcome!.traceId!
      }
      const read = async (id: string): Promise<string> => {
        const reply = await ask('GET', `/api/traces/${id}/download`, { as: bearer }).is(200)
        return reply.text
      }
      const before = await storeTrace('before-blocking')
      if (!(await read(before)).includes(word.toUpperCase()))
        throw new Error('the term was replaced before it was blocked')
      try {
        await ask('PUT', path, { as: bearer, json: { terms: [word] } }).is(200)
        const after = await storeTrace('after-blocking')
        for (const id of [before, after]) {
          const text = await read(id)
          if (text.toLowerCase().includes(word)) throw new Error(`the trace ${id} holds the blocked term`)
          if (!text.includes('[BLOCKED_1]')) throw new Error(`the trace ${id} has no placeholder`)
        }
        await eventually(async () => {
          await target.work?.()
          await ask('GET', path, { as: bearer }).is(200, { ok: true, terms: [word], updatedAt: time, pending: 0 })
        }, stage.scheduledMs)
      } finally {
        await ask('PUT', path, { as: bearer, json: { terms: [] } }).is(200)
      }
    },
  ),
  check('identity', 'the form of the page saves one term for each line', ['mailbox'], async (context) => {
    const { ask, own, target } = context
    const { bearer, cookie } = await own('blocking')
    ;(await send(context, '/blocked-terms', { terms: 'Kumquat\r\n\r\nBlue Bird' }, cookie).is(303)).has(
      'location',
      `${target.prefix ?? ''}/blocked-terms`,
    )
    await send(context, '/blocked-terms', { terms: 'x' }, cookie).is(400)
    const terms = ['Kumquat', 'Blue Bird']
    await ask('GET', path, { as: bearer }).is(200, { ok: true, terms, updatedAt: time, pending: 0 })
    const page = await ask('GET', '/blocked-terms', { as: cookie }).is(200)
    page.must(page.text.includes('Kumquat\nBlue Bird'), 'a page with the terms one a line')
  }),
]

import type { Answer } from './answer.ts'
import { check, type Check } from './check.ts'
import type { Context } from './context.ts'
import { listOf, makeMatcher, matchOrNull, text, time, wholeNumber } from './matchers.ts'

const strange = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'
const path = '/api/admin/webhooks'
const lost = { ok: false, error: 'not_found' }
const object = makeMatcher('an object', (value) => typeof value === 'object' && value !== null)
const secret = makeMatcher('whsec_ and base64', (value) => /^whsec_[A-Za-z0-9+/]+=*$/.test(String(value)))

/** Creates a webhook of the run, which is deleted at the end. There are no servers under `.example`. */
async function create({ ask, operator, stage }: Context, name: string): Promise<Answer> {
  const url = `https://${name}.conformance.example/${stage.run}`
  const json = { url, description: `Conformance ${stage.run}`, events: ['job.completed'] }
  const answer = await ask('POST', path, { as: operator(), json }).is(201, {
    ok: true,
    webhook: {
      ...json,
      id: text,
      status: 'enabled',
      disabledReason: null,
      createdAt: time,
      updatedAt: time,
    },
    secret,
  })
  stage.addCleanup(() => stage.ask('DELETE', `${path}/${answer.json.webhook.id}`, { as: operator() }))
  return answer
}

/** Checks of the endpoints of webhooks, which the operator manages. */
export const webhooks: readonly Check[] = [
  check('embedding', 'a URL can have one webhook, which can be changed and deleted', ['operator'], async (context) => {
    const { ask, operator } = context
    const as = operator()
    const { webhook, secret: own } = (await create(context, 'life')).json
    const repeat = { as, json: { url: webhook.url } }
    await ask('POST', path, repeat).is(409, { ok: false, error: 'webhook_exists' })
    const { url } = (await create(context, 'other')).json.webhook
    const update = (json: object) => ask('PATCH', `${path}/${webhook.id}`, { as, json })
    await update({ url }).is(409, { ok: false, error: 'webhook_exists' })
    await update({ events: null, status: 'disabled' }).is(200, {
      ok: true,
      webhook: { ...webhook, events: null, status: 'disabled', updatedAt: time },
    })
    const list = await ask('GET', path, { as }).is(200, { ok: true, items: listOf(object), nextCursor: null })
    list.must(!list.text.includes(own), 'a list without secrets')
    const rotated = await ask('POST', `${path}/${webhook.id}/rotate-secret`, { as }).is(200, {
      ok: true,
      webhook: object,
      secret,
      previousSecretUntil: time,
    })
    rotated.must(rotated.json.secret !== own, 'another secret')
    await ask('DELETE', `${path}/${webhook.id}`, { as }).is(200, { ok: true })
    await ask('DELETE', `${path}/${webhook.id}`, { as }).is(404, lost)
  }),
  check('embedding', 'a URL that is not https or is not public returns 400', ['operator'], async (context) => {
    const { ask, operator } = context
    const { webhook } = (await create(context, 'public')).json
    const refused = { ok: false, error: 'private_address' }
    const as = operator()
    const wrong = ['http://hooks.conformance.example/', 'https://10.0.0.1/', 'https://[::1]/', 'https://localhost/']
    for (const url of wrong) {
      const answer = await ask('POST', path, { as, json: { url } })
      // A service in development mode accepts URLs that are not public or not https.
      if (answer.status === 201) await ask('DELETE', `${path}/${answer.json.webhook.id}`, { as }).is(200)
      else answer.must(answer.status === 400 && answer.json.error === refused.error, JSON.stringify(refused))
    }
    await ask('POST', path, { as, json: { url: 'nowhere' } }).is(400, {
      ok: false,
      error: 'invalid_body',
      issues: listOf(object),
    })
    for (const json of [{ events: ['no.event'] }, { status: 'over' }, { url: 'nowhere' }])
      await ask('PATCH', `${path}/${webhook.id}`, { as, json }).is(400)
    const answer = await ask('PATCH', `${path}/${webhook.id}`, { as, json: { url: 'https://10.0.0.1/' } })
    answer.must(answer.status === 200 || answer.json.error === refused.error, JSON.stringify(refused))
  }),
  check(
    'embedding',
    'a delivery is listed, ends when its webhook is disabled, and can be redelivered',
    ['operator'],
    async (context) => {
      const { ask, operator } = context
      const as = operator()
      const { id } = (await create(context, 'delivery')).json.webhook
      const { deliveryId } = (await ask('POST', `${path}/${id}/test`, { as }).is(202, { ok: true, deliveryId: text }))
        .json
      const set = (status: string) => ask('PATCH', `${path}/${id}`, { as, json: { status } }).is(200)
      const redeliverAgain = () => ask('POST', `${path}/${id}/deliveries/${deliveryId}/redeliver`, { as })
      await set('disabled')
      await ask('POST', `${path}/${id}/test`, { as }).is(409, { ok: false, error: 'webhook_disabled' })
      await redeliverAgain().is(409, { ok: false, error: 'webhook_disabled' })
      await set('enabled')
      const { json } = await ask('GET', `${path}/${id}/deliveries?limit=1`, { as }).is(200, {
        ok: true,
        items: [
          {
            id: deliveryId,
            eventId: text,
            eventType: 'webhook.test',
            status: text,
            attempts: wholeNumber,
            lastError: matchOrNull(text),
            results: listOf({ at: time, status: matchOrNull(wholeNumber), error: matchOrNull(text) }),
            event: object,
            createdAt: time,
            dueAt: time,
            finishedAt: matchOrNull(time),
          },
        ],
        nextCursor: null,
      })
      // A worker may have been sending the delivery when the webhook was disabled.
      if (json.items[0].status === 'dead') {
        await redeliverAgain().is(202, { ok: true, deliveryId })
        await redeliverAgain().is(409, { ok: false, error: 'delivery_pending' })
      }
      await ask('GET', `${path}/${id}/deliveries?status=over`, { as }).is(400, { ok: false, error: 'invalid_query' })
    },
  ),
  check('embedding', 'an unknown webhook returns 404', ['operator'], async ({ ask, operator }) => {
    const as = operator()
    await ask('PATCH', `${path}/${strange}`, { as, json: {} }).is(404, lost)
    await ask('DELETE', `${path}/${strange}`, { as }).is(404, lost)
    await ask('GET', `${path}/${strange}/deliveries`, { as }).is(404, lost)
    for (const step of ['test', 'rotate-secret', `deliveries/${strange}/redeliver`])
      await ask('POST', `${path}/${strange}/${step}`, { as }).is(404, lost)
  }),
  check('embedding', "the operator's page shows a secret only once", ['operator'], async (context) => {
    const { ask, operator, stage } = context
    const form = { type: 'application/x-www-form-urlencoded', headers: { 'sec-fetch-site': 'same-origin' } }
    const send = (where: string, fields: Record<string, string>, as = {}) =>
      ask('POST', where, { ...form, as, body: new URLSearchParams(fields).toString() })
    const signed = await send('/admin/sign-in', { token: operator()['authorization']!.slice(7) }).is(303)
    const as = { cookie: signed.header('set-cookie')!.split(';')[0]! }
    const url = `https://page.conformance.example/${stage.run}`
    // The secret is not stored for a replay, so the form ignores a key: each submission answers for itself.
    const idempotencyKey = `webhook-${stage.run}`
    const page = await send('/admin/webhooks/create', { url, idempotencyKey }, as).is(200)
    await send('/admin/webhooks/create', { url: `${url}/other`, idempotencyKey }, as).is(200)
    await send('/admin/webhooks/create', { url: 'https://10.0.0.1/' }, as).is(400)
    page.must(/whsec_/.test(page.text), 'the secret')
    const { items } = (await ask('GET', path, { as: operator() }).is(200)).json
    const findId = (created: string): string => items.find((item: { url: string }) => item.url === created).id
    const id = findId(url)
    const rotated = await send('/admin/webhooks/rotate', { id }, as).is(200)
    rotated.must(/whsec_/.test(rotated.text), 'the new secret')
    const shown = await ask('GET', '/admin/webhooks', { as }).is(200)
    shown.must(!/whsec_/.test(shown.text) && shown.text.includes(id), 'the endpoint without a secret')
    for (const created of [id, findId(`${url}/other`)])
      await send('/admin/webhooks/delete', { id: created }, as).is(303)
  }),
]

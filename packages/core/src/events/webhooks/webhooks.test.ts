import type { Fixture } from '@tributary/test-kit'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { admin, openAutoApprovingService, places, type Place } from '../../ingest/contributor.fixture.ts'
import type { Fetch } from '../../ports.ts'
import type { Stores } from '../../stores.ts'
import { rotationMs } from './handlers.ts'
import { queueTimes } from '../../queue/times.ts'

interface Received {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}

const endpoint = 'https://hooks.example.com/tributary'

describe.each(Object.entries(places))('webhooks on %s', (_, openPlace) => {
  let place: Place
  let made: Fixture
  let received: Received[]
  /** The functions that answer requests, by URL. A URL without a function gets 204. */
  let answers: Record<string, () => number | Promise<number>>

  const redirects = new Set<string>()
  const fetch: Fetch = async (url, { headers, body, signal, redirect }) => {
    redirects.add(redirect)
    const answer = answers[url] ?? (() => 204)
    const status = await Promise.race([
      answer(),
      new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    ])
    received.push({ url, headers, body: body! })
    return { status, body: null }
  }
  beforeEach(async () => {
    place = await openPlace()
    received = []
    answers = {}
    made = openAutoApprovingService(place.stores, { webhooks: { fetch }, secret: 'secret of the webhook tests' })
  })
  afterEach(() => place.close())

  const ask = (method: string, path: string, json?: unknown) =>
    made.ask(method, `/api/admin/webhooks${path}`, { headers: admin, ...(json === undefined ? {} : { json }) })
  const create = async (json: object = {}) =>
    (await ask('POST', '', { url: endpoint, ...json })).json as { webhook: { id: string }; secret: string }
  /** Causes an event by submitting a report of a software agent. */
  async function report(title: string): Promise<string> {
    const json = {
      reporter: { agent_vendor: 'example', agent_product: 'agent' },
      subject: { surface: 'POST /api/ingest' },
      content: { title },
    }
    return (await made.ask('POST', '/api/v1/feedback', { json })).json.receipt.feedback_id
  }
  const listDeliveries = async (id: string) => (await ask('GET', `/${id}/deliveries`)).json.items
  const verify = (secret: string, { headers, body }: Received): unknown =>
    // The package compares the timestamp with the clock of the machine.
    new Webhook(secret).verify(body, headers)

  test("sends an event that the standardwebhooks package verifies with the endpoint's secret only", async () => {
    made.clock.set(Date.now())
    const { webhook, secret } = await create()
    const feedbackId = await report('It fails')
    await made.service.work()
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/)
    expect(received).toHaveLength(1)
    const event = verify(secret, received[0]!) as { id: string }
    expect(event).toEqual({
      id: received[0]!.headers['webhook-id'],
      type: 'report.received',
      createdAt: new Date(made.clock()).toISOString(),
      data: { feedbackId, duplicateOf: null },
    })
    expect(() => verify('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', received[0]!)).toThrow(/signature/i)
    expect(await listDeliveries(webhook.id)).toMatchObject([
      { eventId: event.id, eventType: 'report.received', status: 'sent', attempts: 1, event },
    ])
  })

  test('shows the secret once, and stores it encrypted', async () => {
    const { webhook, secret } = await create()
    expect((await ask('GET', '')).text).not.toContain(secret)
    const claim = { id: webhook.id, lease: 'l', now: made.clock(), until: made.clock() + 1000, limit: 1 }
    await report('It fails')
    const stored = await place.stores.webhooks.claimDeliveries(claim)
    expect(JSON.stringify(stored)).not.toContain(secret.slice('whsec_'.length))
  })

  test('signs with both secrets for a day after a rotation, then with the new secret', async () => {
    made.clock.set(Date.now())
    const { webhook, secret } = await create()
    const rotated = (await ask('POST', `/${webhook.id}/rotate-secret`)).json
    await report('first')
    await made.service.work()
    expect([secret, rotated.secret].map((one) => (verify(one, received[0]!) as { type: string }).type)).toEqual([
      'report.received',
      'report.received',
    ])
    made.clock.advance(rotationMs + 1)
    await report('second')
    await made.service.work()
    expect(received[1]!.headers['webhook-signature']!.split(' ')).toHaveLength(1)
  })

  test('sends only the events that the endpoint selected, and none while it is disabled', async () => {
    const { webhook } = await create({ events: ['job.completed'] })
    await report('first')
    await ask('PATCH', `/${webhook.id}`, { events: null })
    await report('second')
    await ask('PATCH', `/${webhook.id}`, { status: 'disabled' })
    await report('third')
    expect((await listDeliveries(webhook.id)).map(({ status }: { status: string }) => status)).toEqual(['dead'])
    await ask('PATCH', `/${webhook.id}`, { status: 'enabled' })
    await made.service.work()
    expect(received).toEqual([])
  })

  test('retries for three days with growing delays, then gives up, and redelivers on request', async () => {
    const { webhook } = await create()
    answers[endpoint] = () => 500
    await report('It fails')
    const started = made.clock()
    for (const delay of queueTimes.webhooks.retryMs) {
      await made.service.work()
      made.clock.advance(delay - 1)
      const before = received.length
      await made.service.work()
      expect(received).toHaveLength(before)
      made.clock.advance(1)
    }
    await made.service.work()
    expect(made.clock() - started).toBeGreaterThanOrEqual(3 * 24 * 60 * 60 * 1000)
    const [delivery] = await listDeliveries(webhook.id)
    expect(delivery).toMatchObject({ status: 'dead', attempts: 10, lastError: 'answered 500' })
    expect(delivery.results).toHaveLength(10)
    expect(delivery.results[0]).toEqual({ at: expect.any(String), status: 500, error: null })
    answers = {}
    expect((await ask('POST', `/${webhook.id}/deliveries/${delivery.id}/redeliver`)).status).toBe(202)
    expect((await ask('POST', `/${webhook.id}/deliveries/${delivery.id}/redeliver`)).json.error).toBe(
      'delivery_pending',
    )
    await made.service.work()
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toHaveProperty('size', 1)
    expect(await listDeliveries(webhook.id)).toMatchObject([{ status: 'sent', attempts: 1 }])
  })

  test('disables an endpoint that answers 410, and does not follow a redirect', async () => {
    const [gone, moved] = [await create(), await create({ url: 'https://moved.example.com/' })]
    answers = { [endpoint]: () => 410, 'https://moved.example.com/': () => 302 }
    await report('It fails')
    await made.service.work()
    const { items } = (await ask('GET', '')).json
    expect(items).toMatchObject([
      { id: gone.webhook.id, status: 'disabled', disabledReason: 'The endpoint answered 410 Gone.' },
      { id: moved.webhook.id, status: 'enabled', disabledReason: null },
    ])
    expect([...redirects]).toEqual(['manual'])
    expect(await listDeliveries(moved.webhook.id)).toMatchObject([{ status: 'waiting', lastError: 'answered 302' }])
    expect((await ask('POST', `/${gone.webhook.id}/test`)).json.error).toBe('webhook_disabled')
  })

  test('delivers to other endpoints while one endpoint does not answer', async () => {
    const [slow] = [await create(), await create({ url: 'https://fast.example.com/' })]
    let answer = (_: number): void => undefined
    answers[endpoint] = () => new Promise<number>((resolve) => (answer = resolve))
    await report('first')
    const stop = new AbortController()
    let polls = 0
    const working = made.service.work({
      signal: stop.signal,
      async wait(loop) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        if (loop === 'webhooks' && ++polls === 3) await report('second')
      },
    })
    while (received.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(received.map(({ url }) => url)).toEqual(['https://fast.example.com/', 'https://fast.example.com/'])
    expect((await listDeliveries(slow.webhook.id)).map(({ status }: { status: string }) => status)).toContain('sending')
    stop.abort()
    answer(204)
    await working
  })

  test('work resolves after a stop only when its deliveries have ended', async () => {
    await create()
    await report('first')
    let continueClaim = (): void => undefined
    let [claiming, ended] = [false, false]
    const webhooks = Object.create(place.stores.webhooks, {
      claimDeliveries: {
        async value() {
          claiming = true
          await new Promise<void>((resolve) => (continueClaim = resolve))
          return null
        },
      },
    }) as Stores['webhooks']
    const stop = new AbortController()
    const at = openAutoApprovingService(
      { ...place.stores, webhooks },
      { clock: made.clock, webhooks: { fetch }, secret: 'secret of the webhook tests' },
    )
    const working = at.service
      .work({ signal: stop.signal, wait: () => new Promise((resolve) => setTimeout(resolve, 1)) })
      .finally(() => (ended = true))
    await expect.poll(() => claiming).toBe(true)
    stop.abort()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(ended).toBe(false)
    continueClaim()
    await working
  })

  test('sends the events of one subject in order, the second event only after the first was accepted', async () => {
    await create()
    let isDown = true
    answers[endpoint] = () => (isDown ? 503 : 204)
    const original = await report('It fails')
    made.clock.advance(1)
    const duplicate = await report('It fails')
    await made.service.work()
    isDown = false
    made.clock.advance(queueTimes.webhooks.retryMs[0])
    await made.service.work()
    expect(received.map(({ body }) => JSON.parse(body).data.feedbackId)).toEqual([original, original, duplicate])
  })

  test('refuses private addresses, http, a URL that exists already and more than 20 endpoints', async () => {
    const readError = async (url: string): Promise<string> => (await ask('POST', '', { url })).json.error
    for (const url of ['http://hooks.example.com/', 'https://10.0.0.1/', 'https://localhost/', 'https://[::1]/'])
      expect(await readError(url)).toBe('private_address')
    const { webhook } = await create()
    expect(await readError(endpoint)).toBe('webhook_exists')
    for (let n = 1; n < 20; n++) await create({ url: `https://hooks-${n}.example.com/` })
    expect(await readError('https://one-more.example.com/')).toBe('too_many_webhooks')
    expect((await ask('PATCH', `/${webhook.id}`, { url: 'https://hooks-1.example.com/' })).json.error).toBe(
      'webhook_exists',
    )
    expect((await ask('PATCH', `/${webhook.id}`, { url: 'https://10.0.0.1/' })).json.error).toBe('private_address')
  })

  test('writes each action of the operator to the audit log, without a secret', async () => {
    const { webhook, secret } = await create()
    await ask('PATCH', `/${webhook.id}`, { description: 'billing' })
    await ask('POST', `/${webhook.id}/rotate-secret`)
    await ask('POST', `/${webhook.id}/test`)
    await made.service.work()
    expect(JSON.parse(received[0]!.body)).toMatchObject({ type: 'webhook.test', data: { webhookId: webhook.id } })
    const [delivery] = await listDeliveries(webhook.id)
    await ask('POST', `/${webhook.id}/deliveries/${delivery.id}/redeliver`)
    await ask('DELETE', `/${webhook.id}`)
    expect((await ask('DELETE', `/${webhook.id}`)).status).toBe(404)
    const { text, json } = await made.ask('GET', '/api/admin/audit', { headers: admin })
    expect(json.items.map(({ action }: { action: string }) => action).reverse()).toEqual([
      'webhook.create',
      'webhook.update',
      'webhook.rotate_secret',
      'webhook.test',
      'webhook.redeliver',
      'webhook.delete',
    ])
    expect(text).not.toContain(secret)
    expect((await place.stores.outbox.list({ cursor: null, limit: 9 })).items).toEqual([])
  })

  test('GET /admin/webhooks/:id shows the body of each delivery', async () => {
    const { webhook } = await create()
    await ask('POST', `/${webhook.id}/test`)
    await made.service.work()
    const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: admin.authorization.slice(7) } })
    const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)[0]!
    const { text } = await made.ask('GET', `/admin/webhooks/${webhook.id}`, { headers: { cookie } })
    expect(JSON.parse(/<pre>([^]*?)<\/pre>/.exec(text)![1]!.replaceAll('&quot;', '"'))).toEqual(
      JSON.parse(received[0]!.body),
    )
    expect(text).toContain('Only the status code of each response is stored.')
  })

  test('GET /admin/webhooks shows when the last delivery was answered, and who disabled a webhook', async () => {
    const { webhook } = await create()
    await ask('POST', `/${webhook.id}/test`)
    const createdAt = new Date(made.clock()).toISOString()
    made.clock.advance(120_000)
    const answeredAt = new Date(made.clock()).toISOString()
    await made.service.work()
    const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: admin.authorization.slice(7) } })
    const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)[0]!
    const readPage = async () => (await made.ask('GET', '/admin/webhooks', { headers: { cookie } })).text
    const readCell = async (heading: string) => {
      const text = await readPage()
      return text.split(`data-label="${heading}"`)[1]!.split('</td>')[0]!
    }
    expect(await readCell('Last delivery')).toMatch(
      new RegExp(`Response <code>204</code> at <time datetime="${answeredAt}">`),
    )
    expect(await readCell('Last delivery')).not.toContain(createdAt)
    expect(await readCell('Status')).not.toContain(' by ')
    expect(await readPage()).not.toContain('never sent')
    await ask('POST', `/${webhook.id}/test`)
    await ask('PATCH', `/${webhook.id}`, { status: 'disabled' })
    expect(await readCell('Last delivery')).toMatch(
      new RegExp(`Stopped at <time datetime="${answeredAt}">[^<]*</time>: <bdi>the webhook was disabled</bdi>`),
    )
    expect(await readCell('Status')).toMatch(
      new RegExp(`since <time datetime="${answeredAt}">[^<]*</time> by <bdi>operator</bdi>`),
    )
    const lost = 'Events that happen while a webhook is disabled are never sent.'
    expect(await readPage()).toContain(lost)
    expect((await made.ask('GET', `/admin/webhooks/${webhook.id}`, { headers: { cookie } })).text).toContain(lost)
  })

  test('GET /admin/webhooks keeps a short URL on one line, and lets a long URL break after a slash', async () => {
    await create({ url: 'https://app.example.com/tributary' })
    await create({ url: 'https://hooks.example.com/services/tributary/events' })
    const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: admin.authorization.slice(7) } })
    const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)[0]!
    const { text } = await made.ask('GET', '/admin/webhooks', { headers: { cookie } })
    expect([...text.matchAll(/<a href="\/admin\/webhooks\/[0-9a-f-]+">(.*?)<\/a/g)].map(([, link]) => link)).toEqual([
      '<bdi class="whole">https://app.example.com/tributary</bdi>',
      '<bdi>https://hooks.example.com/<wbr />services/<wbr />tributary/<wbr />events</bdi>',
    ])
  })

  test('POST /admin/webhooks/create shows the secret once on the resulting page, and never in the list', async () => {
    const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: admin.authorization.slice(7) } })
    const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)[0]!
    const created = await made.ask('POST', '/admin/webhooks/create', { headers: { cookie }, form: { url: endpoint } })
    expect(created.status).toBe(200)
    const secret = /whsec_[A-Za-z0-9+/]{32}/.exec(created.text)?.[0]
    expect(secret).toBeDefined()
    await report('It fails')
    await made.service.work()
    const id = /href="\/admin\/webhooks\/([0-9a-f-]{36})"/.exec(
      (await made.ask('GET', '/admin/webhooks', { headers: { cookie } })).text,
    )![1]!
    const page = await made.ask('GET', `/admin/webhooks/${id}`, { headers: { cookie } })
    expect([page.text.includes(secret!), page.text.includes(endpoint), page.text.includes('report.received')]).toEqual([
      false,
      true,
      true,
    ])
    const question = await made.ask('GET', `/admin/webhooks/${id}?confirm=delete`, { headers: { cookie } })
    expect([question.text.includes('Delete this webhook?'), question.text.includes('Redeliver')]).toEqual([true, false])
    expect(await place.stores.webhooks.listWebhooks()).toHaveLength(1)
    const tested = await made.ask('POST', '/admin/webhooks/test', { headers: { cookie }, form: { id, item: id } })
    const shown = await made.follow(tested, { cookie })
    expect(shown.text).toMatch(/Test event queued\. <a href="\?">/)
    for (const [name, effect] of [
      ['rotate', 'For 24 hours'],
      ['disable', 'Deliveries that wait will be given up'],
    ])
      expect((await made.ask('GET', `/admin/webhooks/${id}?confirm=${name}`, { headers: { cookie } })).text).toContain(
        effect,
      )
    await made.ask('POST', '/admin/webhooks/status', { headers: { cookie }, form: { id, status: 'disabled' } })
    const disabled = await made.ask('GET', `/admin/webhooks/${id}`, { headers: { cookie } })
    expect(disabled.text).not.toContain('Redeliver')
    expect(disabled.text).toMatch(/since <time[^>]*>[^<]*<\/time> \(UTC\) by <bdi>operator<\/bdi>/)
  })

  test('POST /admin/webhooks/create subscribes to the checked events, and shows an error for a URL that it refuses', async () => {
    const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: admin.authorization.slice(7) } })
    const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)[0]!
    const submit = (form: Record<string, string>) =>
      made.ask('POST', '/admin/webhooks/create', { headers: { cookie }, form })
    for (const [url, message] of [
      [`https://a.example/${'x'.repeat(4000)}`, 'Enter a URL of up to 2,048 characters.'],
      ['a.example', 'Enter a URL that starts with https://.'],
      ['https://10.0.0.1/', 'Enter a URL that starts with https:// and names a public host.'],
    ] as const) {
      const { status, text } = await submit({ url, 'description': 'Kept', 'job.failed': 'yes', 'item': 'new' })
      expect([status, text.includes(message), text.includes('value="Kept"')]).toEqual([400, true, true])
      expect(text).toMatch(/name="job.failed"\s+value="yes"\s+checked/)
    }
    await submit({ 'url': 'https://hooks.example/', 'job.failed': 'yes', 'sale.recorded': 'yes' })
    expect(await place.stores.webhooks.listWebhooks()).toMatchObject([{ events: ['job.failed', 'sale.recorded'] }])
    expect((await submit({ url: 'https://hooks.example/', item: 'new' })).text).toContain(
      'Another webhook has this URL.',
    )
    for (let n = 1; n < 20; n++) await create({ url: `https://hooks-${n}.example.com/` })
    const { status, headers } = await submit({ url: 'https://one-more.example.com/', which: 'all' })
    expect([status, headers.get('location')]).toEqual([303, '/admin/webhooks'])
  })

  test('POST /admin/webhooks/create subscribes to all events, and refuses a form that selects no events', async () => {
    const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: admin.authorization.slice(7) } })
    const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)[0]!
    const submit = (form: Record<string, string>) =>
      made.ask('POST', '/admin/webhooks/create', {
        headers: { cookie },
        form: { url: 'https://hooks.example/', ...form },
      })
    const none = await submit({ which: 'selected', item: 'new' })
    expect([none.status, none.text.includes('Select at least one event.')]).toEqual([400, true])
    expect(none.text).toMatch(/value="selected"\s+checked/)
    await submit({ 'which': 'all', 'job.failed': 'yes' })
    const [{ id } = { id: '' }] = await place.stores.webhooks.listWebhooks()
    expect(await place.stores.webhooks.listWebhooks()).toMatchObject([{ events: null }])
    const edit = { id, item: id, which: 'selected' }
    const refused = await made.ask('POST', '/admin/webhooks/edit', {
      headers: { cookie },
      form: { url: 'https://hooks.example/', ...edit },
    })
    expect(refused.status).toBe(400)
  })

  test('POST /admin/webhooks/edit changes URL, description and events, and shows refused values again in the form', async () => {
    const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: admin.authorization.slice(7) } })
    const cookie = Object.entries(cookies).map(([name, value]) => `${name}=${value}`)[0]!
    await made.ask('POST', '/admin/webhooks/create', {
      headers: { cookie },
      form: { 'url': endpoint, 'description': 'Old', 'job.failed': 'yes' },
    })
    const [{ id } = { id: '' }] = await place.stores.webhooks.listWebhooks()
    const form = await made.ask('GET', `/admin/webhooks/${id}?confirm=edit`, { headers: { cookie } })
    expect(form.text).toMatch(/value="Old"[^]*name="job.failed"\s+value="yes"\s+checked/)
    const edit = (fields: Record<string, string>) =>
      made.ask('POST', '/admin/webhooks/edit', { headers: { cookie }, form: { id, item: id, ...fields } })
    const refused = await edit({ url: 'https://10.0.0.1/', description: 'Kept' })
    expect([refused.status, refused.text.includes('value="Kept"')]).toEqual([400, true])
    const saved = await edit({ url: 'https://new.example/', description: 'New' })
    expect([saved.headers.get('location'), saved.flash]).toEqual([`/admin/webhooks/${id}`, { done: 'saved' }])
    expect(await place.stores.webhooks.listWebhooks()).toMatchObject([
      { url: 'https://new.example/', description: 'New', events: null },
    ])
  })
})

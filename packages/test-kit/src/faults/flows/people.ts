import { defineFlow } from '../flow.ts'
import { expectPerson } from '../ledger.ts'
import { makeApplication, operator, terms, Unfinished, type World } from '../world.ts'
import { makeTraces, sellToBuyer, sellTraces, storeTraces } from './ingest.ts'
import { countImpression, createCampaign } from './ads.ts'

export const peopleFlows = [
  defineFlow({
    name: 'sign-in',
    prepare: async () => 'jane@example.com',
    async act(world, email) {
      for (;;) {
        const {
          json: { challenge },
        } = await world.retry('POST', '/api/auth/email', [200], { json: { email } })
        const code = readNewestCode(world, email)
        // If no mail arrived, the person asks for another code.
        if (code === null) continue
        const answer = await world.retry('POST', '/api/auth/email/verify', [200, 400], {
          json: { email, code, challenge },
        })
        // 400 means that the reply to an earlier attempt was lost, because the code works only once.
        if (answer.status === 400) continue
        const [[name, value]] = Object.entries(answer.cookies) as [[string, string]]
        world.ledger.credentials.push({ headers: { cookie: `${name}=${value}` }, email })
        return
      }
    },
  }),

  defineFlow({
    name: 'device',
    prepare: (world) => world.setup.signIn(),
    async act(world, signed) {
      expectPerson(world.ledger, signed)
      for (;;) {
        const started = await world.retry('POST', '/api/cli/device/start', [200], { json: { machine: 'laptop' } })
        world.ledger.deviceLogins++
        const { userCode, deviceCode } = started.json as { userCode: string; deviceCode: string }
        // 409 means that the reply to an earlier attempt was lost, because the authorization is already decided.
        await world.retry('POST', '/api/cli/device/approve', [200, 409], { headers: signed.cookie, json: { userCode } })
        const polled = await world.retry('GET', `/api/cli/device/poll?deviceCode=${deviceCode}`, [200, 409])
        // 409 means that an earlier poll got the token and its reply was lost, so the client starts again.
        if (polled.status === 409) continue
        const { token } = polled.json as { token: string }
        world.ledger.credentials.push({ headers: { authorization: `Bearer ${token}` }, email: signed.email })
        return
      }
    },
  }),

  defineFlow({
    name: 'revocation',
    prepare: (world) => world.setup.signIn(),
    async act(world, signed) {
      expectPerson(world.ledger, signed)
      const { json } = await world.retry('GET', '/api/account/machines', [200], { headers: signed.cookie })
      const machine = (json.machines as { id: string; kind: string }[]).find(({ kind }) => kind === 'machine')
      // 404 and 401 mean that an earlier attempt succeeded, and that its reply was lost.
      await world.retry('DELETE', `/api/account/machines/${machine!.id}`, [200, 404], { headers: signed.cookie })
      await world.retry('POST', '/api/auth/sign-out', [200, 401], { headers: signed.cookie })
      world.ledger.revoked.push(signed.bearer, signed.cookie)
    },
  }),

  defineFlow({
    name: 'onboarding',
    prepare: (world) => world.setup.signIn(),
    async act(world, signed) {
      const { bearer: headers, email } = signed
      const person = expectPerson(world.ledger, signed)
      await world.retry('POST', '/api/account/terms', [200], { headers, json: terms })
      // 409 means that the reply to an earlier attempt was lost, because the application is already stored.
      await world.retry('POST', '/api/account/application', [200, 409], { headers, json: makeApplication(email) })
      await world.retry('POST', '/api/account/contact', [200], { headers, json: { name: 'Jane', email } })
      await world.retry('PUT', '/api/account/consent', [200], { headers, json: { attribution: true, pixel: false } })
      await world.retry('POST', '/api/program/claim', [200], { headers, json: { deviceId: 'device-of-jane' } })
      person.devices.push('device-of-jane')
      const policy = await world.retry('GET', '/api/traces/upload-policy', [200], { headers })
      world.ledger.reads.push({ got: policy.text, path: '/api/traces/upload-policy', headers })
    },
  }),

  defineFlow({
    name: 'erasure',
    async prepare(world) {
      const person = await storeTraces(world, await world.contributor(), 3)
      const buyer = await sellToBuyer(world, person, person.traces.slice(0, 1))
      const { bearer: headers, email } = person.signed
      const campaign = await createCampaign(world, 'campaign before erasure')
      await countImpression(world, person, campaign)
      await world.askOk('POST', '/api/account/contact', { headers, json: { name: 'Jane', email } })
      await world.askOk('POST', '/api/cli/telemetry', { headers, json: { schema: 1, deviceId: 'a', command: 'sync' } })
      await world.askOk('POST', '/api/cli/feedback', { headers, json: { message: 'words of somebody who left' } })
      const correction = {
        key: 'before erasure',
        json: { userId: person.signed.userId, usd: 1, reason: `of ${email}` },
      }
      await world.askOk('POST', '/api/admin/corrections', {
        headers: { ...operator, 'idempotency-key': correction.key },
        json: correction.json,
      })
      person.correction = correction
      // There is one batch that no worker has claimed yet, and one upload that no request has used yet.
      await world.askOk('POST', '/api/ingest', { headers, json: makeTraces('late', 2).body })
      const started = await world.askOk('POST', '/api/ingest/uploads', { headers, json: { bytes: 100 } })
      await world.askOk('PUT', new URL(started.json.url as string).pathname, { json: { traces: [] } })
      return { person, buyer }
    },
    async act(world, { person, buyer }) {
      // 401 means that an earlier attempt erased the account, and that its reply was lost.
      await world.retry('DELETE', '/api/account', [200, 401], { headers: person.signed.cookie })
      person.erased = true
      world.ledger.removals.push({ buyer, traces: 1 })
      await world.workOnMessages()
    },
  }),

  defineFlow({
    name: 'prepared export',
    prepare: async (world) => storeTraces(world, await world.contributor(), 2),
    async act(world, { signed: { bearer: headers, userId } }) {
      const started = await world.retry('POST', '/api/account/exports', [202], { headers })
      for (let looks = 0; looks < 20; looks++) {
        await world.workOnMessages()
        const { json } = await world.retry('GET', `/api/account/exports/${started.json.export.id as string}`, [200], {
          headers,
        })
        if (json.export.status === 'ready') {
          const { json: document } = await world.retry('GET', new URL(json.export.url as string).pathname, [200])
          if (document.userId !== userId || document.account.traces.length !== 2)
            throw new Error('the prepared export is not whole')
          return
        }
        world.clock.advance(5_000)
      }
      throw new Unfinished('the export was not prepared')
    },
  }),

  defineFlow({
    name: 'blocked terms',
    async prepare(world) {
      const person = await storeTraces(world, await world.contributor(), 3)
      await sellTraces(world, person, person.traces.slice(0, 1), 'buyer before the change')
      return person
    },
    async act(world, { signed: { bearer: headers }, traces }) {
      const path = '/api/account/blocked-terms'
      await world.retry('PUT', path, [200], { headers, json: { terms: ['function'] } })
      // The first trace is sold, so it is not changed.
      for (const trace of traces.slice(1)) trace.kept = trace.content.replace('function', '[BLOCKED_1]')
      for (let looks = 0; looks < 20; looks++) {
        await world.workOnMessages()
        const { json } = await world.retry('GET', path, [200], { headers })
        if (json.pending === 0) return
        // The clock moves past the lease of a worker that died.
        world.clock.advance(31_000)
      }
      throw new Unfinished('the traces were not scrubbed again')
    },
  }),

  defineFlow({
    name: 'export',
    async prepare(world) {
      const person = await storeTraces(world, await world.contributor(), 2)
      // The first use of a token is stored, which would make two exports differ.
      await world.askOk('GET', '/api/cli/session', { headers: person.signed.bearer })
      return person
    },
    async act(world, { signed: { bearer: headers } }) {
      const { text } = await world.retry('GET', '/api/account/export', [200], { headers })
      world.ledger.reads.push({ got: text, path: '/api/account/export', headers })
    },
  }),
]

/** Returns the six digits of the newest mail to an address, or null if no mail arrived since the last read. */
function readNewestCode(world: World, email: string): string | null {
  const at = world.mailer.mails.findLastIndex(({ to }) => to === email)
  const [mail] = at < 0 ? [] : world.mailer.mails.splice(at, 1)
  return mail?.text.match(/\b\d{6}\b/)?.[0] ?? null
}

import { check, type Check } from './check.ts'
import { madeId, matchOrNull, text, makeMatcher, time, wholeNumber } from './matchers.ts'
import { application, requestSignInCode, createToken } from './people.ts'

const parts = makeMatcher(
  'an object of parts',
  (value) => typeof value === 'object' && value !== null && Object.keys(value).length > 0,
)

/** Checks of all data that is stored about a person, and of its erasure. */
export const account: readonly Check[] = [
  check(
    'contributor',
    'the export is one document with the data of only this user',
    ['mailbox'],
    async ({ ask, own }) => {
      const { bearer, cookie, userId, email } = await own('exported')
      const [other] = [await own('stranger')]
      await ask('POST', '/api/account/contact', {
        as: bearer,
        json: { name: 'Exported Name', email, phone: '+1 555 0199' },
      }).is(200)
      await ask('POST', '/api/cli/telemetry', {
        as: bearer,
        json: { schema: 1, deviceId: 'exported-device', events: [{ name: 'exported-event' }] },
      }).is(200)
      for (const as of [bearer, cookie]) {
        const reply = await ask('GET', '/api/account/export', { as })
        reply.is(200, { ok: true, exportedAt: time, userId, account: parts })
        reply
          .has('cache-control', 'private, no-store')
          .has('content-disposition', 'attachment; filename="tributary-account.json"')
        for (const word of ['Exported Name', '+1 555 0199', 'exported-device', 'exported-event', email])
          reply.must(reply.text.includes(word), `an export that holds ${word}`)
        for (const word of [other.email, other.userId, bearer['authorization']!.slice(7)])
          reply.must(!reply.text.includes(word), 'an export that holds nothing of another, and no credential')
      }
    },
  ),
  check(
    'contributor',
    'the export contains the conversations as they are stored',
    ['contributor', 'mailbox'],
    async ({ ask, contributor, stored }) => {
      const { bearer } = await contributor()
      const [trace] = await stored(1)
      const reply = await ask('GET', '/api/account/export', { as: bearer }).is(200)
      const found = reply.json.account.traces?.find(({ id }: { id: string }) => id === trace!.id)
      reply.must(
        found?.sourceId === trace!.sourceId && Array.isArray(found?.messages),
        `the trace ${trace!.id} with its messages`,
      )
    },
  ),
  check(
    'contributor',
    'an export is prepared in the background for its user, and downloaded from a secret URL',
    ['mailbox'],
    async (context) => {
      const { ask, own, target, stage, eventually } = context
      const { bearer, userId } = await own('exported')
      const stranger = (await own('stranger')).bearer
      const prepared = {
        id: madeId,
        requestedAt: time,
        status: makeMatcher('preparing or ready', (value) => value === 'preparing' || value === 'ready'),
        bytes: matchOrNull(wholeNumber),
        url: matchOrNull(text),
        expiresAt: matchOrNull(time),
      }
      const {
        json: {
          export: { id },
        },
      } = await ask('POST', '/api/account/exports', { as: bearer }).is(202, { ok: true, export: prepared })
      await target.work?.()
      const expectReady = async () =>
        ask('GET', `/api/account/exports/${id}`, { as: bearer }).is(200, {
          ok: true,
          export: { ...prepared, status: 'ready', expiresAt: time },
        })
      await eventually(expectReady, stage.scheduledMs)
      const { url, bytes } = (await expectReady()).json.export as { url: string; bytes: number }
      const again = await ask('POST', '/api/account/exports', { as: bearer }).is(202)
      again.must(again.json.export.id === id, 'the same export while it can be fetched')
      await ask('GET', `/api/account/exports/${id}`, { as: stranger }).is(404, { ok: false, error: 'not_found' })
      await ask('GET', '/api/account/exports/nope', { as: bearer }).is(400, { ok: false, error: 'invalid_id' })
      await ask('GET', `/api/account/exports/files/${'0'.repeat(64)}`).is(404, { ok: false, error: 'not_found' })
      const at = url.indexOf('/api/account/exports/files/')
      if (at < 0) return // The link leads to another store, not to the service.
      const file = await ask('GET', url.slice(at)).is(200, { ok: true, exportedAt: time, userId, account: parts })
      file
        .has('cache-control', 'private, no-store')
        .has('content-disposition', 'attachment; filename="tributary-account.json"')
      file.must(Buffer.byteLength(file.text) === bytes, `a file of ${bytes} bytes`)
    },
  ),
  check(
    'contributor',
    'DELETE /api/account ends the account and all of its credentials',
    ['mailbox'],
    async ({ ask, own, stage, eventually }) => {
      const { bearer, cookie, email, userId } = await own('erased')
      const second = { authorization: `Bearer ${await createToken(stage, cookie)}` }
      await ask('POST', '/api/account/application', { as: bearer, json: { ...application, email } }).is(200)
      await ask('POST', '/api/program/claim', { as: bearer, json: { deviceId: `erased-${stage.run}` } }).is(200)
      await ask('DELETE', '/api/account', { as: bearer }).is(403, { ok: false, error: 'browser_required' })
      await ask('GET', '/api/cli/session', { as: bearer }).is(200)
      await ask('DELETE', '/api/account', { as: cookie }).is(200, { ok: true })
      for (const as of [bearer, second])
        await eventually(() => ask('GET', '/api/cli/session', { as }).is(401, { ok: false, error: 'unauthorized' }))
      await eventually(() =>
        ask('GET', '/api/traces/access', { as: cookie }).is(401, { ok: false, error: 'unauthorized' }),
      )
      // The device of the erased person is free when the worker has erased the rest of the account.
      const heir = await own('stranger')
      await stage.target.work?.()
      const claim = (): Promise<unknown> =>
        ask('POST', '/api/program/claim', { as: heir.bearer, json: { deviceId: `erased-${stage.run}` } }).is(200, {
          ok: true,
          result: 'claimed',
        })
      await eventually(claim, stage.scheduledMs)
      // A person who signs in again has a new account without data.
      const { challenge } = await requestSignInCode(stage, email)
      const typed = { email, code: await stage.target.code!(email), challenge }
      const again = await ask('POST', '/api/auth/email/verify', { json: typed }).is(200, { ok: true, userId: madeId })
      again.must(again.json.userId !== userId, 'another id than the erased one')
      const as = { 'cookie': again.cookie('session'), 'sec-fetch-site': 'same-origin' }
      const { json } = await ask('GET', '/api/traces/access', { as }).is(200)
      again.must(json.status === 'not_applied' && json.application === null, 'no application after erasure')
      await ask('DELETE', '/api/account', { as }).is(200, { ok: true })
      stage.erased.add(email)
    },
  ),
]

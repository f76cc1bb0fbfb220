import { check, type Check } from './check.ts'
import type { Context } from './context.ts'
import type { PendingAnswer } from './answer.ts'
import { routes } from './contract.ts'
import { application, signInBrowser } from './people.ts'
import type { Headers } from './run-state.ts'

const strange = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'
const html = 'text/html; charset=utf-8'

/** Sends a form as a browser sends it from a page of the service. */
export function send(
  { ask }: Context,
  path: string,
  fields: Readonly<Record<string, string>> | readonly [string, string][],
  as: Headers = {},
): PendingAnswer {
  return ask('POST', path, {
    as: { 'sec-fetch-site': 'same-origin', ...as },
    body: new URLSearchParams(fields as Record<string, string>).toString(),
    type: 'application/x-www-form-urlencoded',
  })
}

/**
 * Checks that a person's pages work without scripts: a valid form redirects with 303, and an invalid form is shown
 * again with its errors.
 */
export const forms: readonly Check[] = [
  check('sign-in', 'the sign-in form asks for an address, and then for its code', ['mailbox'], async (context) => {
    const { stage, target } = context
    const email = `conformance-${stage.run}-form@conformance.example`
    ;(await send(context, '/sign-in', { email: 'nobody' }).is(400)).has('content-type', html)
    const sent = await send(context, '/sign-in', { email }).is(303)
    const asker = { cookie: sent.cookie('challenge') }
    const code = await target.code!(email)
    await send(context, '/sign-in', { email, code: 'abc' }, asker).is(400)
    await send(context, '/sign-in', { email, code }).is(400)
    const signed = await send(context, '/sign-in', { email, code, next: '/terms' }, asker).is(303)
    signed.has('location', `${target.prefix ?? ''}/terms`)
    signed.must(/_session=[^;]{20,}.*HttpOnly/.test(signed.setCookie('session')), 'a session cookie')
    const as = { cookie: signed.cookie('session') }
    ;(await send(context, '/account', { action: 'erase' }, as).is(303)).has(
      'location',
      `${target.prefix ?? ''}/account/erase`,
    )
    await context.ask('GET', '/account/erase', { as }).is(200)
    await context.ask('GET', '/account', { as }).is(200)
    ;(await send(context, '/account', { action: 'erase', confirmed: 'yes' }, as).is(200)).has('set-cookie', /Max-Age=0/)
    await context.eventually(() => context.ask('GET', '/account', { as }).is(303))
  }),
  check('sign-in', 'the sign-out button ends the session', ['mailbox'], async (context) => {
    const { own, stage, target } = context
    const cookie = await signInBrowser(stage, (await own('policy')).email)
    const out = await send(context, '/sign-out', {}, cookie).is(303)
    out
      .has('location', `${target.prefix ?? ''}/sign-in`)
      .must(/Max-Age=0/.test(out.setCookie('session')), 'a session cookie that is removed')
    await context.eventually(() => context.ask('GET', '/api/traces/access', { as: cookie }).is(401))
  }),
  check('device-login', 'the device page can approve or deny an authorization', ['mailbox'], async (context) => {
    const { ask, own } = context
    const { cookie } = await own('main')
    const { userCode: code } = (
      await ask('POST', '/api/cli/device/start', { json: { machine: 'conformance' } }).is(200)
    ).json
    await send(context, '/device', { code, decision: 'perhaps' }, cookie).is(400)
    await send(context, '/device', { code: 'BBBB-BBBF', decision: 'approved' }, cookie).is(404)
    await send(context, '/device', { code, decision: 'denied' }, cookie).is(200)
    await send(context, '/device', { code, decision: 'approved' }, cookie).is(409)
    ;(await send(context, '/device', { code, decision: 'approved' }).is(303)).has('location', /\/sign-in\?next=/)
  }),
  check(
    'contributor',
    'the forms of terms, application, contact and waitlist redirect to the next step, or show errors',
    ['mailbox'],
    async (context) => {
      const { own } = context
      const { cookie, email, bearer } = await own('forms')
      const { termsVersion } = (await context.ask('GET', '/api/traces/upload-policy', { as: bearer }).is(200)).json
      const { companyName, website, role } = application
      const draft = { companyName, website, role, email, authorized: 'yes' }
      const steps: readonly (readonly [path: string, right: Record<string, string>, wrong: Record<string, string>])[] =
        [
          ['/terms', { termsVersion, accepted: 'yes', residencyConfirmed: 'yes' }, { termsVersion }],
          ['/contact', { name: 'N', email }, { name: '' }],
          ['/waitlist', { email, country: 'NZ' }, { email: 'nobody' }],
          ['/apply', draft, { ...draft, website: 'no' }],
        ]
      for (const [path, right, wrong] of steps) {
        ;(await send(context, path, wrong, cookie).is(400)).has('content-type', html)
        await send(context, path, right, cookie).is(303)
      }
      await context.ask('GET', '/waitlist/leave', { as: cookie }).is(200)
      for (let time = 0; time < 2; time++)
        (await send(context, '/waitlist/leave', {}, cookie).is(303)).has('location', /\/waitlist$/)
      await context.ask('GET', '/waitlist/leave', { as: cookie }).is(303)
      await send(context, '/terms', { termsVersion: 'an-older-one', accepted: 'yes' }, cookie).is(409)
      await send(context, '/apply', draft, cookie).is(409)
      const reply = await context.ask('GET', '/api/traces/access', { as: bearer }).is(200)
      reply.must(
        reply.json.application?.companyName === companyName && reply.json.application.directoryUrl === null,
        'the application of the form',
      )
    },
  ),
  check('contributor', 'the account form pauses, resumes and saves consents', ['mailbox'], async (context) => {
    const { ask, own } = context
    const { cookie, bearer } = await own('forms')
    for (const fields of [
      { action: 'pause' },
      { action: 'resume' },
      { action: 'consent', attribution: 'yes' },
      { action: 'revoke', id: strange },
    ] as Record<string, string>[]) {
      ;(await send(context, '/account', fields, cookie).is(303)).has('location', /\/account$/)
    }
    for (const fields of [{}, { action: 'revoke' }, { action: 'fly' }] as Record<string, string>[])
      await send(context, '/account', fields, cookie).is(400)
    const saved = await send(context, '/account', { action: 'pause' }, cookie).is(303)
    const after = { cookie: `${cookie['cookie']}; ${saved.cookie('flash')}` }
    const shown = await ask('GET', '/account', { as: after }).is(200)
    shown.must(shown.text.includes('data-done="paused"'), 'a page that confirms the pause')
    shown.must(/Max-Age=0/.test(shown.setCookie('flash')), 'a confirmation that is shown once')
    const again = await ask('GET', '/account', { as: cookie }).is(200)
    again.must(!again.text.includes('data-done='), 'no confirmation on a page that follows no form')
    await send(context, '/account', { action: 'resume' }, cookie).is(303)
    await ask('GET', '/api/traces/upload-policy', { as: bearer }).is(200)
  }),
  check(
    'traces',
    'the form of the traces page excludes, includes and deletes the selected traces, and asks for confirmation',
    ['contributor', 'mailbox'],
    async (context) => {
      const { ask, contributor, stored, target, skip } = context
      if (target.token !== undefined) skip('the given person has no cookie')
      const { cookie, bearer } = await contributor()
      const ids = (await stored(2)).map(({ id }) => id)
      const sendChosen = (action: string, ...more: [string, string][]) =>
        send(
          context,
          '/traces',
          [...ids.map((id): [string, string] => ['ids', id]), ['action', action], ...more],
          cookie,
        )
      ;(await sendChosen('exclude').is(303)).has('location', `${target.prefix ?? ''}/traces`)
      await ask('GET', `/api/traces/${ids[0]}`, { as: bearer }).is(200, {
        ok: true,
        trace: { id: ids[0], sellExcluded: true, saleCount: 0, locked: false },
      })
      await sendChosen('include').is(303)
      await sendChosen('delete').is(200)
      await ask('GET', `/api/traces/${ids[1]}`, { as: bearer }).is(200, {
        ok: true,
        trace: { id: ids[1], sellExcluded: false, saleCount: 0, locked: false },
      })
      await sendChosen('delete', ['confirmed', 'yes']).is(303)
      for (const id of ids) await ask('GET', `/api/traces/${id}`, { as: bearer }).is(404)
      ;(await send(context, '/traces', { action: 'exclude' }, cookie).is(200)).has('content-type', html)
    },
  ),
]

const sections = routes.filter(
  ({ auth, form, success }) => auth === 'admin-page' && form !== undefined && success?.includes(400),
)

/** Valid forms about items that do not exist. Each redirects back with a message. */
const absent: Readonly<Record<string, Record<string, string>>> = {
  '/admin/applications/review': { id: strange, decision: 'approve' },
  '/admin/contributors/review': { id: strange, decision: 'approve' },
  '/admin/contributors/pause': { userId: 'nobody', paused: 'yes' },
  '/admin/jobs/retry': { jobId: strange },
  '/admin/campaigns/edit': {
    id: strange,
    name: 'a',
    brandName: 'a',
    title: 'a',
    text: 'a',
    url: 'https://conformance.example',
    cpmUsd: '1',
    budgetUsd: '1',
  },
  '/admin/campaigns/status': { id: strange, status: 'paused' },
  '/admin/campaigns/end': { id: strange },
  '/admin/campaigns/rotate': { id: strange },
  '/admin/campaigns/revoke': { id: strange },
  '/admin/webhooks/edit': { id: strange, url: 'https://example.com/' },
  '/admin/webhooks/rotate': { id: strange },
  '/admin/webhooks/status': { id: strange, status: 'disabled' },
  '/admin/webhooks/test': { id: strange },
  '/admin/webhooks/delete': { id: strange },
  '/admin/webhooks/redeliver': { id: strange, deliveryId: strange },
  '/admin/outbox/resend': { status: 'dead', id: strange },
  '/admin/outbox/delete': { status: 'dead', id: strange },
  '/admin/waitlist/remove': { userId: 'nobody' },
  '/admin/buyers/rotate': { id: strange, name: 'nobody', confirmed: 'yes' },
  '/admin/buyers/revoke': { id: strange, name: 'nobody', confirmed: 'yes' },
  '/admin/buyers/withdraw': { id: strange, reason: 'none', confirmed: 'yes' },
  '/admin/payouts/reject': { id: strange, reason: 'none' },
  '/admin/reports/merge': { id: strange, into: strange },
  '/admin/reports/separate': { id: strange },
  '/admin/reports/status': { id: strange, status: 'spam' },
}

/** Forms without their confirmation. Each is answered with a confirmation page. */
const unconfirmed: Readonly<Record<string, Record<string, string>>> = {
  '/admin/contributors/sign_out': { userId: 'nobody' },
  '/admin/buyers/rotate': { id: strange, name: 'nobody' },
  '/admin/buyers/revoke': { id: strange, name: 'nobody' },
}

/** The checks of the operator's forms. */
export const operatorForms: readonly Check[] = sections.map(({ path }) =>
  check('operator', `the form ${path} requires the operator, and shows errors`, ['operator'], async (context) => {
    const { operator } = context
    ;(await send(context, path, { a: 'b' }).is(401)).has('content-type', html)
    const signed = await send(context, '/admin/sign-in', { token: operator()['authorization']!.slice(7) }).is(303)
    const as = { cookie: signed.header('set-cookie')!.split(';')[0]! }
    ;(await send(context, path, { a: 'b' }, as).is(400)).has('content-type', html)
    if (path in unconfirmed) (await send(context, path, unconfirmed[path]!, as).is(200)).has('content-type', html)
    if (path in absent) (await send(context, path, absent[path]!, as).is(303)).has('location', /\/admin\/[a-z]+$/)
  }),
)

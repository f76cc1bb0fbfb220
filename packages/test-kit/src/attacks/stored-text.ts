import { check, type Check } from '../conformance/check.ts'
import { makeCampaign } from '../conformance/campaign.ts'
import type { Context } from '../conformance/context.ts'
import { application } from '../conformance/people.ts'

/** Returns a text with markup, quotes, a bidirectional and an invisible character and a terminal's escape sequence. */
const makeHostileText = (field: string): string =>
  `${field}<img src=x onerror=alert(1)>"'\`{{7*7}}&lt;\u202e\u200b\u001b[31m`
const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u200b\u202a-\u202e\u2066-\u2069]/

/** Writes hostile text into every field that stores text. A field that refuses the text is also safe. */
async function writeEverywhere(context: Context): Promise<void> {
  const { ask, own, operator, stage } = context
  await stage.makeOnce('hostile texts', async () => {
    const { bearer: as, cookie, email } = await own('writer')
    const deviceId = `attack-text-${stage.run}`
    await ask('POST', '/api/account/contact', {
      as,
      json: { name: makeHostileText('contact'), email, phone: '+1 555 0100' },
    })
    await ask('POST', '/api/account/application', {
      as,
      json: { ...application, companyName: makeHostileText('company'), role: makeHostileText('role'), email },
    })
    await ask('POST', '/api/program/claim', { as, json: { deviceId } })
    await ask('POST', '/api/cli/feedback', { as, json: { message: makeHostileText('feedback') } }).is(200)
    const { json } = await ask('POST', '/api/cli/device/start', { json: { machine: makeHostileText('machine') } })
    if (json.userCode) await ask('POST', '/api/cli/device/approve', { as: cookie, json: { userCode: json.userCode } })
    const { examples } = (await ask('GET', '/api/v1/policy').is(200)).json
    const report = JSON.stringify(examples.feedback[0], (key, value: unknown) =>
      /summary|title|details|expected|actual|name/.test(key) ? makeHostileText(key) : value,
    )
    await ask('POST', '/api/v1/feedback', { body: report })
    const draft = {
      ...makeCampaign(stage.run, 'hostile'),
      name: makeHostileText('campaign').slice(0, 128),
      title: makeHostileText('title').slice(0, 100),
      topics: ['hosting'],
      startsAt: '2099-01-01T00:00:00Z',
    }
    await ask('POST', '/api/admin/campaigns', { as: operator(), json: draft })
  })
}

/** Checks that pages show stored text as text, which cannot hide or reorder anything. */
export const storedText: readonly Check[] = [
  ...['/account', '/traces', '/contact', '/apply', '/terms', '/device', '/waitlist'].map((path) =>
    check('V1', `${path} shows stored text as text`, ['mailbox', 'operator'], async (context) => {
      await writeEverywhere(context)
      const { cookie } = await context.own('writer')
      const reply = await context.ask('GET', path, { as: cookie }).is(200)
      reply
        .must(!reply.text.includes('<img src=x'), 'no element made of stored text')
        .must(!hidden.test(reply.text), 'no control and no bidirectional character')
    }),
  ),
  ...[
    'overview',
    'applications',
    'contributors',
    'jobs',
    'sales',
    'campaigns',
    'reports',
    'feedback',
    'outbox',
    'waitlist',
    'audit',
  ].map((section) =>
    check(
      'V1',
      `the operator's section ${section} shows stored text as text`,
      ['mailbox', 'operator'],
      async (context) => {
        await writeEverywhere(context)
        const { ask, operator } = context
        const token = operator()['authorization']!.slice(7)
        const signed = await ask('POST', '/admin/sign-in', {
          headers: { 'sec-fetch-site': 'same-origin' },
          body: new URLSearchParams({ token }).toString(),
          type: 'application/x-www-form-urlencoded',
        }).is(303)
        const as = { cookie: signed.header('set-cookie')!.split(';')[0]! }
        const reply = await ask('GET', `/admin/${section}`, { as })
        reply.must(reply.status === 200 || reply.status === 400, 'a page')
        reply
          .must(!reply.text.includes('<img src=x'), 'no element made of stored text')
          .must(!hidden.test(reply.text), 'no control and no bidirectional character')
        if (section === 'feedback')
          reply.must(reply.text.includes('&lt;img src=x'), 'the text of the feedback, escaped')
      },
    ),
  ),
  check('V1', 'text of the query string is shown as text', ['mailbox'], async ({ ask, own }) => {
    const { cookie } = await own('writer')
    const sent = encodeURIComponent('"><script>alert(1)</script>')
    for (const path of ['/sign-in?next=', '/sign-in?error=', '/device?code=', '/traces?q=', '/account?done=']) {
      const reply = await ask('GET', path + sent, { as: cookie })
      reply.must(!reply.text.includes('<script>alert'), 'no element made of the query')
    }
  }),
]

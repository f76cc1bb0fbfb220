import { check, type Check } from '../conformance/check.ts'
import { send as sendForm } from '../conformance/forms.ts'
import type { Headers } from '../conformance/run-state.ts'

const marks = /data-(?:done|result)=|class="notice done"/

/** Success notices that an attacker forges: in the URL, in a forged cookie, or in a cookie of another session. */
export const notices: readonly Check[] = [
  check('V3', 'no URL makes a page confirm an action that did not happen', ['mailbox', 'operator'], async (context) => {
    const { ask, own, operator } = context
    const { cookie } = await own('reader')
    const signed = await sendForm(context, '/admin/sign-in', { token: operator()['authorization']!.slice(7) }).is(303)
    const asOperator = { cookie: signed.cookie('operator') }
    for (const [path, as] of [
      ['/admin/payouts?done=recorded&counts=10-0', asOperator],
      ['/admin/sales?done=sold&counts=12', asOperator],
      ['/admin/applications?done=approved&about=1', asOperator],
      ['/traces?done=delete&count=9&skipped=0', cookie],
      ['/account?done=others_revoked', cookie],
      ['/apply?done=application', cookie],
      ['/waitlist?done=left', cookie],
      ['/blocked-terms?done=saved', cookie],
      ['/?done=signed_in', cookie],
      ['/sign-in?done=signed_out', {}],
    ] as const) {
      const reply = await ask('GET', path, { as }).is(200)
      reply.must(!marks.test(reply.text), 'a page without a notice')
    }
  }),
  check(
    'V3',
    'a notice cookie works only unchanged, once, on its page and in the session that created it',
    ['mailbox'],
    async (context) => {
      const { ask, own } = context
      const { cookie } = await own('writer')
      const stranger = (await own('reader')).cookie
      const nobody: Headers = {}
      const saved = await sendForm(context, '/blocked-terms', { terms: 'Kumquat' }, cookie).is(303)
      const flash = saved.cookie('flash')
      const [name = '', value = ''] = flash.split('=')
      const forged = encodeURIComponent(JSON.stringify({ done: 'saved', until: 9_999_999_999_999 }))
      for (const [path, as, cookies] of [
        ['/blocked-terms', stranger, flash],
        ['/blocked-terms', nobody, flash],
        ['/account', cookie, flash],
        ['/blocked-terms', cookie, `${flash.slice(0, -1)}1`],
        ['/blocked-terms', cookie, `${name}=${'0'.repeat(64)}.${value.split('.')[1]}`],
        ['/blocked-terms', cookie, `${name}=${'0'.repeat(64)}.${forged}`],
        ['/blocked-terms', cookie, `${name}=${forged}`],
        ['/blocked-terms', cookie, `${name}=%`],
      ] as const) {
        const headers = { cookie: [as['cookie'], cookies].filter(Boolean).join('; ') }
        const reply = await ask('GET', path, { headers })
        reply
          .must(reply.status === 200 || reply.status === 303, 'a page, or the way to the sign-in')
          .must(!marks.test(reply.text), 'a page without a notice')
      }
      const shown = await ask('GET', '/blocked-terms', { headers: { cookie: `${cookie['cookie']}; ${flash}` } }).is(200)
      shown
        .must(marks.test(shown.text), 'the notice on its page')
        .must(/=; .*Max-Age=0/.test(shown.setCookie('flash')), 'a cookie that is removed')
    },
  ),
]

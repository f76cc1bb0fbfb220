import { check, type Check } from '../conformance/check.ts'
import { send } from '../conformance/forms.ts'
import { makePerson } from '../conformance/people.ts'
import { makeVictim, readState } from './victim.ts'

/** Attempts to change the person who is paid. */
export const money: readonly Check[] = [
  check(
    'API6',
    "a stranger who gives the victim's address as a contact does not become the person whom an operator pays",
    ['mailbox', 'contributor', 'operator'],
    async (context) => {
      const { ask, operator, stage } = context
      const { email, userId } = await makeVictim(stage)
      const stranger = await makePerson(stage, 'payee-thief')
      const json = { name: 'Somebody else', email }
      await ask('POST', '/api/account/contact', { as: stranger.bearer, json }).is(200)
      const signed = await send(context, '/admin/sign-in', { token: operator()['authorization']!.slice(7) }).is(303)
      const as = { cookie: signed.header('set-cookie')!.split(';')[0]! }
      const fields = { userId: email, usd: '50', reason: 'attack', confirmed: 'yes' }
      const asked = await send(context, '/admin/payouts/correct', fields, as).is(200)
      asked.must(asked.text.includes(userId), 'a question that names the victim')
      asked.must(!asked.text.includes(stranger.userId), 'a question that does not name the stranger')
      const { json: earned } = await ask('GET', '/api/account/earnings', { as: stranger.bearer }).is(200)
      asked.must(earned.lifetimeUsd === 0, 'nothing recorded for the stranger')
    },
  ),
  check(
    'API6',
    "the victim's token cannot change the person who is paid",
    ['mailbox', 'contributor', 'operator'],
    async (context) => {
      const { ask, stage } = context
      const { bearer: as } = await makeVictim(stage)
      const before = await readState(context)
      const json = { name: 'Somebody else', email: 'else@conformance.example' }
      const refused = await ask('POST', '/api/account/contact', { as, json })
      refused.is(403, { ok: false, error: 'reauthentication_required' })
      refused.must((await readState(context)) === before, "the victim's data as it was", 'it was changed')
    },
  ),
]

import { check, type Check } from '../conformance/check.ts'
import { send } from '../conformance/forms.ts'
import {
  askChallenge,
  confirm,
  makePasskey,
  registerPasskey,
  removePasskeys,
  signInWithToken,
} from '../conformance/passkeys.ts'
import type { AnswerChanges } from '../fixtures/authenticator.ts'

const forged: readonly (readonly [what: string, changes: AnswerChanges])[] = [
  ['from another origin', { origin: 'https://evil.example' }],
  ['for another domain', { rpId: 'evil.example' }],
  ['to another challenge', { challenge: 'ab'.repeat(32) }],
  ['from a frame of another site', { crossOrigin: true }],
  ['that registers', { type: 'webauthn.create' }],
  ['without user verification', { userVerified: false }],
  [
    'with a tampered signature',
    { tamper: (bytes) => Buffer.from(bytes.map((byte, at) => (at === 20 ? byte ^ 1 : byte))) },
  ],
  ['with a counter that went back', { counter: 0 }],
]

/** Attacks on the second step of an operator's sign-in, by somebody who has the token. */
export const passkeyAttacks: readonly Check[] = [
  check(
    'API2',
    "an operator's token without the passkey gives a browser no access",
    ['passkey-token'],
    async (context) => {
      const { ask } = context
      const [passkey, owner] = [await makePasskey(context), await signInWithToken(context)]
      await registerPasskey(context, passkey, owner)
      try {
        const as = await signInWithToken(context)
        const isKeptOut = async (): Promise<void> => {
          for (const path of ['/admin', '/admin/keys', '/admin/csv/jobs']) await ask('GET', path, { as }).is(401)
          await send(context, '/admin/buyers/create', { name: `attack-${context.stage.run}` }, as).is(401)
        }
        await isKeptOut()
        for (const [, changes] of forged) await (await confirm(context, passkey, as, changes)).is(401)
        // The service refuses a passkey that was not registered, and a registration by a person who has only the token.
        await (await confirm(context, await makePasskey(context), as)).is(401)
        await askChallenge(context, 'registration', as).is(401)
        await send(context, '/admin/keys/register', { name: 'attack', response: '{}' }, as).is(401)
        const { options } = (await askChallenge(context, 'sign_in', as).is(200)).json
        const response = JSON.stringify(passkey.get(options))
        // The same answer is sent in the session of another person, and then twice in the session that requested it.
        const other = await signInWithToken(context)
        await askChallenge(context, 'sign_in', other).is(200)
        await send(context, '/admin/keys/sign_in', { response }, other).is(401)
        await isKeptOut()
        const confirmed = await send(context, '/admin/keys/sign_in', { response }, as).is(303)
        await ask('GET', '/admin', { as: { cookie: confirmed.cookie('operator') } }).is(200)
        await isKeptOut()
        await askChallenge(context, 'sign_in', other).is(200)
        await send(context, '/admin/keys/sign_in', { response }, other).is(401)
      } finally {
        await removePasskeys(context, owner)
      }
    },
  ),
]

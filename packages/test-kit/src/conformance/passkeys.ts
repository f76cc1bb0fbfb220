import { createSoftwarePasskey, type AnswerChanges, type SoftwarePasskey } from '../fixtures/authenticator.ts'
import type { Answer, PendingAnswer } from './answer.ts'
import { check, type Check } from './check.ts'
import type { Context } from './context.ts'
import { send } from './forms.ts'
import type { Headers } from './run-state.ts'

/** Signs a browser in with only the token, as the operator whose passkeys belong to the run. */
export async function signInWithToken(context: Context): Promise<Headers> {
  const reply = await send(context, '/admin/sign-in', { token: context.target.passkeyToken! }).is(303)
  return { cookie: reply.cookie('operator') }
}

/** Makes a passkey in a browser at the service's own URL. */
export async function makePasskey({ ask }: Context): Promise<SoftwarePasskey> {
  const { resource } = (await ask('GET', '/.well-known/oauth-protected-resource').is(200)).json
  return createSoftwarePasskey({ origin: new URL(resource).origin })
}

export const askChallenge = (context: Context, purpose: string, as: Headers): PendingAnswer =>
  send(context, '/admin/keys/challenge', { purpose }, as)

/** Registers a passkey, and removes it when the run ends. */
export async function registerPasskey(
  context: Context,
  passkey: SoftwarePasskey,
  as: Headers,
  changes?: AnswerChanges,
): Promise<Answer> {
  const { options } = (await askChallenge(context, 'registration', as).is(200)).json
  const response = JSON.stringify(passkey.create(options, changes))
  return send(context, '/admin/keys/register', { name: `conformance-${context.stage.run}`, response }, as).is(303)
}

/** Answers a challenge of a sign-in with a passkey. */
export async function confirm(
  context: Context,
  passkey: SoftwarePasskey,
  as: Headers,
  changes?: AnswerChanges,
): Promise<PendingAnswer> {
  const { options } = (await askChallenge(context, 'sign_in', as).is(200)).json
  const response = JSON.stringify(passkey.get(options, changes))
  return send(context, '/admin/keys/sign_in', { response }, as)
}

/** Removes every passkey with the run's name that the operator sees. */
export async function removePasskeys(context: Context, as: Headers): Promise<void> {
  const { text } = await context.ask('GET', '/admin/keys', { as }).is(200)
  const rows = text.split('<tr').filter((row) => row.includes(`conformance-${context.stage.run}`))
  for (const row of rows) {
    const id = /name="id" value="([^"]+)"/.exec(row)![1]!
    await send(context, '/admin/keys/remove', { id }, as).is(200)
    await send(context, '/admin/keys/remove', { id, confirmed: 'yes' }, as).is(303)
  }
}

export const passkeys: readonly Check[] = [
  check('operator', 'the script of passkeys is a file of the service', [], async ({ ask }) => {
    ;(await ask('GET', '/assets/passkeys.js').is(200)).has('content-type', /^text\/javascript/)
  }),
  check('operator', 'only operators get a challenge for a passkey', [], async (context) => {
    for (const purpose of ['registration', 'sign_in', 'payment'])
      await askChallenge(context, purpose, {}).is(401, { ok: false, error: 'unauthorized' })
    // A service without operators has no such paths.
    const { status } = await context.ask('GET', '/admin')
    await send(context, '/admin/keys/sign_in', { response: '{}' }).is(status === 404 ? 404 : 401)
  }),
  check(
    'operator',
    'an operator with a passkey signs in with token and passkey, and after its removal with only the token',
    ['passkey-token'],
    async (context) => {
      const { ask, target } = context
      const [passkey, browser] = [await makePasskey(context), await signInWithToken(context)]
      await askChallenge(context, 'payment', browser).is(400)
      await registerPasskey(context, passkey, browser)
      try {
        const second = await signInWithToken(context)
        ;(await ask('GET', '/admin', { as: second }).is(401)).must(true, 'the page that asks for the passkey')
        await askChallenge(context, 'registration', second).is(401)
        ;(await (await confirm(context, passkey, second, { userVerified: false })).is(401)).must(true, 'no cookie')
        const confirmed = await (await confirm(context, passkey, second)).is(303)
        await ask('GET', '/admin', { as: { cookie: confirmed.cookie('operator') } }).is(200)
        await ask('GET', '/admin', { as: second }).is(401)
        await ask('GET', '/api/admin/jobs', { as: { authorization: `Bearer ${target.passkeyToken}` } }).is(200)
      } finally {
        await removePasskeys(context, browser)
      }
      await ask('GET', '/admin', { as: await signInWithToken(context) }).is(200)
    },
  ),
]

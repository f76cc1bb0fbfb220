import * as z from 'zod'
import { True } from '../../http/fields.ts'
import { route } from '../../http/route.ts'

/** The JSON of a `PublicKeyCredential`, which the script of the page puts into a form. */
export const CredentialText = z.string().max(16_384)

/**
 * The routes of passkeys that are not forms of a section. Registration and removal are forms of the section `keys` of
 * the operators' pages.
 */
export const passkeysContract = {
  makeChallenge: route({
    summary: 'Make a challenge for a passkey',
    description:
      'Returns the options for `navigator.credentials` of the browser. The challenge is for the session of this browser, ' +
      'replaces an earlier one, and can be used once within five minutes. `registration` needs a sign-in of the last 15 ' +
      'minutes; `sign_in` is for a session that must still confirm with a passkey.',
    method: 'POST',
    path: '/admin/keys/challenge',
    auth: 'admin-page',
    envelope: 'ok',
    form: z.object({ purpose: z.enum(['registration', 'sign_in']) }),
    reply: z.object({ ok: True, options: z.record(z.string(), z.unknown()) }),
    failures: {
      invalid_body: 400,
      unauthorized: 401,
      reauthentication_required: 403,
      rate_limited: 429,
      passkeys_unavailable: 503,
    },
  }),
  signInWithPasskey: route({
    summary: 'Confirm a sign-in with a passkey',
    method: 'POST',
    path: '/admin/keys/sign_in',
    auth: 'admin-page',
    envelope: 'ok',
    form: z.object({ response: CredentialText, next: z.string().max(2048).optional() }),
    reply: 'page',
    success: [303, 401],
    failures: {},
  }),
}

import * as z from 'zod'
import { DateTime, Email, Text, True, Uuid } from '../http/fields.ts'
import { route } from '../http/route.ts'
import { mailCodePattern } from './rules.ts'

const ok = z.object({ ok: True })
const signedIn = z.object({ ok: True, userId: z.string() })
const Code = z.string().max(64).regex(mailCodePattern, 'not a sign-in code')
const next = z.string().max(4096).optional()

/** Sign-in, sign-out, and the machines and browsers that are signed in. */
export const authContract = {
  sendCode: route({
    summary: 'Send a sign-in code',
    description:
      'Sends a code by e-mail. The code is valid only with the returned challenge, which is set as a ' +
      'cookie too. The reply is the same whether or not the address is known. A code has six digits, or ten letters ' +
      'on a day on which 20 wrong codes were entered for the address.',
    method: 'POST',
    path: '/api/auth/email',
    auth: 'none',
    envelope: 'ok',
    body: z.object({ email: Email }),
    reply: z.object({ ok: True, challenge: z.string() }),
    failures: {},
  }),
  verifyCode: route({
    summary: 'Sign in with a code',
    description:
      'Checks the code against its challenge, from the body or else from the cookie, and sets the session cookie.',
    method: 'POST',
    path: '/api/auth/email/verify',
    auth: 'none',
    envelope: 'ok',
    body: z.object({ email: Email, code: z.string().max(64), challenge: z.string().max(64).optional() }),
    reply: signedIn,
    failures: { invalid_code: 400 },
  }),
  signOut: route({
    summary: 'Sign out',
    description: 'Ends the session or revokes the token of this call.',
    method: 'POST',
    path: '/api/auth/sign-out',
    auth: 'bearer-or-cookie',
    envelope: 'ok',
    reply: ok,
    failures: {},
  }),
  listMachines: route({
    summary: 'List devices and browsers',
    description:
      'Returns the devices that hold a token and the browsers that are signed in. A device that was approved and has ' +
      'not fetched its token yet has the status `approved`.',
    method: 'GET',
    path: '/api/account/machines',
    auth: 'bearer-or-cookie',
    envelope: 'ok',
    query: z.object({}),
    reply: z.object({
      ok: True,
      machines: z.array(
        z.object({
          id: z.string(),
          kind: z.enum(['machine', 'browser']),
          status: z.enum(['signed_in', 'approved']),
          label: z.string(),
          createdAt: DateTime,
          lastUsedAt: DateTime.nullable(),
          current: z.boolean(),
        }),
      ),
    }),
    failures: {},
  }),
  revokeMachine: route({
    summary: 'Sign out a device or browser',
    description:
      'Revokes the token of a device, or signs a browser out. Writes are refused immediately, reads on other hosts within ' +
      'five seconds. A device that was approved gets no token.',
    method: 'DELETE',
    path: '/api/account/machines/:id',
    auth: 'bearer-or-cookie',
    envelope: 'ok',
    params: z.object({ id: Uuid }),
    reply: ok,
    failures: {},
  }),
  signInPage: route({
    summary: 'Show the sign-in page',
    method: 'GET',
    path: '/sign-in',
    auth: 'optional',
    envelope: 'ok',
    query: z.object({ next, step: z.string().max(32).optional() }),
    reply: 'page',
    success: [200, 303],
    failures: {},
  }),
  signInForm: route({
    summary: 'Submit the sign-in form',
    description:
      'Accepts an e-mail address and redirects to the form for the code that is sent to it. Then accepts the code.',
    method: 'POST',
    path: '/sign-in',
    auth: 'none',
    envelope: 'ok',
    form: z.object({ email: Email, code: Code.optional(), next: next }),
    reply: 'page',
    success: [303, 400, 429, 503],
    failures: {},
  }),
  signOutForm: route({
    summary: 'Sign a browser out',
    method: 'POST',
    path: '/sign-out',
    auth: 'optional',
    envelope: 'ok',
    form: z.object({}),
    reply: 'page',
    success: [303],
    failures: {},
  }),
  operatorSignIn: route({
    summary: 'Sign in as the operator',
    method: 'POST',
    path: '/admin/sign-in',
    auth: 'admin-page',
    envelope: 'ok',
    form: z.object({ token: z.string().max(1024), next: z.string().max(2048).optional() }),
    reply: 'page',
    success: [303, 401, 429],
    failures: {},
  }),
  operatorSignOut: route({
    summary: 'Sign out as the operator',
    method: 'POST',
    path: '/admin/sign-out',
    auth: 'admin-page',
    envelope: 'ok',
    form: z.object({}),
    reply: 'page',
    success: [303],
    failures: {},
  }),
  stylesheet: route({
    summary: 'Get the style sheet of the pages',
    method: 'GET',
    path: '/assets/tributary.css',
    auth: 'none',
    envelope: 'ok',
    reply: 'stream',
    media: 'text/css',
    failures: {},
  }),
}

const decision = {
  issues: false,
  body: z.object({ userCode: z.string().max(64) }),
  failures: { invalid_user_code: 404, already_decided: 409, expired_token: 410 },
} as const

/**
 * Device authorization: a program starts it, a person decides in a browser, the program polls.
 */
const PendingDevice = z.object({ ok: True, status: z.literal('pending') })
const ApprovedDevice = z.object({ ok: True, status: z.literal('approved'), token: z.string(), userId: z.string() })

export const deviceContract = {
  startDevice: route({
    summary: 'Start device authorization',
    description:
      'Returns a device code for the client to poll with, and a user code that a person enters in a browser.',
    method: 'POST',
    path: '/api/cli/device/start',
    auth: 'none',
    envelope: 'bare',
    rates: ['device_start'],
    issues: false,
    body: z.object({ machine: Text(1, 256) }),
    reply: z.object({
      ok: True,
      deviceCode: z.string(),
      userCode: z.string(),
      verificationUrl: z.string(),
      verificationUrlComplete: z.string(),
      expiresAt: DateTime,
      interval: z.int().meta({ examples: [5] }),
    }),
    failures: {},
  }),
  pollDevice: route({
    id: 'E15',
    summary: 'Poll device authorization',
    description:
      'Returns the token once a person has authorized the device. Polls that keep the interval are not limited. Polls ' +
      'that come early or have an unknown code are limited to 600 a minute for each IP address by default.',
    method: 'GET',
    path: '/api/cli/device/poll',
    auth: 'none',
    envelope: 'bare',
    hasSideEffects: true,
    badQuery: 'invalid_device_code',
    unavailable: 'device_login_unavailable',
    query: z.object({ deviceCode: z.string() }),
    reply: z.discriminatedUnion('status', [PendingDevice, ApprovedDevice]),
    success: [200, 202],
    replies: {
      200: { description: 'The device is approved. Keep the token.', reply: ApprovedDevice },
      202: { description: 'Nobody has decided yet. Poll again after the interval.', reply: PendingDevice },
    },
    failures: {
      invalid_device_code: 400,
      access_denied: 409,
      expired_token: 410,
      slow_down: 429,
      rate_limited: 429,
      device_login_unavailable: 503,
    },
  }),
  approveDevice: route({
    summary: 'Authorize a device',
    description:
      'For a page on which a signed-in person enters the user code. The next poll of the device returns the token.',
    method: 'POST',
    path: '/api/cli/device/approve',
    auth: 'cookie',
    envelope: 'bare',
    ...decision,
    reply: z.object({ ok: True, status: z.literal('approved'), machine: z.string() }),
  }),
  denyDevice: route({
    summary: 'Deny a device',
    description:
      'For a page on which a signed-in person enters the user code. Polls of the device then return `access_denied`.',
    method: 'POST',
    path: '/api/cli/device/deny',
    auth: 'cookie',
    envelope: 'bare',
    ...decision,
    reply: z.object({ ok: True, status: z.literal('denied'), machine: z.string() }),
  }),
  devicePage: route({
    summary: 'Show the device page',
    method: 'GET',
    path: '/device',
    auth: 'page',
    envelope: 'ok',
    query: z.object({ code: z.string().optional() }),
    reply: 'page',
    success: [200, 404, 409, 410],
    failures: {},
  }),
  deviceForm: route({
    summary: 'Submit the device form',
    description:
      'Shows the device that has the entered code. If the form contains a decision, approves or denies the device.',
    method: 'POST',
    path: '/device',
    auth: 'page',
    envelope: 'ok',
    form: z.object({ code: z.string().max(64), decision: z.enum(['approved', 'denied']).optional() }),
    reply: 'page',
    success: [200, 400, 404, 409, 410, 429],
    failures: {},
  }),
}

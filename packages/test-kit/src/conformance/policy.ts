import { check, type Check } from './check.ts'
import type { Context } from './context.ts'
import { boolean, matchLink, matchOrNull, text, makeMatcher } from './matchers.ts'
import type { Person } from './people.ts'

const path = '/api/traces/upload-policy'
const closedBy = new Set(['country_unknown', 'us_upload_required'])
const reason = makeMatcher(
  'a reason of the interface, or null',
  (value) =>
    value === null ||
    ['country_unknown', 'us_upload_required', 'residency_required', 'terms_required', 'contributor_paused'].includes(
      value as string,
    ),
)
const country = matchOrNull(
  makeMatcher('two upper-case letters', (value) => typeof value === 'string' && /^[A-Z]{2}$/.test(value)),
)
const shape = {
  ok: true,
  eligible: boolean,
  reason,
  country,
  policyVersion: text,
  termsVersion: text,
  termsAccepted: boolean,
  residencyConfirmed: boolean,
  acceptanceUrl: matchLink('/terms'),
  waitlistUrl: matchLink('/waitlist'),
}
export const policyShape = shape

/** Returns a person's current policy. Skips the check when uploads are closed for the country of this machine. */
async function open({ ask, skip }: Context, { bearer }: Person) {
  const { json } = await ask('GET', path, { as: bearer }).is(200, shape)
  if (closedBy.has(json.reason)) skip(`uploads are closed to this machine's country (${json.reason})`)
  return json
}

const acceptTerms = ({ ask }: Context, { bearer }: Person, termsVersion: string, residencyConfirmed: boolean) =>
  ask('POST', '/api/account/terms', { as: bearer, json: { termsVersion, residencyConfirmed } })

/** Skips the check if the service assigns a country to requests without the header, as with `dev --country US`. */
export async function requireUnknownCountry({ ask, target, skip }: Context, as: Person['bearer']): Promise<void> {
  const { json } = await ask('GET', path, { as, headers: { [target.countryHeader!.toLowerCase()]: '' } }).is(200, shape)
  if (json.country !== null) skip(`the service takes ${json.country} for whoever comes without the header`)
}

/**
 * The checks of `GET /api/traces/upload-policy` and of the operations that change the policy. They share a person, so
 * their order matters.
 */
export const policy: readonly Check[] = [
  check('E11', 'the policy has every field of the interface', ['person'], async ({ ask, person }) => {
    const { json } = await ask('GET', path, { as: (await person()).bearer }).is(200, shape)
    ;(await ask('GET', path, { as: (await person()).bearer }).is(200, json)).has('cache-control', /no-store/)
  }),
  check('E11', 'eligible is true exactly when there is no reason', ['person'], async ({ ask, person }) => {
    const reply = await ask('GET', path, { as: (await person()).bearer }).is(200, shape)
    reply.must(reply.json.eligible === (reply.json.reason === null), 'eligible when and only when the reason is null')
  }),
  check('E11', 'a cookie returns the same policy as a bearer token', ['mailbox'], async ({ ask, own }) => {
    const { bearer, cookie } = await own('policy')
    const { json } = await ask('GET', path, { as: bearer }).is(200, shape)
    await ask('GET', path, { as: cookie }).is(200, json)
  }),
  check('E11', 'a user who accepted no terms gets residency_required first', ['mailbox'], async (context) => {
    const somebody = await context.own('policy')
    const before = await open(context, somebody)
    await context.ask('GET', path, { as: somebody.bearer }).is(200, {
      ...before,
      eligible: false,
      reason: 'residency_required',
      termsAccepted: false,
      residencyConfirmed: false,
    })
  }),
  check(
    'contributor',
    'an outdated version of the terms returns 409 with the current version',
    ['mailbox'],
    async (context) => {
      const somebody = await context.own('policy')
      const { termsVersion } = (await context.ask('GET', path, { as: somebody.bearer }).is(200)).json
      const reply = await acceptTerms(context, somebody, `not-${termsVersion}`.slice(0, 64), true)
      reply.must(
        reply.status === 409 && reply.json.ok === false && reply.json.error === 'terms_outdated',
        '409 {ok: false, error: "terms_outdated"}',
      )
      await context
        .ask('GET', path, { as: somebody.bearer })
        .is(200, { ...shape, eligible: false, termsAccepted: false })
    },
  ),
  check(
    'contributor',
    'acceptance without a version or a residency answer returns 400',
    ['mailbox'],
    async ({ ask, own }) => {
      const { bearer } = await own('policy')
      for (const json of [
        {},
        { termsVersion: '', residencyConfirmed: true },
        { termsVersion: 'v' },
        { termsVersion: 'v', residencyConfirmed: 'yes' },
        { termsVersion: 'v'.repeat(65), residencyConfirmed: true },
      ]) {
        await ask('POST', '/api/account/terms', { as: bearer, json }).is(400, { ok: false, error: 'invalid_body' })
      }
    },
  ),
  check('contributor', 'terms accepted without residency leave residency_required', ['mailbox'], async (context) => {
    const somebody = await context.own('policy')
    const before = await open(context, somebody)
    await acceptTerms(context, somebody, before.termsVersion, false).then((reply) =>
      reply.is(200, {
        ok: true,
        policy: {
          ...before,
          eligible: false,
          reason: 'residency_required',
          termsAccepted: true,
          residencyConfirmed: false,
        },
      }),
    )
  }),
  check('contributor', 'terms accepted with residency open uploads', ['mailbox'], async (context) => {
    const somebody = await context.own('policy')
    const before = await open(context, somebody)
    const after = { ...before, eligible: true, reason: null, termsAccepted: true, residencyConfirmed: true }
    await acceptTerms(context, somebody, before.termsVersion, true).then((reply) =>
      reply.is(200, { ok: true, policy: after }),
    )
    await context.ask('GET', path, { as: somebody.bearer }).is(200, after)
  }),
  check('contributor', 'a pause closes uploads, and the end of the pause opens them', ['mailbox'], async (context) => {
    const somebody = await context.own('policy')
    const { termsVersion } = await open(context, somebody)
    await acceptTerms(context, somebody, termsVersion, true)
    for (const paused of [true, false]) {
      const now = { ...shape, eligible: !paused, reason: paused ? 'contributor_paused' : null }
      await context
        .ask('PATCH', '/api/account', { as: somebody.bearer, json: { paused } })
        .is(200, { ok: true, paused, policy: now })
      await context.ask('GET', path, { as: somebody.bearer }).is(200, now)
    }
    await context
      .ask('PATCH', '/api/account', { as: somebody.bearer, json: { paused: 'no' } })
      .is(400, { ok: false, error: 'invalid_body' })
  }),
  check(
    'contributor',
    'terms accepted by one user do not change the policy of another',
    ['mailbox'],
    async (context) => {
      const [policed, other] = [await context.own('policy'), await context.own('stranger')]
      const { termsVersion } = (await context.ask('GET', path, { as: policed.bearer }).is(200)).json
      await acceptTerms(context, policed, termsVersion, true)
      await context
        .ask('GET', path, { as: other.bearer })
        .is(200, { ...shape, termsAccepted: false, residencyConfirmed: false })
    },
  ),
  check(
    'contributor',
    'proxy headers that are not configured are ignored',
    ['person'],
    async ({ ask, person, target }) => {
      const { bearer } = await person()
      const { country: before } = (await ask('GET', path, { as: bearer }).is(200, shape)).json
      for (const name of ['cf-ipcountry', 'cloudfront-viewer-country', 'x-vercel-ip-country', 'x-country']) {
        if (name !== target.countryHeader?.toLowerCase())
          await ask('GET', path, { as: bearer, headers: { [name]: 'KP' } }).is(200, { ...shape, country: before })
      }
    },
  ),
  check(
    'E11',
    'an unknown country returns country_unknown before any other reason',
    ['person', 'country-header'],
    async (context) => {
      const { ask, person, target } = context
      const { bearer } = await person()
      await requireUnknownCountry(context, bearer)
      for (const value of ['', 'XX', 'us', 'USA']) {
        await ask('GET', path, { as: bearer, headers: { [target.countryHeader!.toLowerCase()]: value } }).is(200, {
          ...shape,
          eligible: false,
          reason: 'country_unknown',
          country: null,
        })
      }
    },
  ),
  check(
    'E11',
    'another country returns us_upload_required',
    ['person', 'country-header'],
    async ({ ask, person, target }) => {
      await ask('GET', path, {
        as: (await person()).bearer,
        headers: { [target.countryHeader!.toLowerCase()]: 'NZ' },
      }).is(200, { ...shape, eligible: false, reason: 'us_upload_required', country: 'NZ' })
    },
  ),
  check('contributor', 'the waitlist accepts an address and a country', ['mailbox'], async ({ ask, own }) => {
    const { bearer, email } = await own('policy')
    for (const json of [{ email }, { email, country: 'NZ' }, { email, country: 'nz' }])
      await ask('POST', '/api/waitlist', { as: bearer, json }).is(200, { ok: true })
    for (const json of [{}, { email: 'nobody' }, { email, country: 'NZL' }, { email, country: 7 }])
      await ask('POST', '/api/waitlist', { as: bearer, json }).is(400, { ok: false, error: 'invalid_body' })
  }),
]

import { check, type Check } from './check.ts'
import { matchLink, madeId, matchOrNull, text, makeMatcher, time } from './matchers.ts'
import { application as draft } from './people.ts'

const access = '/api/traces/access'
const apply = '/api/account/application'
const invalid = { ok: false, error: 'invalid_body' }
const nothing = { ok: true, status: 'not_applied', application: null, applyUrl: matchLink('/apply') }

/** Returns the shape of an application in replies. */
const makeApplicationShape = (email: string, status: unknown) => ({
  id: madeId,
  companyName: draft.companyName,
  incubatorBatch: draft.incubatorBatch,
  website: draft.website,
  directoryUrl: draft.directoryUrl,
  email,
  role: draft.role,
  authorized: true,
  status,
  submittedAt: time,
  reviewedAt: matchOrNull(time),
  reviewReason: matchOrNull(text),
})
const either = makeMatcher('pending or approved', (value) => value === 'pending' || value === 'approved')

/**
 * The checks of `GET /api/traces/access`, `GET /api/traces/contact` and the contributor's own steps. They share a
 * person, so their order matters.
 */
export const contributors: readonly Check[] = [
  check(
    'E12',
    'a user without an application gets not_applied with the URL to apply',
    ['mailbox'],
    async ({ ask, own }) => {
      const { bearer, cookie } = await own('applicant')
      for (const as of [bearer, cookie]) await ask('GET', access, { as }).is(200, nothing)
    },
  ),
  check('contributor', 'an application without a required field returns 400', ['mailbox'], async ({ ask, own }) => {
    const { bearer, email } = await own('applicant')
    const whole = { ...draft, email }
    const omitField = (name: keyof typeof whole) =>
      Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name))
    const wrong = [
      {},
      omitField('companyName'),
      omitField('website'),
      omitField('email'),
      omitField('role'),
      omitField('authorized'),
      { ...whole, companyName: '   ' },
      { ...whole, authorized: false },
      { ...whole, website: 'conformance.example' },
      { ...whole, website: 'javascript:alert(1)' },
      { ...whole, directoryUrl: 'ftp://conformance.example' },
      { ...whole, email: 'nobody' },
      { ...whole, companyName: 'x'.repeat(201) },
      { ...whole, role: 'x'.repeat(129) },
      { ...whole, incubatorBatch: 'x'.repeat(65) },
    ]
    for (const json of wrong) await ask('POST', apply, { as: bearer, json }).is(400, invalid)
    await ask('GET', access, { as: bearer }).is(200, nothing)
  }),
  check(
    'contributor',
    'an application is returned as it was submitted, and GET /api/traces/access returns its status',
    ['mailbox'],
    async ({ ask, own }) => {
      const { bearer, email } = await own('applicant')
      const { json } = await ask('POST', apply, {
        as: bearer,
        json: { ...draft, email, status: 'approved', id: 'mine' },
      }).is(200, { ok: true, status: either, application: makeApplicationShape(email, either) })
      await ask('GET', access, { as: bearer }).is(200, {
        ok: true,
        status: json.status,
        application: json.application,
        applyUrl: matchLink('/apply'),
      })
    },
  ),
  check('contributor', 'a second application while one is pending returns 409', ['mailbox'], async ({ ask, own }) => {
    const { bearer, email } = await own('applicant')
    if ((await ask('GET', access, { as: bearer }).is(200)).json.status === 'not_applied')
      await ask('POST', apply, { as: bearer, json: { ...draft, email } }).is(200)
    await ask('POST', apply, { as: bearer, json: { ...draft, email } }).is(409, {
      ok: false,
      error: 'application_exists',
    })
  }),
  check(
    'contributor',
    'optional fields can be omitted, and the other fields can have their maximum length',
    ['mailbox'],
    async ({ ask, own }) => {
      const { bearer, email } = await own('brief')
      const { website, authorized } = draft
      const [companyName, role] = ['c'.repeat(200), 'r'.repeat(128)]
      const { json } = await ask('POST', apply, {
        as: bearer,
        json: { companyName, website, role, authorized, email },
      }).is(200, {
        ok: true,
        status: either,
        application: {
          ...makeApplicationShape(email, either),
          companyName,
          role,
          incubatorBatch: null,
          directoryUrl: null,
        },
      })
      await ask('GET', access, { as: bearer }).is(200, {
        ok: true,
        status: json.status,
        application: json.application,
        applyUrl: matchLink('/apply'),
      })
    },
  ),
  check(
    'E12',
    'an application of one user does not change the status of another',
    ['mailbox'],
    async ({ ask, own }) => {
      await ask('GET', access, { as: (await own('stranger')).bearer }).is(200, nothing)
    },
  ),
  check(
    'operator',
    'a rejected applicant gets the reason and can apply again',
    ['mailbox', 'operator'],
    async ({ ask, own, operator, skip }) => {
      const { bearer, email } = await own('rejected')
      const { json } = await ask('POST', apply, { as: bearer, json: { ...draft, email } }).is(200)
      if (json.status === 'approved') skip('this service approves by itself')
      const review = (body: object) =>
        ask('POST', `/api/admin/applications/${json.application.id}`, { as: operator(), json: body })
      await review({ decision: 'perhaps' }).is(400, invalid)
      const rejected = {
        ...makeApplicationShape(email, 'rejected'),
        reviewedAt: time,
        reviewReason: 'No site',
      }
      const { userId } = await own('rejected')
      await review({ decision: 'reject', reason: 'No site' }).is(200, {
        ok: true,
        application: { ...rejected, userId, accountEmail: email },
      })
      await review({ decision: 'approve' }).is(409, { ok: false, error: 'already_reviewed' })
      await ask('GET', access, { as: bearer }).is(200, {
        ok: true,
        status: 'rejected',
        application: rejected,
        applyUrl: matchLink('/apply'),
      })
      await ask('POST', apply, { as: bearer, json: { ...draft, email } }).is(200, {
        ok: true,
        status: 'pending',
        application: makeApplicationShape(email, 'pending'),
      })
    },
  ),
  check('E13', 'a contact is missing until it is saved', ['mailbox'], async ({ ask, own }) => {
    const { bearer, cookie, email } = await own('applicant')
    for (const as of [bearer, cookie])
      await ask('GET', '/api/traces/contact', { as }).is(200, {
        ok: true,
        completed: false,
        contactUrl: matchLink('/contact'),
      })
    for (const json of [
      {},
      { name: 'N' },
      { email },
      { name: ' ', email },
      { name: 'N', email: 'nobody' },
      { name: 'x'.repeat(201), email },
      { name: 'N', email, phone: 'x'.repeat(65) },
    ]) {
      await ask('POST', '/api/account/contact', { as: bearer, json }).is(400, invalid)
    }
    const saved = { ok: true, completed: true, contactUrl: matchLink('/contact') }
    const [first, other] = [
      { name: 'N', email },
      { name: 'x'.repeat(200), email, phone: '+1 555 0100' },
    ]
    for (const as of [bearer, bearer, cookie])
      await ask('POST', '/api/account/contact', { as, json: first }).is(200, saved)
    await ask('POST', '/api/account/contact', { as: bearer, json: other }).is(403, {
      ok: false,
      error: 'reauthentication_required',
    })
    await ask('POST', '/api/account/contact', { as: cookie, json: other }).is(200, saved)
    await ask('GET', '/api/traces/contact', { as: bearer }).is(200, {
      ok: true,
      completed: true,
      contactUrl: matchLink('/contact'),
    })
  }),
  check('contributor', 'both consents are required, and returned as submitted', ['mailbox'], async ({ ask, own }) => {
    const { bearer } = await own('applicant')
    for (const consent of [
      { attribution: true, pixel: false },
      { attribution: false, pixel: true },
      { attribution: false, pixel: false },
    ]) {
      await ask('PUT', '/api/account/consent', { as: bearer, json: consent }).is(200, { ok: true, consent })
    }
    for (const json of [{}, { attribution: true }, { attribution: 1, pixel: 0 }])
      await ask('PUT', '/api/account/consent', { as: bearer, json }).is(400, invalid)
  }),
]

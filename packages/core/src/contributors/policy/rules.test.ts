import { describe, expect, test } from 'vitest'
import {
  defaultTermsVersion,
  isWaiting,
  knownCountry,
  nextNeededStep,
  nextPage,
  pausedBy,
  policyReason,
  steps,
  resolveTermsVersion,
  uploadRefusal,
} from './rules.ts'

const rules = { allowedCountries: ['US', 'CA'], termsVersion: 'v2' }
const ready = { country: 'US', termsVersion: 'v2', residencyConfirmed: true, paused: false, operatorPaused: false }
const approved = { ...ready, status: 'approved' }

describe('termsVersionOf', () => {
  const digest = (text: string): string => `${text}-0123456789abcdef`
  test.each([
    [undefined, undefined, defaultTermsVersion],
    ['v1', undefined, 'v1'],
    [undefined, 'text', 'terms-text-0123456'],
    ['v1', 'text', 'v1-text-0123456'],
  ])('returns the version for the configured version %s and text %s: %s', (version, text, expected) => {
    expect(resolveTermsVersion(version, text, digest)).toBe(expected)
  })
})

describe('policyReason and uploadRefusal', () => {
  test('are null for somebody who may upload', () => {
    expect([policyReason(ready, rules), uploadRefusal(approved, rules)]).toEqual([null, null])
  })

  test.each([
    [{ country: null }, 'country_unknown'],
    [{ country: 'FR' }, 'us_upload_required'],
    [{ residencyConfirmed: false }, 'residency_required'],
    [{ termsVersion: 'v1' }, 'terms_required'],
    [{ termsVersion: null }, 'terms_required'],
    [{ paused: true }, 'contributor_paused'],
    [{ operatorPaused: true }, 'contributor_paused'],
  ])('name what is missing: %j', (changes, reason) => {
    expect([policyReason({ ...ready, ...changes }, rules), uploadRefusal({ ...approved, ...changes }, rules)]).toEqual([
      reason,
      reason,
    ])
  })

  test('name the first of several missing conditions', () => {
    const all = { country: null, termsVersion: null, residencyConfirmed: false, paused: true, operatorPaused: true }
    const sortByIds = [{}, { country: 'FR' }, { country: 'US' }, { country: 'US', residencyConfirmed: true }]
    expect(sortByIds.map((changes) => policyReason({ ...all, ...changes }, rules))).toEqual([
      'country_unknown',
      'us_upload_required',
      'residency_required',
      'terms_required',
    ])
    const refused = { ...all, status: 'pending' }
    expect([
      uploadRefusal(refused, rules),
      uploadRefusal({ ...refused, termsVersion: 'v2' }, rules),
      uploadRefusal({ ...refused, termsVersion: 'v2', status: 'approved' }, rules),
    ]).toEqual(['terms_required', 'contributor_approval_required', 'country_unknown'])
  })
})

test('knownCountry returns two upper-case letters, and null for the codes of proxies for an unknown country', () => {
  const answers = ['US', 'us', 'USA', 'U', 'XX', 'T1', '', null, undefined]
  expect(answers.map(knownCountry)).toEqual(['US', ...Array(8).fill(null)])
})

describe('steps, nextNeededStep and nextPage', () => {
  const nobody = { ...ready, termsVersion: null, residencyConfirmed: false, status: 'none', contactCompleted: false }
  test.each([
    [{}, ['open', 'open', 'open'], 'terms', '/terms'],
    [{ termsVersion: 'v1', residencyConfirmed: true }, ['open', 'open', 'open'], 'terms', '/terms'],
    [{ termsVersion: 'v2' }, ['unconfirmed', 'open', 'open'], 'terms', '/terms'],
    [{ ...ready }, ['done', 'open', 'open'], 'application', '/apply'],
    [{ ...ready, status: 'pending' }, ['done', 'waiting', 'open'], 'application', '/contact'],
    [{ ...ready, status: 'rejected' }, ['done', 'refused', 'open'], 'application', '/apply'],
    [{ ...ready, status: 'approved' }, ['done', 'done', 'open'], 'upload', '/contact'],
    [{ ...ready, status: 'approved', contactCompleted: true }, ['done', 'done', 'done'], 'upload', null],
  ])('return the states, the next needed step and the next page for %j', (changes, states, needed, page) => {
    const all = steps({ ...nobody, ...changes }, rules)
    expect(all.map(({ id }) => id)).toEqual(['terms', 'application', 'contact', 'upload'])
    expect(all.map(({ state }) => state)).toEqual([...states, 'open'])
    expect([nextNeededStep(all).id, nextPage(all)]).toEqual([needed, page])
  })
})

test.each([
  [null, false, false],
  [{ country: 'FR', notifiedAt: null }, false, true],
  [{ country: null, notifiedAt: null }, false, true],
  [{ country: 'US', notifiedAt: null }, false, false],
  [{ country: 'FR', notifiedAt: 1 }, false, false],
  [{ country: 'FR', notifiedAt: null }, true, false],
])('isWaiting for %j with confirmed residence %s returns %s', (entry, residencyConfirmed, isExpected) => {
  expect(isWaiting(entry, { residencyConfirmed }, rules)).toBe(isExpected)
})

test('pausedBy returns operator when both the operator and the person paused', () => {
  const by = (paused: boolean, operatorPaused: boolean) => pausedBy({ paused, operatorPaused })
  expect([by(false, false), by(true, false), by(false, true), by(true, true)]).toEqual([
    null,
    'person',
    'operator',
    'operator',
  ])
})

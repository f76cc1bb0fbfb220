import type { Consent, Contact, ContributorFilter, ContributorStore, NewApplication } from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { expectExactList, newerRows } from './lists.ts'
import { makeAuditContext } from './audit.ts'
import type { ContributorsPlace } from './contributors-place.ts'
import { runPolicyStoreContract } from './policy.ts'
import { useRealTimes } from './real-times.ts'

let count = 0

/** Returns an application that differs from every other application. */
export function makeApplication(overrides: Partial<NewApplication> = {}): NewApplication {
  const number = String(++count).padStart(12, '0')
  return {
    id: `01900000-0000-7000-8000-${number}`,
    status: 'pending',
    companyName: `Company ${count}`,
    incubatorBatch: null,
    website: `https://example.com/${count}`,
    directoryUrl: null,
    email: `owner-${count}@example.com`,
    role: 'founder',
    ...overrides,
  }
}

/**
 * Registers the contract tests of the policy and the contributor store. Each test checks that the data of another user
 * is unchanged.
 */
export function runContributorStoreContract(name: string, open: () => Promise<ContributorsPlace>): void {
  runPolicyStoreContract(name, open)
  describe(`contributor store: ${name}`, () => {
    let place: ContributorsPlace
    let store: ContributorStore
    let otherHost: ContributorStore
    const applicationOfBob = makeApplication()
    const contact = { name: 'Bo', email: 'bo@example.com', phone: '+1 555 0100' }
    const unreviewed = { reviewedAt: null, reviewReason: null }
    const submit = (ownerId: string, application: NewApplication, now: number, host = store) =>
      host.submitApplication({ ownerId, application, now })
    const review = (id: string, status: 'approved' | 'rejected', now: number, reason: string | null = null) =>
      store.reviewApplication({
        id,
        status,
        reason,
        mail: { subject: status, text: 't' },
        audit: makeAuditContext(now),
      })
    const contactMail = (now: number) => ({ id: makeAuditContext(now).id, subject: 'changed', text: 'text' })
    const saveContact = (ownerId: string, saved: Contact, now: number, mayReplace = true) =>
      store.saveContact({ ownerId, contact: saved, mayReplace, mail: contactMail(now), now })
    const setConsent = (ownerId: string, consent: Consent, now: number, host = store) =>
      host.setConsent({ ownerId, consent, now })
    const runConcurrently = <T>(
      length: number,
      call: (host: ContributorStore, i: number) => Promise<T>,
    ): Promise<T[]> => Promise.all(Array.from({ length }, (_, i) => call(i % 2 ? otherHost : store, i)))
    beforeEach(async () => {
      place = useRealTimes(await open())
      ;[store, otherHost] = place.stores.map(({ contributors }) => contributors) as [ContributorStore, ContributorStore]
      for (const id of ['ann', 'bob']) await place.person(id)
      await place.person('cy', 'cy@example.com')
      await submit('bob', applicationOfBob, 5)
      await saveContact('bob', contact, 6)
      await setConsent('bob', { attribution: true, pixel: false }, 7)
    })
    afterEach(async () => {
      expect(await otherHost.findApplication({ ownerId: 'bob' })).toEqual({
        ...applicationOfBob,
        submittedAt: 5,
        ...unreviewed,
      })
      expect(await otherHost.findContact({ ownerId: 'bob' })).toEqual(contact)
      expect(await otherHost.getConsent({ ownerId: 'bob' })).toEqual({ attribution: true, pixel: false })
      await place.close?.()
    })

    describe('submitApplication', () => {
      test('stores an application as written, for its user only', async () => {
        const application = makeApplication({
          incubatorBatch: 'W26',
          directoryUrl: 'https://example.com/d',
          companyName: 'Åse & "Søn" 😀',
        })
        const stored = { ...application, submittedAt: 10, ...unreviewed }
        expect(await store.findApplication({ ownerId: 'ann' })).toBeNull()
        expect(await submit('ann', application, 10)).toEqual(stored)
        expect(await otherHost.findApplication({ ownerId: 'ann' })).toEqual(stored)
        expect(await store.findApplication({ ownerId: 'nobody' })).toBeNull()
      })

      test('stores one of twenty concurrent applications of one user, on two hosts', async () => {
        const results = await runConcurrently(20, (host) => submit('ann', makeApplication(), 10, host))
        const stored = results.filter((application) => application !== null)
        expect(stored).toHaveLength(1)
        expect((await store.export({ ownerId: 'ann' })).applications).toEqual(stored)
      })

      test('returns null while an application is pending or approved, but not after a rejection', async () => {
        const [first, second] = [makeApplication(), makeApplication()]
        await submit('ann', first, 10)
        expect(await submit('ann', makeApplication(), 11)).toBeNull()
        await review(first.id, 'rejected', 12, 'too soon')
        expect(await submit('ann', second, 13)).toMatchObject({ id: second.id, status: 'pending' })
        expect(await store.findApplication({ ownerId: 'ann' })).toMatchObject({
          id: second.id,
          status: 'pending',
          reviewReason: null,
        })
        await review(second.id, 'approved', 14)
        expect(await submit('ann', makeApplication(), 15)).toBeNull()
        const { applications } = await store.export({ ownerId: 'ann' })
        expect(applications.map(({ id, status }) => [id, status])).toEqual([
          [first.id, 'rejected'],
          [second.id, 'approved'],
        ])
      })

      test('sets the review time of an application that is approved at submission', async () => {
        expect(await submit('ann', makeApplication({ status: 'approved' }), 10)).toMatchObject({
          status: 'approved',
          reviewedAt: 10,
        })
      })
    })

    describe('reviewApplication', () => {
      test('lets the first of twenty concurrent reviews decide, on two hosts', async () => {
        const submitted = makeApplication()
        await submit('ann', submitted, 10)
        const results = await runConcurrently(20, (host, i) =>
          host.reviewApplication({
            id: submitted.id,
            status: i % 2 ? 'approved' : 'rejected',
            reason: `reason ${i}`,
            mail: { subject: 's', text: 't' },
            audit: makeAuditContext(11),
          }),
        )
        const decided = results.filter((result) => result.outcome === 'reviewed')
        expect(decided).toHaveLength(1)
        expect(results.filter(({ outcome }) => outcome === 'already_reviewed')).toHaveLength(19)
        const mails = (await place.stores[1].outbox.list({ cursor: null, limit: 9 })).items.filter(
          ({ channel }) => channel === 'mail',
        )
        expect(mails).toMatchObject([{ recipient: submitted.email, subject: 's' }])
        const { application } = decided[0]!
        expect(application).toMatchObject({ ...submitted, userId: 'ann', status: application.status, reviewedAt: 11 })
        const { userId, ...stored } = application
        expect([userId, await otherHost.findApplication({ ownerId: 'ann' })]).toEqual(['ann', stored])
      })

      test('approves a rejected application once if `reconsiders` is set, unless the applicant applied again', async () => {
        const first = makeApplication()
        await submit('ann', first, 10)
        const reconsider = (status: 'approved' | 'rejected', now: number) =>
          store.reviewApplication({
            id: first.id,
            status,
            reason: null,
            reconsiders: true,
            mail: { subject: status, text: 't' },
            audit: makeAuditContext(now),
          })
        expect(await reconsider('approved', 11)).toEqual({ outcome: 'already_reviewed' })
        await review(first.id, 'rejected', 12, 'too early')
        expect(await reconsider('approved', 13)).toMatchObject({
          outcome: 'reviewed',
          application: { status: 'approved', reviewedAt: 13, reviewReason: null },
        })
        expect(await reconsider('approved', 14)).toEqual({ outcome: 'already_reviewed' })
        const subjects = (await place.stores[1].outbox.list({ cursor: null, limit: 9 })).items
          .filter(({ channel }) => channel === 'mail')
          .map(({ subject }) => subject)
        expect(subjects.toSorted()).toEqual(['approved', 'rejected'])

        const [rejected, next] = [makeApplication(), makeApplication()]
        await submit('cy', rejected, 20)
        await review(rejected.id, 'rejected', 21)
        await submit('cy', next, 22)
        const late = { id: rejected.id, status: 'approved', reason: null, mail: { subject: 's', text: 't' } } as const
        expect(await store.reviewApplication({ ...late, reconsiders: true, audit: makeAuditContext(23) })).toEqual({
          outcome: 'already_reviewed',
        })
      })

      test('returns `unknown` for an unknown id', async () => {
        expect(await review('01900000-0000-7000-8000-ffffffffffff', 'approved', 12)).toEqual({ outcome: 'unknown' })
      })
    })

    describe('listApplications', () => {
      test('returns applications newest first, of one status or all, page by page', async () => {
        const ofAnn = makeApplication()
        await submit('ann', ofAnn, 10)
        await submit('cy', makeApplication(), 11)
        await review(ofAnn.id, 'approved', 12)
        const list = (status?: 'pending' | 'approved' | 'rejected', limit = 50, cursor: string | null = null) =>
          store.listApplications({ status, cursor, limit })
        const page = await list(undefined, 2)
        expect(page.items.map(({ userId }) => userId)).toEqual(['cy', 'ann'])
        expect(await list(undefined, 2, page.next)).toEqual({
          items: [{ ...applicationOfBob, userId: 'bob', submittedAt: 5, ...unreviewed }],
          next: null,
        })
        expect((await list(undefined, 3)).next).toBeNull()
        expect((await list('pending')).items.map(({ userId }) => userId)).toEqual(['cy', 'bob'])
        expect((await list('approved')).items).toMatchObject([{ userId: 'ann', id: ofAnn.id }])
        expect(await list('rejected')).toEqual({ items: [], next: null })
      })

      test('searches, sorts and filters an application among 300 newer ones', async () => {
        const first = makeApplication({ companyName: 'Öl & Zag ÄG Ltd', website: 'https://zigzag.example' })
        await submit('ann', first, 10)
        const newer = Array.from({ length: newerRows }, (_, n) => makeApplication({ companyName: `Firm ${n % 7}` }))
        for (const [n, application] of newer.entries()) {
          await place.person(`applicant${n}`)
          await submit(`applicant${n}`, application, 11 + n)
        }
        await expectExactList({
          list: (params) => store.listApplications(params),
          idOf: ({ id }) => id,
          ids: [applicationOfBob.id, first.id, ...newer.map(({ id }) => id)],
          sorts: { submittedAt: null, companyName: ({ companyName }) => companyName },
          found: [
            [first.id, [first.id]],
            ['zigzag.example LTD', [first.id]],
            ['Öl ÄG', [first.id]],
            ['öl äg', [first.id]],
            ['zigzag elsewhere', []],
            ['nobody@example.net', []],
          ],
        })
      })
    })

    describe('saveContact', () => {
      test('replaces an earlier contact and keeps the consent', async () => {
        expect(await store.findContact({ ownerId: 'ann' })).toBeNull()
        await setConsent('ann', { attribution: false, pixel: true }, 8)
        expect(await store.findContact({ ownerId: 'ann' })).toBeNull()
        await saveContact('ann', { name: 'Ann', email: 'ann@example.com', phone: null }, 9)
        const later = { name: 'Ann B', email: 'ab@example.com', phone: '1' }
        expect(await saveContact('ann', later, 10)).toBe('saved')
        expect(await otherHost.findContact({ ownerId: 'ann' })).toEqual(later)
        expect(await otherHost.getConsent({ ownerId: 'ann' })).toEqual({ attribution: false, pixel: true })
        expect((await store.export({ ownerId: 'ann' })).contact).toEqual({ ...later, savedAt: 10 })
      })
    })

    describe('saveContact with the account address', () => {
      const ofCy = { name: 'Cy', email: 'cy@example.org', phone: null }
      const listMails = async () =>
        (await place.stores[1].outbox.list({ cursor: null, limit: 9 })).items.filter(
          ({ recipient }) => recipient === 'cy@example.com',
        )

      test('stores the first contact, and replaces it only if that is allowed', async () => {
        expect(await saveContact('cy', ofCy, 9, false)).toBe('saved')
        expect(await saveContact('cy', ofCy, 10, false)).toBe('saved')
        for (const change of [{ name: 'Eve' }, { email: 'eve@example.com' }, { phone: '1' }])
          expect(await saveContact('cy', { ...ofCy, ...change }, 11, false)).toBe('locked')
        expect(await otherHost.findContact({ ownerId: 'cy' })).toEqual(ofCy)
        expect(await saveContact('cy', { ...ofCy, phone: '1' }, 12)).toBe('saved')
        expect(await otherHost.findContact({ ownerId: 'cy' })).toEqual({ ...ofCy, phone: '1' })
      })

      test('enqueues a mail to the verified address for each change, and no mail if nothing changes', async () => {
        await saveContact('cy', ofCy, 9, false)
        expect(await listMails()).toMatchObject([{ channel: 'mail', subject: 'changed' }])
        await saveContact('cy', ofCy, 10)
        await saveContact('cy', { ...ofCy, name: 'Eve' }, 11, false)
        expect(await listMails()).toHaveLength(1)
        await saveContact('cy', { ...ofCy, name: 'Eve' }, 12)
        expect(await listMails()).toHaveLength(2)
      })

      test('stores one of twenty different concurrent contacts if a contact may not be replaced', async () => {
        const results = await runConcurrently(20, (host, i) =>
          host.saveContact({
            ownerId: 'cy',
            contact: { ...ofCy, name: `Cy ${i}` },
            mayReplace: false,
            mail: contactMail(i),
            now: i,
          }),
        )
        expect(results.toSorted()).toEqual([...Array<string>(19).fill('locked'), 'saved'])
        expect(await listMails()).toHaveLength(1)
      })
    })

    describe('setConsent', () => {
      test('records each change with its time; consent is off at first', async () => {
        expect(await store.getConsent({ ownerId: 'ann' })).toEqual({ attribution: false, pixel: false })
        await setConsent('ann', { attribution: false, pixel: false }, 9)
        await setConsent('ann', { attribution: true, pixel: true }, 10)
        await setConsent('ann', { attribution: true, pixel: true }, 11)
        await place.stores[0].policy.setPause({ ownerId: 'ann', paused: true, now: 11 })
        await setConsent('ann', { attribution: true, pixel: false }, 12)
        expect((await store.export({ ownerId: 'ann' })).consents).toEqual([
          { attribution: true, pixel: true, changedAt: 10 },
          { attribution: true, pixel: false, changedAt: 12 },
        ])
        expect(await otherHost.getConsent({ ownerId: 'ann' })).toEqual({ attribution: true, pixel: false })
      })

      test('records one of twenty equal concurrent changes', async () => {
        await runConcurrently(20, (host, i) => setConsent('ann', { attribution: true, pixel: true }, i, host))
        expect((await store.export({ ownerId: 'ann' })).consents).toHaveLength(1)
      })
    })

    describe('listContributors and setOperatorPause', () => {
      test('find and sort a contributor among 300 newer ones, some of them without an address', async () => {
        const people = Array.from({ length: newerRows }, (_, n) => `person${n}`)
        for (const [n, id] of people.entries()) {
          await place.person(id, ...(n % 3 === 0 ? [] : [`${String.fromCharCode(97 + (n % 26))}${n}@example.com`]))
          await setConsent(id, { attribution: true, pixel: false }, 10 + n)
        }
        await expectExactList({
          list: (params) => store.listContributors(params),
          idOf: ({ userId }) => userId,
          ids: ['bob', ...people],
          sorts: { signedUpAt: null, email: ({ email }) => email ?? '' },
          found: [
            ['b1@example.com', ['person1']],
            ['person1@example.com', []],
            ['person29', people.filter((id) => id.startsWith('person29')).toReversed()],
          ],
        })
        const { next: cursor } = await store.listContributors({ cursor: null, limit: 1 })
        // A cursor of another order is accepted, and its number is compared as a text.
        expect((await store.listContributors({ sort: 'email', order: 'asc', cursor, limit: 9 })).items).toHaveLength(9)
      })

      test('find a person by the verified address alone, not by the address that another person gave', async () => {
        const [address, applications] = ['dee@example.com', { cursor: null, limit: 9 }]
        await place.person('dee', address)
        await setConsent('dee', { attribution: true, pixel: false }, 1)
        await submit('cy', makeApplication({ email: address }), 2)
        await saveContact('cy', { name: 'Cy', email: address, phone: null }, 3)
        const found = await store.listContributors({ search: address, cursor: null, limit: 9 })
        expect(found.items.map(({ userId }) => userId)).toEqual(['dee'])
        expect((await store.listApplications({ search: address, ...applications })).items).toEqual([])
        expect((await store.listApplications({ search: 'cy@example.com', ...applications })).items).toHaveLength(1)
      })

      test('return each contributor once with the standing of the contributor, and pause contributors', async () => {
        const listIds = async () =>
          (await store.listContributors({ cursor: null, limit: 50 })).items.map((c) => c.userId)
        const pause = (userId: string, paused: boolean, now: number) =>
          store.setOperatorPause({ userId, paused, audit: makeAuditContext(now) })
        expect(await listIds()).toEqual(['bob'])
        const submitted = makeApplication({ status: 'approved' })
        await submit('cy', submitted, 10)
        const [{ policy }, { policy: otherPolicy }] = place.stores
        await policy.acceptTerms({ ownerId: 'cy', termsVersion: 'v1', residencyConfirmed: true, now: 11 })
        const cy = {
          userId: 'cy',
          status: 'approved',
          companyName: submitted.companyName,
          email: 'cy@example.com',
          signedUpAt: expect.any(Number),
          termsVersion: 'v1',
          residencyConfirmed: true,
          contactCompleted: false,
          paused: false,
          operatorPaused: false,
        }
        const first = await store.listContributors({ cursor: null, limit: 1 })
        expect(first.items).toEqual([cy])
        expect(await store.listContributors({ cursor: first.next, limit: 1 })).toMatchObject({
          items: [{ userId: 'bob', contactCompleted: true, email: null }],
          next: null,
        })
        const search = async (text: string) =>
          (await store.listContributors({ cursor: null, limit: 50, search: text })).items.map((c) => c.userId)
        expect(await search(submitted.companyName.slice(1).toUpperCase())).toEqual(['cy'])
        // An address that a person gave is not verified.
        expect(await search(contact.email)).toEqual([])
        expect([await search('CY'), await search('%'), await search('nobody here')]).toEqual([['cy'], [], []])
        const withStatus = async (status: ContributorFilter) =>
          (await store.listContributors({ cursor: null, limit: 50, status })).items.map((c) => c.userId)
        const bob = (await store.findContributor({ userId: 'bob' }))!
        expect(bob.status).not.toBe('approved')
        expect([await withStatus('approved'), await withStatus(bob.status)]).toEqual([['cy'], ['bob']])
        expect(await withStatus('paused')).toEqual([])
        expect(await store.findContributor({ userId: 'cy' })).toEqual(cy)
        expect(await store.findContributor({ userId: 'nobody' })).toBeNull()
        expect(await pause('cy', true, 12)).toEqual({ ...cy, operatorPaused: true })
        expect(await otherPolicy.getStanding({ ownerId: 'cy' })).toMatchObject({ paused: false, operatorPaused: true })
        await otherPolicy.setPause({ ownerId: 'bob', paused: true, now: 12 })
        expect([await withStatus('paused'), await withStatus('approved')]).toEqual([['cy', 'bob'], ['cy']])
        expect(await pause('cy', false, 13)).toEqual(cy)
        expect(await pause('ann', true, 14)).toMatchObject({
          userId: 'ann',
          status: 'not_applied',
          operatorPaused: true,
        })
        expect(await pause('nobody', true, 15)).toBeNull()
      })
    })

    describe('listAddresses', () => {
      test('returns the verified addresses, and omits users whose address is not verified', async () => {
        expect(await store.listAddresses({ userIds: ['bob', 'cy', 'nobody'] })).toEqual([
          { userId: 'cy', email: 'cy@example.com' },
        ])
        expect(await store.listAddresses({ userIds: [] })).toEqual([])
      })
    })

    describe('findUserIdByAddress', () => {
      test('returns only the user whose verified address this is, not users who gave it as a contact or applied with it', async () => {
        await saveContact('ann', { name: 'Ann', email: 'cy@example.com', phone: null }, 9)
        await submit('ann', makeApplication({ email: 'cy@example.com' }), 10)
        const find = (address: string) => store.findUserIdByAddress({ address })
        expect(await find('cy@example.com')).toBe('cy')
        expect([await find(contact.email), await find('cy@example'), await find('CY@example.com')]).toEqual([
          null,
          null,
          null,
        ])
      })
    })

    describe('listApplicants', () => {
      test('returns the user who submitted each application, and omits unknown applications', async () => {
        const submitted = makeApplication()
        await submit('ann', submitted, 10)
        const applicationIds = [submitted.id, '01900000-0000-7000-8000-ffffffffffff']
        expect(await otherHost.listApplicants({ applicationIds })).toEqual([
          {
            applicationId: submitted.id,
            userId: 'ann',
            companyName: submitted.companyName,
            reviewReason: null,
            isLatest: true,
            earlierReason: null,
          },
        ])
        await review(submitted.id, 'rejected', 11, 'Too early.')
        const later = makeApplication()
        await submit('ann', later, 12)
        const found = await otherHost.listApplicants({ applicationIds: [submitted.id, later.id] })
        const { companyName } = submitted
        expect(found.find(({ isLatest }) => !isLatest)).toEqual({
          applicationId: submitted.id,
          userId: 'ann',
          companyName,
          reviewReason: 'Too early.',
          isLatest: false,
          earlierReason: null,
        })
        expect(found.find(({ isLatest }) => isLatest)).toEqual({
          applicationId: later.id,
          userId: 'ann',
          companyName: later.companyName,
          reviewReason: null,
          isLatest: true,
          earlierReason: 'Too early.',
        })
        await review(later.id, 'rejected', 13, 'Still too early.')
        const last = makeApplication()
        await submit('ann', last, 14)
        const [{ earlierReason } = { earlierReason: null }] = await store.listApplicants({ applicationIds: [last.id] })
        expect(earlierReason).toBe('Still too early.')
        await review(last.id, 'rejected', 15, null)
        const unexplained = makeApplication()
        await submit('ann', unexplained, 16)
        expect(await store.listApplicants({ applicationIds: [unexplained.id] })).toMatchObject([{ earlierReason: '' }])
      })
    })

    describe('any method for a user who does not exist', () => {
      test('writes nothing and returns null or false', async () => {
        expect(await submit('nobody', makeApplication(), 10)).toBeNull()
        expect(await saveContact('nobody', contact, 10)).toBe('unknown')
        expect(await setConsent('nobody', { attribution: true, pixel: true }, 10)).toBe(false)
        expect(await store.export({ ownerId: 'nobody' })).toEqual({
          applications: [],
          contact: null,
          consent: { attribution: false, pixel: false },
          consents: [],
        })
      })
    })

    describe('erase', () => {
      test('deletes all data of the user and can be repeated; an erased application cannot be reviewed', async () => {
        const submitted = makeApplication()
        await submit('ann', submitted, 10)
        await saveContact('ann', contact, 11)
        await setConsent('ann', { attribution: true, pixel: true }, 12)
        await store.erase({ ownerId: 'ann' })
        await otherHost.erase({ ownerId: 'ann' })
        expect(await store.export({ ownerId: 'ann' })).toEqual(await store.export({ ownerId: 'nobody' }))
        expect(await store.findApplication({ ownerId: 'ann' })).toBeNull()
        expect(await review(submitted.id, 'approved', 13)).toEqual({ outcome: 'unknown' })
        const { items } = await store.listContributors({ cursor: null, limit: 50 })
        expect(items.map(({ userId }) => userId)).toEqual(['bob'])
      })

      test('leaves the pauses to the policy store, which exports and erases them', async () => {
        const [{ policy }] = place.stores
        await policy.setPause({ ownerId: 'ann', paused: true, now: 12 })
        const exported = await policy.export({ ownerId: 'ann' })
        expect(exported).not.toEqual(await policy.export({ ownerId: 'nobody' }))
        await store.erase({ ownerId: 'ann' })
        expect(await policy.export({ ownerId: 'ann' })).toEqual(exported)
      })
    })
  })
}

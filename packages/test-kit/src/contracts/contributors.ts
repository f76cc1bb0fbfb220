import type { ContributorStore, NewApplication, Stores } from '@tributary/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runPolicyStoreContract } from './policy.ts'
import { byOperator } from './audit.ts'

type ContributorStores = Pick<Stores, 'policy' | 'contributors' | 'outbox'>

/** Two hosts on one fresh place, and how a person comes to be and goes there. */
export interface ContributorsPlace {
  readonly stores: readonly [ContributorStores, ContributorStores]
  /** Gives a person their row. */
  person(id: string): Promise<void>
  close?(): Promise<void>
}

let made = 0

/** An application of which no two are the same. */
export function madeApplication(changes: Partial<NewApplication> = {}): NewApplication {
  const number = String(++made).padStart(12, '0')
  return {
    id: `01900000-0000-7000-8000-${number}`,
    status: 'pending',
    companyName: `Company ${made}`,
    incubatorBatch: null,
    website: `https://example.com/${made}`,
    directoryUrl: null,
    email: `owner-${made}@example.com`,
    role: 'founder',
    ...changes,
  }
}

/** The laws of the policy and the contributor store: call it in a test file with what opens a fresh place. Beside each record stands a stranger's. */
export function runContributorStoreContract(name: string, open: () => Promise<ContributorsPlace>): void {
  runPolicyStoreContract(name, open)
  describe(`contributors in ${name}`, () => {
    let place: ContributorsPlace
    let store: ContributorStore
    let other: ContributorStore
    const stranger = madeApplication()
    const contact = { name: 'Bo', email: 'bo@example.com', phone: '+1 555 0100' }
    beforeEach(async () => {
      place = await open()
      ;[store, other] = place.stores.map(({ contributors }) => contributors) as [ContributorStore, ContributorStore]
      for (const id of ['ann', 'bob', 'cy']) await place.person(id)
      await store.apply('bob', stranger, 5)
      await store.saveContact('bob', contact, 6)
      await store.setConsent('bob', { attribution: true, pixel: false }, 7)
    })
    afterEach(async () => {
      expect(await other.application('bob')).toEqual({
        ...stranger,
        submittedAt: 5,
        reviewedAt: null,
        reviewReason: null,
      })
      expect(await other.contact('bob')).toEqual(contact)
      expect(await other.consent('bob')).toEqual({ attribution: true, pixel: false })
      await place.close?.()
    })
    const many = <T>(count: number, call: (host: ContributorStore, i: number) => Promise<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: count }, (_, i) => call(i % 2 ? other : store, i)))

    test('an application is kept as written, for its own person', async () => {
      const sent = madeApplication({
        incubatorBatch: 'W26',
        directoryUrl: 'https://example.com/d',
        companyName: 'Åse & "Søn" 😀',
      })
      const kept = { ...sent, submittedAt: 10, reviewedAt: null, reviewReason: null }
      expect(await store.application('ann')).toBeNull()
      expect(await store.apply('ann', sent, 10)).toEqual(kept)
      expect(await other.application('ann')).toEqual(kept)
      expect(await store.application('nobody')).toBeNull()
    })

    test('of twenty applications of one person at once, on two hosts, one is kept', async () => {
      const results = await many(20, (host) => host.apply('ann', madeApplication(), 10))
      const kept = results.filter((one) => one !== null)
      expect(kept).toHaveLength(1)
      expect((await store.export('ann')).applications).toEqual(kept)
    })

    test('nobody applies twice while pending or approved, and may again after a rejection', async () => {
      const first = madeApplication()
      await store.apply('ann', first, 10)
      expect(await store.apply('ann', madeApplication(), 11)).toBeNull()
      await store.review(first.id, { status: 'rejected', reason: 'too soon' }, byOperator(12))
      const second = madeApplication()
      expect(await store.apply('ann', second, 13)).toMatchObject({ id: second.id, status: 'pending' })
      expect(await store.application('ann')).toMatchObject({ id: second.id, status: 'pending', reviewReason: null })
      await store.review(second.id, { status: 'approved', reason: null }, byOperator(14))
      expect(await store.apply('ann', madeApplication(), 15)).toBeNull()
      expect((await store.export('ann')).applications.map(({ id, status }) => [id, status])).toEqual([
        [first.id, 'rejected'],
        [second.id, 'approved'],
      ])
    })

    test('an application that comes approved was reviewed when it came', async () => {
      expect(await store.apply('ann', madeApplication({ status: 'approved' }), 10)).toMatchObject({
        status: 'approved',
        reviewedAt: 10,
      })
    })

    test('of twenty reviews at once, on two hosts, the first decides', async () => {
      const sent = madeApplication()
      await store.apply('ann', sent, 10)
      const results = await many(20, (host, i) =>
        host.review(sent.id, { status: i % 2 ? 'approved' : 'rejected', reason: `reason ${i}` }, byOperator(11)),
      )
      const decided = results.filter((one) => one.outcome === 'reviewed')
      expect(decided).toHaveLength(1)
      expect(results.filter((one) => one.outcome === 'already_reviewed')).toHaveLength(19)
      const { application } = decided[0]!
      expect(application).toMatchObject({ ...sent, userId: 'ann', status: application.status, reviewedAt: 11 })
      const { userId, ...own } = application
      expect([userId, await other.application('ann')]).toEqual(['ann', own])
      expect(
        await store.review(
          '01900000-0000-7000-8000-ffffffffffff',
          { status: 'approved', reason: null },
          byOperator(12),
        ),
      ).toEqual({ outcome: 'unknown' })
    })

    test('applications are listed newest first, by status or all, page by page without gaps', async () => {
      const sent = madeApplication()
      const third = madeApplication()
      await store.apply('ann', sent, 10)
      await store.apply('cy', third, 11)
      await store.review(sent.id, { status: 'approved', reason: null }, byOperator(12))
      const page = await store.applications(null, { cursor: null, limit: 2 })
      expect(page.items.map(({ userId }) => userId)).toEqual(['cy', 'ann'])
      const rest = await store.applications(null, { cursor: page.next, limit: 2 })
      expect(rest).toEqual({
        items: [{ ...stranger, userId: 'bob', submittedAt: 5, reviewedAt: null, reviewReason: null }],
        next: null,
      })
      expect(
        (await store.applications('pending', { cursor: null, limit: 50 })).items.map(({ userId }) => userId),
      ).toEqual(['cy', 'bob'])
      expect((await store.applications('approved', { cursor: null, limit: 50 })).items).toMatchObject([
        { userId: 'ann', id: sent.id },
      ])
      expect(await store.applications('rejected', { cursor: null, limit: 50 })).toEqual({ items: [], next: null })
    })

    test('a contact is replaced by a later one', async () => {
      expect(await store.contact('ann')).toBeNull()
      await store.setConsent('ann', { attribution: false, pixel: true }, 8)
      expect(await store.contact('ann')).toBeNull()
      await store.saveContact('ann', { name: 'Ann', email: 'ann@example.com', phone: null }, 9)
      expect(await store.saveContact('ann', { name: 'Ann B', email: 'ab@example.com', phone: '1' }, 10)).toBe(true)
      expect(await other.contact('ann')).toEqual({ name: 'Ann B', email: 'ab@example.com', phone: '1' })
      expect(await other.consent('ann')).toEqual({ attribution: false, pixel: true })
      expect((await store.export('ann')).contact).toEqual({
        name: 'Ann B',
        email: 'ab@example.com',
        phone: '1',
        savedAt: 10,
      })
    })

    test('consent is off at first, and the ledger says what was chosen and when', async () => {
      expect(await store.consent('ann')).toEqual({ attribution: false, pixel: false })
      await store.setConsent('ann', { attribution: false, pixel: false }, 9)
      await store.setConsent('ann', { attribution: true, pixel: true }, 10)
      await store.setConsent('ann', { attribution: true, pixel: true }, 11)
      await store.setConsent('ann', { attribution: true, pixel: false }, 12)
      expect((await store.export('ann')).consents).toEqual([
        { attribution: true, pixel: true, changedAt: 10 },
        { attribution: true, pixel: false, changedAt: 12 },
      ])
      expect(await other.consent('ann')).toEqual({ attribution: true, pixel: false })
    })

    test('of twenty equal choices at once the ledger has one line', async () => {
      await many(20, (host, i) => host.setConsent('ann', { attribution: true, pixel: true }, i))
      expect((await store.export('ann')).consents).toHaveLength(1)
    })

    test('the operator sees each contributor once, with how they stand, and pauses them', async () => {
      expect((await store.contributors({ cursor: null, limit: 50 })).items.map(({ userId }) => userId)).toEqual(['bob'])
      const sent = madeApplication({ status: 'approved' })
      await store.apply('cy', sent, 10)
      await place.stores[0].policy.acceptTerms('cy', { termsVersion: 'v1', residencyConfirmed: true }, 11)
      const cy = {
        userId: 'cy',
        status: 'approved',
        companyName: sent.companyName,
        email: sent.email,
        termsVersion: 'v1',
        residencyConfirmed: true,
        contactCompleted: false,
        paused: false,
        operatorPaused: false,
      }
      const first = await store.contributors({ cursor: null, limit: 1 })
      expect(first.items).toEqual([cy])
      expect(await store.contributors({ cursor: first.next, limit: 1 })).toMatchObject({
        items: [{ userId: 'bob', contactCompleted: true, email: contact.email }],
        next: null,
      })
      expect(await store.setOperatorPaused('cy', true, byOperator(12))).toEqual({ ...cy, operatorPaused: true })
      expect(await place.stores[1].policy.standing('cy')).toMatchObject({ paused: false, operatorPaused: true })
      expect(await store.setOperatorPaused('cy', false, byOperator(13))).toEqual(cy)
      expect(await store.setOperatorPaused('ann', true, byOperator(14))).toMatchObject({
        userId: 'ann',
        status: 'not_applied',
        operatorPaused: true,
      })
      expect(await store.setOperatorPaused('nobody', true, byOperator(15))).toBeNull()
    })

    test('a person who is not there gets nothing written', async () => {
      expect(await store.apply('nobody', madeApplication(), 10)).toBeNull()
      expect(await store.saveContact('nobody', contact, 10)).toBe(false)
      expect(await store.setConsent('nobody', { attribution: true, pixel: true }, 10)).toBe(false)
      expect(await store.export('nobody')).toEqual({
        applications: [],
        contact: null,
        consent: { attribution: false, pixel: false },
        consents: [],
      })
    })

    test('erasing leaves nothing of the person, may be asked again, and their application can no longer be reviewed', async () => {
      const sent = madeApplication()
      await store.apply('ann', sent, 10)
      await store.saveContact('ann', contact, 11)
      await store.setConsent('ann', { attribution: true, pixel: true }, 12)
      await store.erase('ann')
      await other.erase('ann')
      expect(await store.export('ann')).toEqual(await store.export('nobody'))
      expect(await store.application('ann')).toBeNull()
      expect(await store.review(sent.id, { status: 'approved', reason: null }, byOperator(13))).toEqual({
        outcome: 'unknown',
      })
      expect((await store.contributors({ cursor: null, limit: 50 })).items.map(({ userId }) => userId)).toEqual(['bob'])
    })
  })
}

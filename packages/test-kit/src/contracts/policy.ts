import type { PolicyStore } from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ContributorsPlace } from './contributors-place.ts'
import { expectExactList, newerRows } from './lists.ts'
import { makeAuditContext } from './audit.ts'
import { useRealTimes } from './real-times.ts'

const initialStanding = {
  termsVersion: null,
  termsAcceptedAt: null,
  residencyConfirmed: false,
  paused: false,
  operatorPaused: false,
  status: 'not_applied',
  contactCompleted: false,
}

/** Registers the contract tests of the policy store (`contributors/policy/store.ts` of core). */
export function runPolicyStoreContract(name: string, open: () => Promise<ContributorsPlace>): void {
  describe(`policy store: ${name}`, () => {
    let place: ContributorsPlace
    let store: PolicyStore
    let otherHost: PolicyStore
    beforeEach(async () => {
      place = useRealTimes(await open())
      ;[store, otherHost] = place.stores.map(({ policy }) => policy) as [PolicyStore, PolicyStore]
      await place.person('ann')
      await place.person('bob')
      await store.acceptTerms({ ownerId: 'bob', termsVersion: 'v0', residencyConfirmed: true, now: 1 })
      await store.joinWaitlist({ ownerId: 'bob', email: 'bob@example.com', country: 'DE', now: 2 })
    })
    afterEach(async () => {
      expect(await otherHost.getStanding({ ownerId: 'bob' })).toEqual({
        ...initialStanding,
        termsVersion: 'v0',
        termsAcceptedAt: 1,
        residencyConfirmed: true,
      })
      expect(await otherHost.export({ ownerId: 'bob' })).toEqual({
        terms: [{ termsVersion: 'v0', residencyConfirmed: true, acceptedAt: 1 }],
        pauses: [],
        waitlist: { email: 'bob@example.com', country: 'DE', joinedAt: 2, notifiedAt: null },
      })
      await place.close?.()
    })

    describe('getStanding', () => {
      test('returns the initial standing for a user without data and for an unknown user', async () => {
        expect(await store.getStanding({ ownerId: 'ann' })).toEqual(initialStanding)
        expect(await store.getStanding({ ownerId: 'nobody' })).toEqual(initialStanding)
      })
    })

    describe('acceptTerms', () => {
      test('stores the terms with their time; accepting the same version again changes nothing, but another version does', async () => {
        const accepted = { ...initialStanding, termsVersion: 'v1', termsAcceptedAt: 10, residencyConfirmed: true }
        expect(
          await store.acceptTerms({ ownerId: 'ann', termsVersion: 'v1', residencyConfirmed: true, now: 10 }),
        ).toEqual(accepted)
        expect(
          await otherHost.acceptTerms({ ownerId: 'ann', termsVersion: 'v1', residencyConfirmed: true, now: 11 }),
        ).toEqual(accepted)
        expect(
          await store.acceptTerms({ ownerId: 'ann', termsVersion: 'v1', residencyConfirmed: false, now: 12 }),
        ).toEqual({
          ...accepted,
          residencyConfirmed: false,
        })
        expect(
          await store.acceptTerms({ ownerId: 'ann', termsVersion: 'v2', residencyConfirmed: true, now: 13 }),
        ).toEqual({
          ...accepted,
          termsVersion: 'v2',
          termsAcceptedAt: 13,
        })
        expect((await otherHost.export({ ownerId: 'ann' })).terms).toEqual([
          { termsVersion: 'v1', residencyConfirmed: true, acceptedAt: 10 },
          { termsVersion: 'v1', residencyConfirmed: false, acceptedAt: 12 },
          { termsVersion: 'v2', residencyConfirmed: true, acceptedAt: 13 },
        ])
      })
    })

    describe('acceptTerms, concurrent', () => {
      test('records one of twenty identical acceptances on two hosts', async () => {
        await Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            (i % 2 ? otherHost : store).acceptTerms({
              ownerId: 'ann',
              termsVersion: 'v1',
              residencyConfirmed: true,
              now: 10 + i,
            }),
          ),
        )
        const [first, ...more] = (await store.export({ ownerId: 'ann' })).terms
        expect(more).toEqual([])
        expect((await store.getStanding({ ownerId: 'ann' })).termsAcceptedAt).toBe(first!.acceptedAt)
      })
    })

    describe('setPause', () => {
      test('keeps the pause of the operator and the terms, and records each change', async () => {
        await store.acceptTerms({ ownerId: 'ann', termsVersion: 'v1', residencyConfirmed: true, now: 9 })
        const { contributors } = place.stores[1]
        expect(await store.setPause({ ownerId: 'ann', paused: true, now: 10 })).toMatchObject({
          paused: true,
          operatorPaused: false,
          termsVersion: 'v1',
        })
        await contributors.setOperatorPause({ userId: 'ann', paused: true, audit: makeAuditContext(11) })
        expect(await store.setPause({ ownerId: 'ann', paused: false, now: 12 })).toMatchObject({
          paused: false,
          operatorPaused: true,
        })
        expect(await store.setPause({ ownerId: 'ann', paused: false, now: 13 })).toMatchObject({
          paused: false,
          operatorPaused: true,
        })
        await contributors.setOperatorPause({ userId: 'ann', paused: false, audit: makeAuditContext(14) })
        expect(await otherHost.getStanding({ ownerId: 'ann' })).toMatchObject({
          paused: false,
          operatorPaused: false,
          termsVersion: 'v1',
          residencyConfirmed: true,
        })
        expect((await store.export({ ownerId: 'ann' })).pauses).toEqual([
          { by: 'contributor', paused: true, changedAt: 10 },
          { by: 'operator', paused: true, changedAt: 11 },
          { by: 'contributor', paused: false, changedAt: 12 },
          { by: 'operator', paused: false, changedAt: 14 },
        ])
      })
    })

    describe('getStanding, with an application', () => {
      test('returns the status of the latest application and whether a contact is saved', async () => {
        const { contributors } = place.stores[0]
        const firstId = '01900000-0000-7000-8000-0000000000aa'
        const draft = {
          companyName: 'C',
          incubatorBatch: null,
          website: 'https://example.com',
          directoryUrl: null,
          email: 'a@example.com',
          role: 'r',
          status: 'pending' as const,
        }
        await contributors.submitApplication({ ownerId: 'ann', application: { ...draft, id: firstId }, now: 10 })
        expect(await store.getStanding({ ownerId: 'ann' })).toEqual({ ...initialStanding, status: 'pending' })
        await contributors.reviewApplication({
          id: firstId,
          status: 'rejected',
          reason: null,
          mail: { subject: 's', text: 't' },
          audit: makeAuditContext(11),
        })
        expect(await store.getStanding({ ownerId: 'ann' })).toMatchObject({ status: 'rejected' })
        await contributors.submitApplication({
          ownerId: 'ann',
          application: { ...draft, id: '01900000-0000-7000-8000-0000000000ab', status: 'approved' },
          now: 12,
        })
        await contributors.saveContact({
          ownerId: 'ann',
          contact: { name: 'Ann', email: 'ann@example.com', phone: null },
          mayReplace: false,
          mail: { id: '01900000-0000-7000-8000-0000000000ac', subject: 's', text: 't' },
          now: 13,
        })
        expect(await otherHost.getStanding({ ownerId: 'ann' })).toEqual({
          ...initialStanding,
          status: 'approved',
          contactCompleted: true,
        })
      })
    })

    describe('joinWaitlist', () => {
      test('replaces an earlier entry', async () => {
        expect(await store.joinWaitlist({ ownerId: 'ann', email: 'a@example.com', country: 'FR', now: 10 })).toBe(true)
        expect(await otherHost.joinWaitlist({ ownerId: 'ann', email: 'b@example.com', country: null, now: 11 })).toBe(
          true,
        )
        expect((await store.export({ ownerId: 'ann' })).waitlist).toEqual({
          email: 'b@example.com',
          country: null,
          joinedAt: 11,
          notifiedAt: null,
        })
      })

      test('does not notify a person again if the person joins again within a day', async () => {
        const entry = { ownerId: 'ann', email: 'a@example.com', country: 'FR' }
        const notify = (): Promise<number> => {
          const mails = [{ userId: 'ann', id: crypto.randomUUID() }]
          return store.notifyWaitlist({ country: 'FR', mails, subject: 's', text: 't', audit: makeAuditContext(20) })
        }
        await store.joinWaitlist({ ...entry, now: 10 })
        expect(await notify()).toBe(1)
        await otherHost.joinWaitlist({ ...entry, now: 30 })
        expect(await notify()).toBe(0)
        await otherHost.joinWaitlist({ ...entry, email: 'b@example.com', now: 40 })
        expect(await notify()).toBe(1)
        await otherHost.joinWaitlist({ ...entry, email: 'b@example.com', now: 20 + 86_400_000 })
        expect(await notify()).toBe(1)
      })
    })

    describe('leaveWaitlist', () => {
      test('deletes only the entry of its owner, can be repeated, and prevents later mails', async () => {
        await store.joinWaitlist({ ownerId: 'ann', email: 'ann@example.com', country: 'DE', now: 10 })
        await otherHost.leaveWaitlist({ ownerId: 'ann' })
        await store.leaveWaitlist({ ownerId: 'ann' })
        await store.leaveWaitlist({ ownerId: 'nobody' })
        expect((await otherHost.export({ ownerId: 'ann' })).waitlist).toBeNull()
        const { items } = await otherHost.listWaitlist({ country: 'DE', cursor: null, limit: 10 })
        expect(items.map(({ userId }) => userId)).toEqual(['bob'])
        const mails = [{ userId: 'ann', id: 'a' }]
        const notified = { country: 'DE', mails, subject: 's', text: 't', audit: makeAuditContext(20) }
        expect(await store.notifyWaitlist(notified)).toBe(0)
        await store.joinWaitlist({ ownerId: 'ann', email: 'new@example.com', country: 'FR', now: 30 })
        expect((await otherHost.export({ ownerId: 'ann' })).waitlist).toMatchObject({ country: 'FR', joinedAt: 30 })
        const { waitlist, terms } = await otherHost.export({ ownerId: 'ann' })
        expect(await otherHost.findWaitlistEntry({ ownerId: 'ann' })).toEqual(waitlist)
        expect(await otherHost.listAcceptedTerms({ ownerId: 'ann' })).toEqual(terms)
        expect(await otherHost.findWaitlistEntry({ ownerId: 'nobody' })).toBeNull()
      })
    })

    describe('listWaitlist and notifyWaitlist', () => {
      const mail = { subject: 'Open', text: 'Uploads are open.' }
      const makeMailIds = (...names: string[]) =>
        names.map((userId, i) => ({ userId, id: `01900000-0000-7000-8000-00000000000${i}` }))
      const listRecipients = async () =>
        (await place.stores[0].outbox.list({ cursor: null, limit: 50 })).items.map(({ recipient }) => recipient)

      test('return entries in the order of the users, by country and page by page', async () => {
        await store.joinWaitlist({ ownerId: 'ann', email: 'ann@example.com', country: 'FR', now: 10 })
        const bob = { userId: 'bob', email: 'bob@example.com', country: 'DE', joinedAt: 2, notifiedAt: null }
        const ann = { userId: 'ann', email: 'ann@example.com', country: 'FR', joinedAt: 10, notifiedAt: null }
        const all = await otherHost.listWaitlist({ cursor: null, limit: 10 })
        expect([...all.items].sort((a, b) => a.joinedAt - b.joinedAt)).toEqual([bob, ann])
        expect(all.next).toBeNull()
        expect(await otherHost.listWaitlist({ country: 'FR', cursor: null, limit: 1 })).toEqual({
          items: [ann],
          next: null,
        })
        const first = await store.listWaitlist({ cursor: null, limit: 1 })
        const second = await store.listWaitlist({ cursor: first.next, limit: 1 })
        expect([...first.items, ...second.items].map(({ userId }) => userId).sort()).toEqual(['ann', 'bob'])
        expect(second.next).toBeNull()
      })

      test('listWaitlist searches, sorts and filters a person among 300 newer ones', async () => {
        const newer = Array.from({ length: newerRows }, (_, n) => `person${n}`)
        for (const [n, id] of newer.entries()) {
          await place.person(id)
          await store.joinWaitlist({
            ownerId: id,
            email: `${id}@example.org`,
            country: n % 2 ? 'FR' : null,
            now: 10 + n,
          })
        }
        await expectExactList({
          list: (params) => otherHost.listWaitlist(params),
          idOf: ({ userId }) => userId,
          ids: ['bob', ...newer],
          sorts: { joinedAt: null },
          found: [
            ['bob@example.com', ['bob']],
            ['bob@example.org', []],
            [
              'person29',
              [
                'person299',
                'person298',
                'person297',
                'person296',
                'person295',
                'person294',
                'person293',
                'person292',
                'person291',
                'person290',
                'person29',
              ],
            ],
          ],
        })
        const filter = async (params: object) =>
          (await otherHost.listWaitlist({ ...params, cursor: null, limit: 9 })).items.map(({ userId }) => userId)
        expect(await filter({ country: 'DE', notified: false })).toEqual(['bob'])
        expect(await filter({ notified: true })).toEqual([])
        expect(await filter({ from: 2, to: 2 })).toEqual(['bob'])
      })

      test('mail each user of the country once despite concurrent calls on two hosts', async () => {
        await store.joinWaitlist({ ownerId: 'ann', email: 'ann@example.com', country: 'FR', now: 10 })
        const calls = await Promise.all(
          [store, otherHost, store].map((host, i) =>
            host.notifyWaitlist({
              ...mail,
              country: 'FR',
              mails: makeMailIds('ann', 'bob', 'nobody').map(({ userId, id }) => ({
                userId,
                id: id.replace(/^0190/, `019${i}`),
              })),
              audit: makeAuditContext(20),
            }),
          ),
        )
        expect(calls.reduce((sum, count) => sum + count, 0)).toBe(1)
        expect(await listRecipients()).toEqual(['ann@example.com'])
        expect((await otherHost.listWaitlist({ country: 'FR', cursor: null, limit: 10 })).items[0]).toMatchObject({
          notifiedAt: 20,
        })
      })

      test('countWaitlist counts for each country the users who wait and were not notified, highest count first', async () => {
        expect(await otherHost.countWaitlist()).toEqual([{ country: 'DE', waiting: 1 }])
        await store.joinWaitlist({ ownerId: 'ann', email: 'ann@example.com', country: null, now: 10 })
        expect(await otherHost.countWaitlist()).toEqual([
          { country: null, waiting: 1 },
          { country: 'DE', waiting: 1 },
        ])
        await store.joinWaitlist({ ownerId: 'ann', email: 'ann@example.com', country: 'DE', now: 10 })
        expect(await otherHost.countWaitlist()).toEqual([{ country: 'DE', waiting: 2 }])
        await store.notifyWaitlist({ ...mail, country: 'DE', mails: makeMailIds('ann'), audit: makeAuditContext(20) })
        expect(await otherHost.countWaitlist()).toEqual([{ country: 'DE', waiting: 1 }])
      })

      test('removeFromWaitlist deletes the entry of a user once, and the user can join again', async () => {
        const join = () => store.joinWaitlist({ ownerId: 'ann', email: 'ann@example.com', country: 'FR', now: 10 })
        await join()
        const remove = (ownerId: string) => store.removeFromWaitlist({ ownerId, audit: makeAuditContext(20) })
        expect([await remove('ann'), await remove('ann'), await remove('nobody')]).toEqual([true, false, false])
        expect((await otherHost.export({ ownerId: 'ann' })).waitlist).toBeNull()
        const { items } = await otherHost.listWaitlist({ cursor: null, limit: 10 })
        expect(items).toMatchObject([{ userId: 'bob' }])
        expect(await join()).toBe(true)
      })

      test('notifies a user again if the user joined again', async () => {
        await store.joinWaitlist({ ownerId: 'ann', email: 'ann@example.com', country: 'FR', now: 10 })
        expect(
          await store.notifyWaitlist({
            ...mail,
            country: 'FR',
            mails: makeMailIds('ann'),
            audit: makeAuditContext(20),
          }),
        ).toBe(1)
        await store.joinWaitlist({ ownerId: 'ann', email: 'new@example.com', country: 'FR', now: 30 })
        expect(
          await otherHost.notifyWaitlist({
            ...mail,
            country: 'FR',
            mails: makeMailIds('nobody', 'ann'),
            audit: makeAuditContext(40),
          }),
        ).toBe(1)
        expect((await listRecipients()).sort()).toEqual(['ann@example.com', 'new@example.com'])
      })
    })

    describe('for a user who does not exist', () => {
      test('writes nothing and returns null or false', async () => {
        expect(
          await store.acceptTerms({ ownerId: 'nobody', termsVersion: 'v1', residencyConfirmed: true, now: 10 }),
        ).toBeNull()
        expect(await store.setPause({ ownerId: 'nobody', paused: true, now: 10 })).toBeNull()
        expect(await store.joinWaitlist({ ownerId: 'nobody', email: 'a@example.com', country: null, now: 10 })).toBe(
          false,
        )
        expect(await store.export({ ownerId: 'nobody' })).toEqual({ terms: [], pauses: [], waitlist: null })
      })
    })

    describe('erase', () => {
      test('deletes all data of the user and can be repeated', async () => {
        await store.acceptTerms({ ownerId: 'ann', termsVersion: 'v1', residencyConfirmed: true, now: 10 })
        await store.setPause({ ownerId: 'ann', paused: true, now: 11 })
        await place.stores[0].contributors.setOperatorPause({
          userId: 'ann',
          paused: true,
          audit: makeAuditContext(12),
        })
        await store.joinWaitlist({ ownerId: 'ann', email: 'a@example.com', country: null, now: 13 })
        await store.erase({ ownerId: 'ann' })
        await otherHost.erase({ ownerId: 'ann' })
        expect(await store.getStanding({ ownerId: 'ann' })).toEqual(initialStanding)
        expect(await store.export({ ownerId: 'ann' })).toEqual({ terms: [], pauses: [], waitlist: null })
      })
    })
  })
}

import type { PolicyStore } from '@tributary/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ContributorsPlace } from './contributors.ts'
import { byOperator } from './audit.ts'

const newcomer = {
  termsVersion: null,
  termsAcceptedAt: null,
  residencyConfirmed: false,
  paused: false,
  operatorPaused: false,
  status: 'not_applied',
  contactCompleted: false,
}

/** The laws of `PolicyStore`. */
export function runPolicyStoreContract(name: string, open: () => Promise<ContributorsPlace>): void {
  describe(`the policy in ${name}`, () => {
    let place: ContributorsPlace
    let store: PolicyStore
    let other: PolicyStore
    beforeEach(async () => {
      place = await open()
      ;[store, other] = place.stores.map(({ policy }) => policy) as [PolicyStore, PolicyStore]
      await place.person('ann')
      await place.person('bob')
      await store.acceptTerms('bob', { termsVersion: 'v0', residencyConfirmed: true }, 1)
      await store.joinWaitlist('bob', { email: 'bob@example.com', country: 'DE' }, 2)
    })
    afterEach(async () => {
      expect(await other.standing('bob')).toEqual({
        ...newcomer,
        termsVersion: 'v0',
        termsAcceptedAt: 1,
        residencyConfirmed: true,
      })
      expect(await other.export('bob')).toEqual({
        terms: [{ termsVersion: 'v0', residencyConfirmed: true, acceptedAt: 1 }],
        pauses: [],
        waitlist: { email: 'bob@example.com', country: 'DE', joinedAt: 2, notifiedAt: null },
      })
      await place.close?.()
    })

    test('somebody of whom nothing is known is a newcomer', async () => {
      expect(await store.standing('ann')).toEqual(newcomer)
      expect(await store.standing('nobody')).toEqual(newcomer)
    })

    test('an acceptance is kept with its time; the same again changes nothing, another version does', async () => {
      const accepted = { ...newcomer, termsVersion: 'v1', termsAcceptedAt: 10, residencyConfirmed: true }
      expect(await store.acceptTerms('ann', { termsVersion: 'v1', residencyConfirmed: true }, 10)).toEqual(accepted)
      expect(await other.acceptTerms('ann', { termsVersion: 'v1', residencyConfirmed: true }, 11)).toEqual(accepted)
      expect(await store.acceptTerms('ann', { termsVersion: 'v1', residencyConfirmed: false }, 12)).toEqual({
        ...accepted,
        residencyConfirmed: false,
      })
      expect(await store.acceptTerms('ann', { termsVersion: 'v2', residencyConfirmed: true }, 13)).toEqual({
        ...accepted,
        termsVersion: 'v2',
        termsAcceptedAt: 13,
      })
      expect((await other.export('ann')).terms).toEqual([
        { termsVersion: 'v1', residencyConfirmed: true, acceptedAt: 10 },
        { termsVersion: 'v1', residencyConfirmed: false, acceptedAt: 12 },
        { termsVersion: 'v2', residencyConfirmed: true, acceptedAt: 13 },
      ])
    })

    test('of twenty equal acceptances at once, on two hosts, the ledger has one line', async () => {
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 ? other : store).acceptTerms('ann', { termsVersion: 'v1', residencyConfirmed: true }, 10 + i),
        ),
      )
      const [line, ...more] = (await store.export('ann')).terms
      expect(more).toEqual([])
      expect((await store.standing('ann')).termsAcceptedAt).toBe(line!.acceptedAt)
    })

    test('the two pauses stand beside each other and the terms stay as they are', async () => {
      await store.acceptTerms('ann', { termsVersion: 'v1', residencyConfirmed: true }, 9)
      const { contributors } = place.stores[1]
      expect(await store.setPaused('ann', true, 10)).toMatchObject({
        paused: true,
        operatorPaused: false,
        termsVersion: 'v1',
      })
      await contributors.setOperatorPaused('ann', true, byOperator(11))
      expect(await store.setPaused('ann', false, 12)).toMatchObject({ paused: false, operatorPaused: true })
      expect(await store.setPaused('ann', false, 13)).toMatchObject({ paused: false, operatorPaused: true })
      await contributors.setOperatorPaused('ann', false, byOperator(14))
      expect(await other.standing('ann')).toMatchObject({
        paused: false,
        operatorPaused: false,
        termsVersion: 'v1',
        residencyConfirmed: true,
      })
      expect((await store.export('ann')).pauses).toEqual([
        { by: 'contributor', paused: true, changedAt: 10 },
        { by: 'operator', paused: true, changedAt: 11 },
        { by: 'contributor', paused: false, changedAt: 12 },
        { by: 'operator', paused: false, changedAt: 14 },
      ])
    })

    test('the standing tells of the latest application and of the contact', async () => {
      const { contributors } = place.stores[0]
      const draft = {
        companyName: 'C',
        incubatorBatch: null,
        website: 'https://example.com',
        directoryUrl: null,
        email: 'a@example.com',
        role: 'r',
        status: 'pending' as const,
      }
      await contributors.apply('ann', { ...draft, id: '01900000-0000-7000-8000-0000000000aa' }, 10)
      expect(await store.standing('ann')).toEqual({ ...newcomer, status: 'pending' })
      await contributors.review(
        '01900000-0000-7000-8000-0000000000aa',
        { status: 'rejected', reason: null },
        byOperator(11),
      )
      expect(await store.standing('ann')).toMatchObject({ status: 'rejected' })
      await contributors.apply('ann', { ...draft, id: '01900000-0000-7000-8000-0000000000ab', status: 'approved' }, 12)
      await contributors.saveContact('ann', { name: 'Ann', email: 'ann@example.com', phone: null }, 13)
      expect(await other.standing('ann')).toEqual({ ...newcomer, status: 'approved', contactCompleted: true })
    })

    test('a later waitlist entry replaces the earlier one', async () => {
      expect(await store.joinWaitlist('ann', { email: 'a@example.com', country: 'FR' }, 10)).toBe(true)
      expect(await other.joinWaitlist('ann', { email: 'b@example.com', country: null }, 11)).toBe(true)
      expect((await store.export('ann')).waitlist).toEqual({
        email: 'b@example.com',
        country: null,
        joinedAt: 11,
        notifiedAt: null,
      })
    })

    describe('waitlist and notifyWaitlist', () => {
      const mail = { subject: 'Open', text: 'Uploads are open.' }
      const ids = (...names: string[]) =>
        names.map((userId, i) => ({ userId, id: `01900000-0000-7000-8000-00000000000${i}` }))
      const recipients = async () =>
        (await place.stores[0].outbox.list({ status: null, cursor: null, limit: 50 })).map(({ recipient }) => recipient)

      test('lists entries in the order of joining, by country and page by page', async () => {
        await store.joinWaitlist('ann', { email: 'ann@example.com', country: 'FR' }, 10)
        const bob = { userId: 'bob', email: 'bob@example.com', country: 'DE', joinedAt: 2, notifiedAt: null }
        const ann = { userId: 'ann', email: 'ann@example.com', country: 'FR', joinedAt: 10, notifiedAt: null }
        const all = await other.waitlist({ country: null, cursor: null, limit: 10 })
        expect([...all.items].sort((a, b) => a.joinedAt - b.joinedAt)).toEqual([bob, ann])
        expect(all.next).toBeNull()
        expect(await other.waitlist({ country: 'FR', cursor: null, limit: 1 })).toEqual({ items: [ann], next: null })
        const first = await store.waitlist({ country: null, cursor: null, limit: 1 })
        const second = await store.waitlist({ country: null, cursor: first.next, limit: 1 })
        expect([...first.items, ...second.items].map(({ userId }) => userId).sort()).toEqual(['ann', 'bob'])
        expect(second.next).toBeNull()
      })

      test('mails each person of the country once, however often and from however many hosts it is called', async () => {
        await store.joinWaitlist('ann', { email: 'ann@example.com', country: 'FR' }, 10)
        const calls = await Promise.all(
          [store, other, store].map((one, i) =>
            one.notifyWaitlist({
              ...mail,
              country: 'FR',
              mails: ids('ann', 'bob', 'nobody').map(({ userId, id }) => ({
                userId,
                id: id.replace(/^0190/, `019${i}`),
              })),
              audit: byOperator(20),
            }),
          ),
        )
        expect(calls.reduce((sum, count) => sum + count, 0)).toBe(1)
        expect(await recipients()).toEqual(['ann@example.com'])
        expect((await other.waitlist({ country: 'FR', cursor: null, limit: 10 })).items[0]).toMatchObject({
          notifiedAt: 20,
        })
      })

      test('a person who joins again is mailed again', async () => {
        await store.joinWaitlist('ann', { email: 'ann@example.com', country: 'FR' }, 10)
        expect(await store.notifyWaitlist({ ...mail, country: 'FR', mails: ids('ann'), audit: byOperator(20) })).toBe(1)
        await store.joinWaitlist('ann', { email: 'new@example.com', country: 'FR' }, 30)
        expect(
          await other.notifyWaitlist({ ...mail, country: 'FR', mails: ids('nobody', 'ann'), audit: byOperator(40) }),
        ).toBe(1)
        expect((await recipients()).sort()).toEqual(['ann@example.com', 'new@example.com'])
      })
    })

    test('a person who is not there gets nothing written', async () => {
      expect(await store.acceptTerms('nobody', { termsVersion: 'v1', residencyConfirmed: true }, 10)).toBeNull()
      expect(await store.setPaused('nobody', true, 10)).toBeNull()
      expect(await store.joinWaitlist('nobody', { email: 'a@example.com', country: null }, 10)).toBe(false)
      expect(await store.export('nobody')).toEqual({ terms: [], pauses: [], waitlist: null })
    })

    test('erasing leaves nothing of the person and may be asked again', async () => {
      await store.acceptTerms('ann', { termsVersion: 'v1', residencyConfirmed: true }, 10)
      await store.setPaused('ann', true, 11)
      await place.stores[0].contributors.setOperatorPaused('ann', true, byOperator(12))
      await store.joinWaitlist('ann', { email: 'a@example.com', country: null }, 13)
      await store.erase('ann')
      await other.erase('ann')
      expect(await store.standing('ann')).toEqual(newcomer)
      expect(await store.export('ann')).toEqual({ terms: [], pauses: [], waitlist: null })
    })
  })
}

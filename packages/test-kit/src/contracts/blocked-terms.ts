import type { BlockedTermStore } from '@tributary/core/stores'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeApplication } from './contributors.ts'
import type { ScrubPlace } from './scrub-place.ts'
import { useRealTimes } from './real-times.ts'

/**
 * Registers the contract tests of the store of blocked terms. Each test checks that the terms of another user are
 * unchanged.
 */
export function runBlockedTermStoreContract(name: string, open: () => Promise<ScrubPlace>): void {
  describe(`blocked term store: ${name}`, () => {
    let place: ScrubPlace
    let store: BlockedTermStore
    let otherHost: BlockedTermStore
    const save = (terms: readonly string[], now: number, host = store) => host.saveTerms({ ownerId: 'ann', terms, now })
    const readRevision = async (ownerId: string): Promise<number> =>
      (await otherHost.findTerms({ ownerId })).identityRevision
    beforeEach(async () => {
      place = useRealTimes(await open())
      ;[store, otherHost] = place.stores.map(({ blockedTerms }) => blockedTerms) as [BlockedTermStore, BlockedTermStore]
      for (const id of ['ann', 'bob']) await place.stores[0].auth.upsertUser({ id, email: `${id}@example.com`, now: 0 })
      await store.saveTerms({ ownerId: 'bob', terms: ['Bluebird'], now: 5 })
    })
    afterEach(async () => {
      expect(await otherHost.findTerms({ ownerId: 'bob' })).toEqual({
        terms: ['Bluebird'],
        updatedAt: 5,
        identityRevision: 1,
      })
      await place.close()
    })

    describe('findTerms', () => {
      test('returns an empty list at revision 0 for a user without terms and for an unknown user', async () => {
        const nothing = { terms: [], updatedAt: null, identityRevision: 0 }
        expect(await store.findTerms({ ownerId: 'ann' })).toEqual(nothing)
        expect(await store.findTerms({ ownerId: 'nobody' })).toEqual(nothing)
      })
    })

    describe('saveTerms', () => {
      test('stores the terms unchanged, and replaces earlier terms', async () => {
        const terms = ['Projekt Ångström', '"quoted" \\ 日本 😀', 'a'.repeat(128)]
        expect(await save(['first'], 10)).toBe(true)
        expect(await save(terms, 20)).toBe(true)
        expect(await otherHost.findTerms({ ownerId: 'ann' })).toEqual({ terms, updatedAt: 20, identityRevision: 2 })
      })

      test('raises the revision only when the list differs', async () => {
        await save([], 10)
        expect(await otherHost.findTerms({ ownerId: 'ann' })).toEqual({ terms: [], updatedAt: 10, identityRevision: 0 })
        await save(['one', 'two'], 11)
        expect(await readRevision('ann')).toBe(1)
        await save(['one', 'two'], 12)
        expect(await otherHost.findTerms({ ownerId: 'ann' })).toMatchObject({ updatedAt: 12, identityRevision: 1 })
        await save(['two', 'one'], 13)
        await save([], 14)
        expect(await readRevision('ann')).toBe(3)
      })

      test('returns false and stores nothing for an unknown user', async () => {
        expect(await store.saveTerms({ ownerId: 'nobody', terms: ['secret'], now: 1 })).toBe(false)
        expect((await store.findTerms({ ownerId: 'nobody' })).terms).toEqual([])
      })

      test('stores nothing if the stored list is no longer the list that the caller wants to replace', async () => {
        const add = (terms: string[], replaces: string[], one = store) =>
          one.saveTerms({ ownerId: 'ann', terms, now: 10, replaces })
        expect(await add(['one'], [])).toBe(true)
        expect(await add(['two'], [])).toBe(false)
        const both = await Promise.all([add(['one', 'two'], ['one']), add(['one', 'three'], ['one'], otherHost)])
        expect(both.toSorted()).toEqual([false, true])
        expect(await readRevision('ann')).toBe(2)
        expect((await otherHost.findTerms({ ownerId: 'ann' })).terms).toEqual(['one', both[0] ? 'two' : 'three'])
      })

      test('stores one of twenty concurrent lists completely, and counts each change', async () => {
        const lists = Array.from({ length: 20 }, (_, i) => [`term-${i}`, `other-${i}`])
        await Promise.all(lists.map((terms, i) => save(terms, i, i % 2 ? otherHost : store)))
        const { terms, identityRevision } = await store.findTerms({ ownerId: 'ann' })
        expect(lists).toContainEqual(terms)
        expect(identityRevision).toBe(20)
      })
    })

    describe('identityRevision', () => {
      test('grows when the contact changes, and stays the same when the contact is saved again unchanged', async () => {
        const { contributors } = place.stores[0]
        const contact = { name: 'Ann', email: 'ann@example.com', phone: null }
        const saveContact = (changes: object) =>
          contributors.saveContact({
            ownerId: 'ann',
            contact: { ...contact, ...changes },
            mayReplace: true,
            mail: { id: '01900000-0000-7000-8000-0000000000ac', subject: 's', text: 't' },
            now: 1,
          })
        const revisions: number[] = []
        for (const changes of [
          {},
          {},
          { phone: '+1 555 0100' },
          {},
          { name: 'Anne' },
          { name: 'Anne', email: 'a@b.co' },
        ]) {
          await saveContact(changes)
          revisions.push(await readRevision('ann'))
        }
        expect(revisions).toEqual([1, 1, 2, 3, 4, 5])
      })

      test('grows when an application is stored, and does not grow when an application is refused', async () => {
        const { contributors } = place.stores[0]
        const submit = () => contributors.submitApplication({ ownerId: 'ann', application: makeApplication(), now: 1 })
        expect(await submit()).not.toBeNull()
        expect(await readRevision('ann')).toBe(1)
        expect(await submit()).toBeNull()
        expect(await readRevision('ann')).toBe(1)
      })

      test('grows when the e-mail address of the account changes, and keeps the terms', async () => {
        const { auth } = place.stores[0]
        const upsert = (email: string | null) => auth.upsertUser({ id: 'ann', email, now: 1 })
        await save(['Bluebird'], 10)
        await upsert('ann@example.com')
        expect(await readRevision('ann')).toBe(1)
        await upsert('new@example.com')
        expect(await readRevision('ann')).toBe(2)
        // Bob has this address, so Ann's address becomes null once.
        await upsert('bob@example.com')
        await upsert('bob@example.com')
        await upsert(null)
        expect(await otherHost.findTerms({ ownerId: 'ann' })).toEqual({
          terms: ['Bluebird'],
          updatedAt: 10,
          identityRevision: 3,
        })
      })
    })

    describe('export and erase', () => {
      test('export returns the terms; erase deletes them', async () => {
        await save(['Kumquat'], 10)
        expect(await store.export({ ownerId: 'ann' })).toEqual({ terms: ['Kumquat'], updatedAt: 10 })
        while (await store.erase({ ownerId: 'ann' }));
        expect(await otherHost.export({ ownerId: 'ann' })).toEqual({ terms: [], updatedAt: null })
      })
    })
  })
}

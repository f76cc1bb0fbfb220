import type { Context } from './context.ts'
import { listOf, makeMatcher, matchOrNull } from './matchers.ts'

/** An id that no record has. */
export const unknownId = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'
export const notFound = { ok: false, error: 'not_found' }
export const invalidBody = { ok: false, error: 'invalid_body' }
export const invalidQuery = { ok: false, error: 'invalid_query' }
export const string = makeMatcher('a string', (value) => typeof value === 'string')

/** Returns the first matching item in the first five pages of a list, or null. */
// oxlint-disable-next-line typescript/no-explicit-any -- read as the shape that a check expects
export async function findItem({ ask, operator }: Context, path: string, fits: (item: any) => boolean): Promise<any> {
  let cursor = ''
  for (let page = 0; page < 5; page++) {
    const { json } = await ask('GET', `${path}?limit=200${cursor}`, { as: operator() }).is(200, {
      ok: true,
      items: listOf(makeMatcher('an item', (item) => typeof item === 'object')),
      nextCursor: matchOrNull(string),
    })
    const item = json.items.find(fits)
    if (item || json.nextCursor === null) return item ?? null
    cursor = `&cursor=${encodeURIComponent(json.nextCursor)}`
  }
  return null
}

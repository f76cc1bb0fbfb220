import { expect, test } from 'vitest'
import * as z from 'zod'
import { createMatcher } from './match.ts'
import { mount, route } from './route.ts'

const at = (method: 'GET' | 'POST', path: string) =>
  route({ summary: '', method, path, auth: 'none', envelope: 'ok', reply: z.unknown(), failures: {} })
const find = createMatcher(
  mount(
    { one: at('GET', '/a/:id'), bulk: at('POST', '/a/bulk'), deep: at('GET', '/a/:id/b/:part') },
    { one: () => 1, bulk: () => 1, deep: () => 1 },
    {},
  ),
)

test('a literal wins over a parameter, and parameters are decoded', () => {
  expect([...find('/a/bulk')!.methods.keys()]).toEqual(['POST'])
  expect(find('/a/x%2Fy')!.params).toEqual({ id: 'x/y' })
  expect(find('/a/1/b/2')!.params).toEqual({ id: '1', part: '2' })
})

test('a malformed escape stays as sent', () => expect(find('/a/%zz')!.params).toEqual({ id: '%zz' }))

test.each(['/', '/a', '/a/', '/a/1/', '/a/1/b', '//a/1', '/A/1', '/a/1/b/2/3'])('%s is nobody’s', (path) =>
  expect(find(path)).toBeNull(),
)

test('two routes for one method and path are refused', () => {
  expect(() =>
    createMatcher(mount({ one: at('GET', '/a'), two: at('GET', '/a') }, { one: () => 1, two: () => 1 }, {})),
  ).toThrow('two routes')
})

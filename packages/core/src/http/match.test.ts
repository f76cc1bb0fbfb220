import { describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { createCapabilityRouter, createMatcher } from './match.ts'
import { route, mount, type Mounted } from './route.ts'

const declareRoute = (method: 'GET' | 'POST', path: string) =>
  route({ summary: '', method, path, auth: 'none', envelope: 'ok', reply: z.unknown(), failures: {} })
const mountOne = (name: string, method: 'GET' | 'POST', path: string): Mounted[] =>
  mount({ [name]: declareRoute(method, path) }, { [name]: () => 1 }, {})

describe('createMatcher', () => {
  const find = createMatcher([
    ...mountOne('one', 'GET', '/a/:id'),
    ...mountOne('bulk', 'POST', '/a/bulk'),
    ...mountOne('deep', 'GET', '/a/:id/b/:part'),
    ...mountOne('change', 'POST', '/a/:id'),
    ...mountOne('last', 'GET', '/a/x/b/:part'),
  ])

  test('prefers a literal segment to a parameter', () => {
    expect([...find('/a/bulk')!.methods.keys()]).toEqual(['POST'])
    expect(find('/a/x/b/2')!.params).toEqual({ part: '2' })
  })

  test('treats a segment that begins with a colon as a value', () => {
    expect(find('/a/:id')!.params).toEqual({ id: ':id' })
  })

  test('returns every method of a path', () => {
    expect([...find('/a/1')!.methods.keys()]).toEqual(['GET', 'POST'])
  })

  test('decodes parameters, including encoded slashes', () => {
    expect(find('/a/x%2Fy')!.params).toEqual({ id: 'x/y' })
    expect(find('/a/1/b/2')!.params).toEqual({ id: '1', part: '2' })
  })

  test('keeps a malformed escape as it was sent', () => expect(find('/a/%zz')!.params).toEqual({ id: '%zz' }))

  test('returns a parameter named like a prototype member as text', () => {
    expect(find('/a/__proto__')!.params).toEqual({ id: '__proto__' })
  })

  test.each(['/', '/a', '/a/', '/a/1/', '/a/bulk/', '/a/1/b', '/a//b/2', '//a/1', '/A/1', '/a/1/b/2/3'])(
    'returns null for %s',
    (path) => expect(find(path)).toBeNull(),
  )

  test('throws for two routes with the same method and path', () => {
    expect(() => createMatcher([...mountOne('one', 'GET', '/a'), ...mountOne('two', 'GET', '/a')])).toThrow(
      'two routes for GET /a',
    )
  })
})

describe('createCapabilityRouter', () => {
  function open() {
    const loadOuter = vi.fn(async () => mountOne('outer', 'GET', '/a/:id'))
    const loadInner = vi.fn(async () => mountOne('inner', 'GET', '/a/b/:id'))
    const router = createCapabilityRouter([
      { name: 'outer', paths: ['/a'], load: loadOuter },
      { name: 'inner', paths: ['/a/b', '/c'], load: loadInner },
    ])
    return { ...router, loadOuter, loadInner }
  }

  test('loads the capability with the longest matching prefix at the first request for one of its paths', async () => {
    const { find, loadOuter, loadInner } = open()
    expect((await find('/a/b/1'))!.params).toEqual({ id: '1' })
    expect([loadInner.mock.calls.length, loadOuter.mock.calls.length]).toEqual([1, 0])
    expect((await find('/a/1'))!.methods.get('GET')!.name).toBe('outer')
  })

  test('returns matches without a promise once the capability is loaded', async () => {
    const { find, loadInner } = open()
    await Promise.all([find('/a/b/1'), find('/a/b/2')])
    expect(find('/a/b/3')).toMatchObject({ params: { id: '3' } })
    expect(loadInner).toHaveBeenCalledTimes(1)
  })

  test.each(['/', '', '/b', '/ab', '/x/a/b'])('returns null for %j and loads nothing', (path) => {
    const { find, loadOuter, loadInner } = open()
    expect(find(path)).toBeNull()
    expect([loadInner.mock.calls.length, loadOuter.mock.calls.length]).toEqual([0, 0])
  })

  test('returns null for a path below a prefix when no route matches', async () => {
    expect(await open().find('/c/d')).toBeNull()
  })

  test('rejects when loading fails, and loads again for the next request', async () => {
    const load = vi.fn(async () => mountOne('one', 'GET', '/a')).mockRejectedValueOnce(new Error('no such file'))
    const { find } = createCapabilityRouter([{ name: 'a', paths: ['/a'], load }])
    await expect(find('/a')).rejects.toThrow('no such file')
    expect(await find('/a')).not.toBeNull()
  })

  test('load returns the routes of every capability by name', async () => {
    const loaded = await open().load()
    expect(loaded.map(({ name, routes }) => [name, routes.map((one) => one.route.path)])).toEqual([
      ['outer', ['/a/:id']],
      ['inner', ['/a/b/:id']],
    ])
  })
})

import { createTestStores } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { createCapabilityRouter, type Capability } from '../http/match.ts'
import { createCapabilities } from './capabilities.ts'
import { resolveOptions } from './resolve-options.ts'

const table = createCapabilities(resolveOptions({ baseUrl: 'http://127.0.0.1', stores: createTestStores() }), {
  hmacCode: async () => ['0'],
  authenticator: {
    person: async () => null,
    operator: () => 'off',
    buyer: async () => null,
    forgetCredential: () => undefined,
    forgetUser: () => undefined,
  },
  operator: {
    check: () => 'off',
    signedIn: async () => 'off',
    awaitsPasskey: async () => null,
    start: async () => '',
    nextSecret: () => ({ hash: '', cookie: '' }),
    end: async () => '',
  },
  rates: undefined,
  publicPath: (path) => path,
  handle: async () => null,
  documents: { routes: async () => [], isDraining: () => false, interactiveReference: () => null },
})
const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`)

describe('createCapabilities', () => {
  test('assigns each path prefix to exactly one capability', () => {
    const paths = table.flatMap((capability) => capability.paths)
    expect(paths).toEqual([...new Set(paths)])
  })

  test.each(table.map((capability): [string, Capability] => [capability.name, capability]))(
    'finds each route of %s, and at least one route for each of its prefixes',
    async (_, { paths, load }) => {
      const { find } = createCapabilityRouter(table)
      const routes = await load()
      for (const { name, route } of routes) {
        const match = await find(route.path.replace(/:[A-Za-z]+/g, 'x'))
        expect(match?.methods.get(route.method)?.name).toBe(name)
      }
      for (const prefix of paths) expect(routes.some(({ route }) => isBelow(route.path, prefix))).toBe(true)
    },
  )
})

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createTestStores } from './fixtures/database.ts'

const packages = fileURLToPath(new URL('../../', import.meta.url))
const stores = createTestStores()
const ports = Object.keys(stores)
  .filter((name) => typeof stores[name as keyof typeof stores] === 'object')
  .map((name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))

/** The ports whose declaration is in a capability with another name. */
const declaredElsewhere: Readonly<Record<string, string>> = {
  blobs: 'ports.ts',
  idempotency: 'http/idempotency-store.ts',
  limiter: 'ports.ts',
}

/** The ports whose effects clients see under another name, or do not see. */
const conformanceElsewhere: Readonly<Record<string, string>> = {
  audit: 'admin',
  auth: 'session',
  blobs: 'upload',
  contents: 'stored-traces',
  copies: 'dataset',
  limiter: 'rates',
  outbox: 'admin',
  overview: 'admin',
  rescrub: 'traces',
}

test.each(ports)('the port %s has files with its name in core, stores, contracts and conformance', (port) => {
  const folders = readdirSync(`${packages}core/src`, { recursive: true, encoding: 'utf8' })
  const declared = declaredElsewhere[port]
  expect(folders.filter((path) => path === declared || `/${path}`.endsWith(`/${port}/store.ts`))).toHaveLength(1)
  expect(existsSync(`${packages}core/src/stores/libsql/${port}.ts`)).toBe(true)
  expect(existsSync(`${packages}test-kit/src/contracts/${port}.ts`)).toBe(true)
  expect(existsSync(`${packages}test-kit/src/conformance/${conformanceElsewhere[port] ?? port}.ts`)).toBe(true)
})

const core = `${packages}core/src/`
const sources = readdirSync(core, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !/(?:\.test|fixture)\.ts$|generated/.test(path),
)

/** Each row has the declared thing, the pattern of its declaration, the name of its file, and the exceptions. */
test.each([
  ['a route', /\broute\(\{/, 'contract.ts', ['http/route.ts']],
  ['the binding of handlers to routes', /\bmount\(\w+Contract/, 'handlers.ts', ['ads/campaigns.ts', 'auth/device.ts']],
  ['a port of a store', /^export interface \w+Store\b/m, 'store.ts', ['http/idempotency-store.ts']],
  ['the loop of a worker', /\brunLoop\(/, 'worker.ts', ['queue/loop.ts']],
  [
    'a section of /admin',
    /\): (?:FormSection<|AdminSection )/,
    'operator-pages.ts',
    ['contributors/applications-page.ts'],
  ],
  ['the paths of a capability', /\): Capability => \(\{/, 'wire.ts', []],
])('core declares %s only in files with the same name', (_, declaration, name, exceptions) => {
  const declaring = sources.filter((path) => declaration.test(readFileSync(core + path, 'utf8')))
  expect(declaring.filter((path) => path.endsWith(`/${name}`)).length).toBeGreaterThan(3)
  expect(declaring.filter((path) => !path.endsWith(`/${name}`)).sort()).toEqual(exceptions)
})

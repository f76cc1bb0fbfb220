import { describe, expect, test } from 'vitest'
import { gravity, otlpSink } from './index.ts'
import { checkOptionNames } from './option-names.ts'
import { lazyLibsqlStores } from './stores/libsql/lazy.ts'
import { libsqlStores, migrate, type SqlClient } from './stores/libsql/index.ts'

const names = { port: true, hostname: true, drainMs: true }
const check = (options: object | undefined, path?: string) => () =>
  checkOptionNames(options as { port?: number; hostname?: string; drainMs?: number } | undefined, names, path)

describe('checkOptionNames', () => {
  test.each([
    ['prot', "unknown option 'prot'; the options are port, hostname, drainMs"],
    ['ports', "unknown option 'ports'; did you mean port?"],
    ['hostName', "unknown option 'hostName'; did you mean hostname?"],
    ['drainMS', "unknown option 'drainMS'; did you mean drainMs?"],
    ['drain', "unknown option 'drain'; the options are port, hostname, drainMs"],
    ['toString', "unknown option 'toString'; the options are port, hostname, drainMs"],
  ])('refuses %s', (name, message) => {
    expect(check({ [name]: 1 })).toThrow(new Error(message))
  })

  test('refuses an unknown name even if its value is undefined', () => {
    expect(check({ ports: undefined })).toThrow("unknown option 'ports'")
  })

  test('writes the path of a nested option in the error', () => {
    expect(check({ ports: 1 }, 'listen.')).toThrow("unknown option 'listen.ports'; did you mean listen.port?")
  })

  test('accepts known names and no options', () => {
    expect(check({ port: 1, hostname: undefined })).not.toThrow()
    expect(check(undefined)).not.toThrow()
  })
})

const client = { execute: () => Promise.reject(), batch: () => Promise.reject(), close() {} } as unknown as SqlClient

test.each<[string, (options: never) => unknown, string]>([
  ['libsqlStores', (options) => libsqlStores(client, options), 'tablePrefix'],
  ['lazyLibsqlStores', (options) => lazyLibsqlStores(client, options), 'tablePrefix'],
  ['migrate', (options) => migrate(client, options), 'dryRun'],
  ['gravity', gravity, 'endpoint'],
  ['otlpSink', otlpSink, 'headers'],
])('%s refuses an option that it does not know', async (_, make, name) => {
  await expect((async () => make({ [`${name}s`]: 'x' } as never))()).rejects.toThrow(`did you mean ${name}?`)
})

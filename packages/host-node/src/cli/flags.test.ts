import { expect, test } from 'vitest'
import { flagHelp, flags, readFlags, UsageError, variable } from './flags.ts'

const all = flags({
  'port': { kind: 'number', preset: 8787, most: 65_535, help: 'where' },
  'rate-limits': { kind: 'text', among: ['on', 'off'], preset: 'on', help: 'whether' },
  'database': { kind: 'text', help: 'which' },
  'json': { kind: 'switch', help: 'print JSON' },
})
const read = (argv: string[], env: Record<string, string> = {}) => readFlags(all, argv, env)

test('the command line goes before the environment, the environment before the preset', () => {
  expect(read([])).toEqual({ 'port': 8787, 'rate-limits': 'on', 'database': undefined, 'json': false })
  const env = { TRIBUTARY_PORT: '1', TRIBUTARY_RATE_LIMITS: 'off', TRIBUTARY_JSON: '1' }
  expect(read([], env)).toEqual({ 'port': 1, 'rate-limits': 'off', 'database': undefined, 'json': true })
  expect(read(['--port', '2', '--database=x'], env)).toMatchObject({ port: 2, database: 'x' })
})

test('a variable that is set to nothing is not set', () => {
  expect(read([], { TRIBUTARY_PORT: '' }).port).toBe(8787)
})

test.each([
  [['--prot', '1'], {}, /--prot/],
  [['extra'], {}, /extra/],
  [['--port'], {}, /--port/],
  [['--port', 'x'], {}, /--port is a whole number/],
  [['--port', '65536'], {}, /--port is 0 to 65535/],
  [['--port', '-1'], {}, /--port/],
  [[], { TRIBUTARY_PORT: 'x' }, /TRIBUTARY_PORT is a whole number/],
  [['--rate-limits', 'maybe'], {}, /one of on, off/],
  [[], { TRIBUTARY_JSON: 'perhaps' }, /on or off/],
] as [string[], Record<string, string>, RegExp][])('%j with %j is refused by name', (argv, env, message) => {
  expect(() => read(argv, env)).toThrow(UsageError)
  expect(() => read(argv, env)).toThrow(message)
})

test('the help lists each flag with its variable', () => {
  const help = flagHelp(all)
  for (const name of Object.keys(all)) {
    expect(help).toContain(`--${name}`)
    expect(help).toContain(variable(name))
  }
  expect(help).toContain('--rate-limits on|off')
  expect(help).toContain('(default 8787)')
})

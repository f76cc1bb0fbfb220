import { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { parseFlags } from './flag.fixture.ts'
import { addFlags, defineFlags, environmentName } from './flag.ts'

const flags = defineFlags({
  'port': { kind: 'number', default: 8787, max: 65_535, help: 'where' },
  'rate-limits': { kind: 'text', choices: ['on', 'off'], default: 'on', help: 'whether' },
  'database': { kind: 'text', help: 'which' },
  'json': { kind: 'switch', help: 'print JSON' },
})

describe('readFlags', () => {
  test('prefers the command line to the environment, and prefers the environment to the default', () => {
    expect(parseFlags(flags, [])).toEqual({ 'port': 8787, 'rate-limits': 'on', 'database': undefined, 'json': false })
    const environment = { TRIBUTARY_PORT: '1', TRIBUTARY_RATE_LIMITS: 'off', TRIBUTARY_JSON: '1' }
    expect(parseFlags(flags, [], environment)).toEqual({
      'port': 1,
      'rate-limits': 'off',
      'database': undefined,
      'json': true,
    })
    expect(parseFlags(flags, ['--port', '2', '--database=x'], environment)).toMatchObject({ port: 2, database: 'x' })
  })

  test('ignores empty variables and switches that are off', () => {
    const environment = { TRIBUTARY_PORT: '', TRIBUTARY_DATABASE: '', TRIBUTARY_JSON: 'off' }
    expect(parseFlags(flags, [], environment)).toMatchObject({ port: 8787, database: undefined, json: false })
  })

  test.each([
    [['--prot', '1'], {}, "unknown option '--prot'\n(Did you mean --port?)"],
    [['extra'], {}, 'too many arguments'],
    [['--port'], {}, "option '--port <N>' argument missing"],
    [['--port', 'x'], {}, "argument 'x' is invalid. Expected a whole number from 0 to 65535."],
    [['--port', '65536'], {}, 'Expected a whole number from 0 to 65535.'],
    [['--port', '-1'], {}, 'Expected a whole number from 0 to 65535.'],
    [['--database', '--json'], {}, 'Expected a value before the next flag.'],
    [[], { TRIBUTARY_PORT: 'x' }, "value 'x' from env 'TRIBUTARY_PORT' is invalid"],
    [['--rate-limits', 'maybe'], {}, 'Expected on or off.'],
    [[], { TRIBUTARY_JSON: 'perhaps' }, 'TRIBUTARY_JSON: expected on or off, not "perhaps"'],
  ] as [string[], Record<string, string>, string][])('throws for %j with %j', (argv, environment, message) => {
    expect(() => parseFlags(flags, argv, environment)).toThrow(message)
  })
})

describe('addFlags', () => {
  test('adds each flag with its variable to the help', () => {
    const command = new Command('test')
    addFlags(command, flags)
    const help = command.helpInformation()
    for (const name of Object.keys(flags)) {
      expect(help).toContain(`--${name}`)
      expect(help).toContain(environmentName(name))
    }
    expect(help).toContain('--rate-limits <on|off>')
    expect(help).toContain('default: 8787')
  })
})

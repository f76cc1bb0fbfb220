import valid from 'semver/functions/valid.js'
import { describe, expect, test } from 'vitest'
import { checkMinVersion, checkClientVersion } from './version.ts'

const makeGate = (minVersion: string | null, requireClientVersion = false) => ({
  minVersion,
  upgradeCommand: 'up',
  requireClientVersion,
})
const passesGate = async (sent: string | undefined, least: string | null, strict = false) =>
  (await checkClientVersion(sent, makeGate(least, strict))) === null

describe('checkClientVersion', () => {
  // The order of semver 2.0.0, section 11.
  const order = [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '1.2.0',
    '1.10.0',
    '2.0.0',
  ]

  test.each(order.map((least, i) => [least, i] as const))(
    'accepts only the minimum %s and later versions',
    async (least, i) => {
      const accepted = await Promise.all(order.map((sent) => passesGate(sent, least)))
      expect(order.filter((_, at) => accepted[at])).toEqual(order.slice(i))
    },
  )

  test('ignores build metadata', async () => expect(await passesGate('1.2.0+build.5', '1.2.0')).toBe(true))

  test.each([undefined, '', 'latest', '1.2', 'v1.0.0', '01.0.0', '1.0.0-01', '9'.repeat(200), `1.0.${'9'.repeat(16)}`])(
    'accepts the invalid version %s unless a version is required',
    async (sent) => {
      expect(await passesGate(sent, '1.0.0')).toBe(true)
      expect(await passesGate(sent, '1.0.0', true)).toBe(false)
      expect(await passesGate(sent, null, true)).toBe(true)
    },
  )
})

test.each(['1.2', '1.2.3junk', '01.2.3', 'v1.2.3', '', `${'9'.repeat(16)}.0.0`])(
  'checkMinVersion throws for %j',
  (minVersion) => {
    expect(() => checkMinVersion({ minVersion, upgradeCommand: '', requireClientVersion: false })).toThrow('minVersion')
  },
)

test.each(['1.2.3', '0.0.0-0', '1.0.0-alpha.1+build.05', `1.2.3-${'a'.repeat(250)}`])(
  'checkMinVersion accepts %j, which semver can compare',
  (minVersion) => {
    expect(() => checkMinVersion(makeGate(minVersion))).not.toThrow()
    expect(valid(minVersion)).not.toBeNull()
  },
)

test('checkMinVersion throws for more characters than semver compares', () => {
  expect(() => checkMinVersion(makeGate(`1.2.3-${'a'.repeat(251)}`))).toThrow('minVersion')
})

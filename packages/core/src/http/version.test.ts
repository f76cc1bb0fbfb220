import { describe, expect, test } from 'vitest'
import { checkMinVersion, checkClientVersion } from './version.ts'

const makeGate = (minVersion: string | null, requireClientVersion = false) => ({
  minVersion,
  upgradeCommand: 'up',
  requireClientVersion,
})
const passesGate = (sent: string | undefined, least: string | null, strict = false) =>
  checkClientVersion(sent, makeGate(least, strict)) === null

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
    'with the minimum %s accepts that version and later ones only',
    (least, i) => {
      expect(order.filter((sent) => passesGate(sent, least))).toEqual(order.slice(i))
    },
  )

  test('ignores build metadata', () => expect(passesGate('1.2.0+build.5', '1.2.0')).toBe(true))

  test.each([undefined, '', 'latest', '1.2', 'v1.0.0', '01.0.0', '1.0.0-01', '9'.repeat(200)])(
    'accepts the invalid version %s unless a version is required',
    (sent) => {
      expect([passesGate(sent, '1.0.0'), passesGate(sent, '1.0.0', true), passesGate(sent, null, true)]).toEqual([
        true,
        false,
        true,
      ])
    },
  )
})

test.each(['1.2', '1.2.3junk', '01.2.3', 'v1.2.3', ''])('checkMinVersion throws for %j', (minVersion) => {
  expect(() => checkMinVersion({ minVersion, upgradeCommand: '', requireClientVersion: false })).toThrow('minVersion')
})

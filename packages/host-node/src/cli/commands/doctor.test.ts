import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../program.fixture.ts'
import { doctorCommand } from './doctor.ts'

async function findCountryHeader(
  ...flags: string[]
): Promise<{ check: string; ok: boolean; warning?: true; found: string } | undefined> {
  const database = join(tmpdir(), 'tributary-doctor-none.db')
  const { out } = await runCommand(doctorCommand, ['--database', database, '--json', ...flags])
  return (JSON.parse(out) as { checks: { check: string; ok: boolean; found: string }[] }).checks.find(
    ({ check }) => check === 'country header',
  )
}

test.each([
  [[], [false, false]],
  [
    ['--base-url', 'https://x.example'],
    [true, true],
  ],
  [
    ['--smtp-url', 'smtp://127.0.0.1:9'],
    [true, true],
  ],
])('doctor given %j checks base URL and mail: %j', async (flags, expected) => {
  const database = join(tmpdir(), 'tributary-doctor-none.db')
  const { out } = await runCommand(doctorCommand, ['--database', database, '--json', ...flags])
  const checks = (JSON.parse(out) as { checks: { check: string }[] }).checks.map(({ check }) => check)
  expect(['base URL', 'mail'].map((check) => checks.includes(check))).toEqual(expected)
})

test.each([
  [[], true, 'as `start` takes them'],
  [['--host', '0.0.0.0', '--allowed-countries', 'us,de', '--require-database'], true, 'as `start` takes them'],
  [['--allowed-countries', 'US,Germany'], false, '--allowed-countries: expected two letters each'],
  [['--admin-token', 'short'], false, 'expected 20 or more'],
])('doctor takes the flags of start: %j', async (flags, ok, found) => {
  const database = join(tmpdir(), 'tributary-doctor-none.db')
  const { out } = await runCommand(doctorCommand, [
    '--database',
    database,
    '--base-url',
    'https://x.example',
    '--json',
    ...flags,
  ])
  const { checks } = JSON.parse(out) as { checks: { check: string; ok: boolean; found: string }[] }
  const finding = checks.find(({ check }) => check === 'flags')!
  expect([finding.ok, finding.found]).toEqual([ok, expect.stringContaining(found)])
})

test('doctor warns about a country header without a trusted proxy', async () => {
  const warned = await findCountryHeader('--country-header', 'x-country')
  expect(warned).toMatchObject({ ok: true, warning: true })
  expect(warned!.found).toContain('--trusted-proxies')
  const trusted = await findCountryHeader('--country-header', 'x-country', '--trusted-proxies', '1')
  expect([trusted!.ok, trusted!.warning]).toEqual([true, undefined])
  expect(await findCountryHeader()).toBeUndefined()
})

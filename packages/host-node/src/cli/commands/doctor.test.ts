import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { createMigratedFile } from '@tributary/test-kit'
import { expect, onTestFinished, test } from 'vitest'
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

const token = ['--admin-token', 'Xk3pQ9vLm2Rt8WzB5nYc']

test.each([
  [token, true, 'as `start` takes them'],
  [
    [...token, '--host', '0.0.0.0', '--allowed-countries', 'us,de', '--require-database'],
    true,
    'as `start` takes them',
  ],
  [[...token, '--allowed-countries', 'US,Germany'], false, '--allowed-countries: expected two letters each'],
  [['--admin-token', 'short'], false, 'expected 20 or more'],
  [[], false, '--secret (or TRIBUTARY_SECRET) is required'],
  [[...token, '--smtp-url', 'smtp://127.0.0.1:9'], false, '--mail-from is required'],
  [[...token, '--prefix', 'api'], false, '--prefix'],
  [[...token, '--origins', 'nowhere'], false, '--origins'],
  [[...token, '--queue', 'nowhere'], false, '--queue'],
  [[...token, '--blobs', 'nowhere'], false, '--blobs'],
  [[...token, '--gravity-url', 'nowhere'], false, '--gravity-url'],
  [[...token, '--telemetry-url', 'nowhere'], false, '--telemetry-url'],
])('doctor checks the flags of start: %j', async (flags, ok, found) => {
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

test('doctor names operators whose passkeys belong to a different domain than the base URL', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-doctor-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const database = join(folder, 'test.db')
  await createMigratedFile(database)
  const findPasskeys = async (baseUrl: string) => {
    const { out } = await runCommand(doctorCommand, ['--database', database, '--base-url', baseUrl, '--json'])
    return (JSON.parse(out) as { checks: { check: string }[] }).checks.find(({ check }) => check === 'passkeys')
  }
  expect(await findPasskeys('https://new.example')).toBeUndefined()
  const client = createClient({ url: `file:${database}` })
  await client.execute(`insert into operator_passkeys
    (id, operator, credential_id, public_key, counter, transports, rp_id, label, created_at)
    values ('1', 'jane', 'c', 'k', 0, '[]', 'old.example', 'Key', 1)`)
  client.close()
  expect(await findPasskeys('https://old.example')).toEqual({ check: 'passkeys', ok: true, found: '1 registered' })
  expect(await findPasskeys('https://new.example')).toEqual({
    check: 'passkeys',
    ok: false,
    found: 'those of jane belong to old.example, not new.example: remove them at /admin/keys as another operator',
  })
})

test('doctor warns about a country header without a trusted proxy', async () => {
  const warned = await findCountryHeader('--country-header', 'x-country')
  expect(warned).toMatchObject({ ok: true, warning: true })
  expect(warned!.found).toContain('--trusted-proxies')
  const trusted = await findCountryHeader('--country-header', 'x-country', '--trusted-proxies', '1')
  expect([trusted!.ok, trusted!.warning]).toEqual([true, undefined])
  expect(await findCountryHeader()).toBeUndefined()
})

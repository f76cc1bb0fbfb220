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

test('doctor warns about a country header without a trusted proxy', async () => {
  const warned = await findCountryHeader('--country-header', 'x-country')
  expect(warned).toMatchObject({ ok: true, warning: true })
  expect(warned!.found).toContain('--trusted-proxies')
  const trusted = await findCountryHeader('--country-header', 'x-country', '--trusted-proxies', '1')
  expect([trusted!.ok, trusted!.warning]).toEqual([true, undefined])
  expect(await findCountryHeader()).toBeUndefined()
})

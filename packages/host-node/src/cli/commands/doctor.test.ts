import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { doctorCommand } from './doctor.ts'

async function found(
  ...flags: string[]
): Promise<{ check: string; ok: boolean; warning?: true; found: string } | undefined> {
  let text = ''
  await doctorCommand.run(['--database', join(tmpdir(), 'tributary-doctor-none.db'), '--json', ...flags], {
    env: {},
    out: (more) => void (text += more),
    err: () => undefined,
  })
  return (JSON.parse(text) as { checks: { check: string; ok: boolean; found: string }[] }).checks.find(
    ({ check }) => check === 'country header',
  )
}

test('doctor warns of a country header that is believed without a trusted proxy', async () => {
  const warned = await found('--country-header', 'x-country')
  expect(warned).toMatchObject({ ok: true, warning: true })
  expect(warned!.found).toContain('--trusted-proxies')
  const trusted = await found('--country-header', 'x-country', '--trusted-proxies', '1')
  expect([trusted!.ok, trusted!.warning]).toEqual([true, undefined])
  expect(await found()).toBeUndefined()
})

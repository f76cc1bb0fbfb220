import { expect, test } from 'vitest'
import { countryFrom } from './country.ts'

const createRequest = (headers: Record<string, string> = {}) => ({ headers, address: '192.0.2.1' })

test('countryFrom reads the configured header as core does: two upper-case letters', async () => {
  const country = await countryFrom({ header: 'CF-IPCountry', fixed: 'NZ' })
  expect(country(createRequest({ 'cf-ipcountry': 'US' }))).toBe('US')
  for (const value of ['us', 'USA', ' US', 'XX', 'T1', ''])
    expect(country(createRequest({ 'cf-ipcountry': value })), value).toBeNull()
})

test('countryFrom returns the fixed country without the header', async () => {
  expect((await countryFrom({ header: 'cf-ipcountry', fixed: 'nz' }))(createRequest())).toBe('NZ')
  for (const fixed of [undefined, 'none', 'XX'])
    expect((await countryFrom({ fixed }))(createRequest({ 'cf-ipcountry': 'US' }))).toBeNull()
})

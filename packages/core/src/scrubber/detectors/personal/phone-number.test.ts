import metadata from 'libphonenumber-js/metadata.min.json' with { type: 'json' }
import { getExampleNumber, isPossiblePhoneNumber } from 'libphonenumber-js'
import examples from 'libphonenumber-js/examples.mobile.json' with { type: 'json' }
import { expect, test } from 'vitest'
import { isInternational } from './phone-number.ts'

const countries = Object.keys(metadata.countries) as Parameters<typeof getExampleNumber>[0][]

test('isInternational accepts every example number of libphonenumber-js', () => {
  const missing = countries.filter((country) => {
    const digits = getExampleNumber(country, examples)?.number.slice(1)
    return digits !== undefined && digits.length >= 8 && !isInternational(digits)
  })
  expect(missing).toEqual([])
})

test('isInternational rejects numbers that libphonenumber-js rejects for every country', () => {
  for (const digits of ['9991234567', '2101234567', '1123', '33123', '4412345', '120345678901']) {
    expect(isPossiblePhoneNumber(`+${digits}`), digits).toBe(false)
    expect(isInternational(digits), digits).toBe(false)
  }
})

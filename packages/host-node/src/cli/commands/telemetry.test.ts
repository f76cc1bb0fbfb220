import { expect, test } from 'vitest'
import { readFlags, UsageError } from '../flags.ts'
import { contactFlag, contactOf, sinkFlags, sinkOf } from './telemetry.ts'

const sink = (...argv: string[]) => sinkOf(readFlags(sinkFlags, argv, {}))
const contact = (...argv: string[]) => contactOf(readFlags(contactFlag, argv, {}))

test('without an address there is no collector; with one its headers go along', () => {
  expect(sink()).toBeUndefined()
  expect(sink('--telemetry-url', 'https://otel.example.com/v1/logs')).toEqual({
    url: 'https://otel.example.com/v1/logs',
    headers: {},
  })
  expect(
    sink('--telemetry-url', 'http://127.0.0.1:4318/v1/logs', '--telemetry-headers', 'X-Key=a=b, x-team=c'),
  ).toEqual({ url: 'http://127.0.0.1:4318/v1/logs', headers: { 'x-key': 'a=b', 'x-team': 'c' } })
})

test("what cannot work is said, and a header's value is not", () => {
  for (const url of ['otel', 'file:///tmp/a']) expect(() => sink('--telemetry-url', url)).toThrow(UsageError)
  expect(() => sink('--telemetry-url', 'https://a.example', '--telemetry-headers', 'hush')).toThrow(/name=value/)
  expect(() => sink('--telemetry-url', 'https://a.example', '--telemetry-headers', 'hush')).not.toThrow(/hush/)
})

test('a contact is an address', () => {
  expect(contact()).toEqual({})
  expect(contact('--contact-email', 'team@example.com')).toEqual({ contactEmail: 'team@example.com' })
  expect(() => contact('--contact-email', 'team')).toThrow(UsageError)
})

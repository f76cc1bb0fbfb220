import { expect, test } from 'vitest'
import { serviceOptions } from '@tributary/core/host'
import { parseFlags } from './flag.fixture.ts'
import { readOptions, UsageError } from './flag.ts'
import { contactFlags, parseTelemetry, telemetryFlags } from './telemetry.ts'

const parseTelemetryFlags = (...argv: string[]) => parseTelemetry(parseFlags(telemetryFlags, argv))
const parseContactFlags = (...argv: string[]) => readOptions(serviceOptions, parseFlags(contactFlags, argv))

test('parseTelemetry returns the URL and headers, or undefined without a URL', () => {
  expect(parseTelemetryFlags()).toBeUndefined()
  expect(parseTelemetryFlags('--telemetry-url', 'https://otel.example.com/v1/logs')).toEqual({
    url: 'https://otel.example.com/v1/logs',
    headers: {},
  })
  expect(
    parseTelemetryFlags(
      '--telemetry-url',
      'http://127.0.0.1:4318/v1/logs',
      '--telemetry-headers',
      'X-Key=a=b, x-team=c',
    ),
  ).toEqual({ url: 'http://127.0.0.1:4318/v1/logs', headers: { 'x-key': 'a=b', 'x-team': 'c' } })
})

test('parseTelemetry throws UsageError for a header without a value', () => {
  for (const url of ['otel', 'file:///tmp/a'])
    expect(() => parseTelemetryFlags('--telemetry-url', url)).toThrow(UsageError)
  expect(() => parseTelemetryFlags('--telemetry-url', 'https://a.example', '--telemetry-headers', 'hush')).toThrow(
    /name=value/,
  )
  expect(() => parseTelemetryFlags('--telemetry-url', 'https://a.example', '--telemetry-headers', 'hush')).not.toThrow(
    /hush/,
  )
})

test('readOptions accepts only an e-mail address for --contact-email', () => {
  expect(parseContactFlags()).toEqual({ reportEvidence: 100 })
  expect(parseContactFlags('--contact-email', 'team@example.com')).toEqual({
    contactEmail: 'team@example.com',
    reportEvidence: 100,
  })
  expect(() => parseContactFlags('--contact-email', 'team')).toThrow(UsageError)
})

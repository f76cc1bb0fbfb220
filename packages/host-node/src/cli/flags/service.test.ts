import { describe, expect, test } from 'vitest'
import { parseFlags } from './flag.fixture.ts'
import { UsageError } from './flag.ts'
import { parseWorkerMetrics, workerMetricsFlags } from './service.ts'

const parse = (...argv: string[]) => parseWorkerMetrics(parseFlags(workerMetricsFlags, argv))
const token = 'token-of-these-tests'

describe('parseWorkerMetrics', () => {
  test('returns null without a port; with a port, returns an address that only this machine can reach', () => {
    expect(parse()).toBeNull()
    expect(parse('--metrics-port', '9464')).toEqual({ port: 9464, hostname: '127.0.0.1' })
  })

  test('accepts an address that other machines can reach if a token is given', () => {
    const flags = ['--metrics-port', '9464', '--metrics-host', '0.0.0.0', '--metrics-token', token]
    expect(parse(...flags)).toEqual({ port: 9464, hostname: '0.0.0.0', token })
  })

  test('throws UsageError for an address that other machines can reach without a token, and for a short token', () => {
    expect(() => parse('--metrics-port', '9464', '--metrics-host', '0.0.0.0')).toThrow(UsageError)
    expect(() => parse('--metrics-port', '9464', '--metrics-token', 'short')).toThrow('16 characters')
  })
})

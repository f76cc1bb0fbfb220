import { describe, expect, test } from 'vitest'
import { parseFlags } from './flag.fixture.ts'
import { UsageError } from './flag.ts'
import { limitFlags, parseLimits, toBodyDeadlines } from './limits.ts'

const ingestLimit = 64 * 1024 * 1024
const read = (argv: readonly string[], env: Record<string, string> = {}) => ({
  ...parseFlags(limitFlags, argv, env),
  'ingest-limit': ingestLimit,
})

describe('parseLimits', () => {
  test('returns the defaults without flags', () => {
    expect(parseLimits(read([]))).toEqual({
      rates: {
        telemetry_bytes: { limit: 5_242_880, windowMs: 86_400_000 },
        report_bytes: { limit: 2_097_152, windowMs: 86_400_000 },
      },
      quotas: {},
    })
    expect(toBodyDeadlines(read([]))).toEqual({ bodyTimeoutMs: 10_000, bodyMaxMs: 300_000, bodyBytesPerSecond: 16_384 })
  })

  test('returns the values of flags and variables', () => {
    const flags = read(
      [
        '--waiting-upload-bytes',
        '100000000',
        '--process-body-bytes',
        '900000000',
        '--telemetry-bytes',
        '7',
        '--body-max-seconds',
        '60',
      ],
      { TRIBUTARY_PERSON_BODY_BYTES: '80000000', TRIBUTARY_REPORT_BYTES: '8' },
    )
    expect(parseLimits(flags)).toMatchObject({
      rates: { telemetry_bytes: { limit: 7 }, report_bytes: { limit: 8 } },
      quotas: { waitingUploadBytes: 100_000_000, personBodyBytes: 80_000_000, processBodyBytes: 900_000_000 },
    })
    expect(toBodyDeadlines(flags).bodyMaxMs).toBe(60_000)
  })

  test('turns the limits off with --rate-limits off', () => {
    expect(parseLimits(read(['--rate-limits', 'off', '--telemetry-bytes', '7']))).toEqual({ rates: 'off' })
  })

  test.each(['waiting-upload-bytes', 'person-body-bytes', 'process-body-bytes'])(
    'throws for a --%s that is smaller than a batch of --ingest-limit',
    (flag) => {
      expect(() => parseLimits(read([`--${flag}`, '1000']))).toThrow(UsageError)
      expect(() => parseLimits(read([`--${flag}`, '1000']))).toThrow(`--${flag}: expected `)
    },
  )
})

import { describe, expect, test } from 'vitest'
import { readFlags, UsageError } from '../flags.ts'
import { limitFlags, limitsOf, bodyDeadlinesOf } from './limits.ts'

const ingestLimit = 64 * 1024 * 1024
const read = (argv: readonly string[], env: Record<string, string> = {}) => ({
  ...readFlags(limitFlags, argv, env),
  'ingest-limit': ingestLimit,
})

describe('limitsOf', () => {
  test('returns the presets without flags', () => {
    expect(limitsOf(read([]))).toEqual({
      rates: {
        telemetry_bytes: { limit: 5_242_880, windowMs: 86_400_000 },
        report_bytes: { limit: 2_097_152, windowMs: 86_400_000 },
      },
      quotas: {},
    })
    expect(bodyDeadlinesOf(read([]))).toEqual({ bodyTimeoutMs: 10_000, bodyMaxMs: 300_000, bodyBytesPerSecond: 16_384 })
  })

  test('returns what flags and variables say', () => {
    const given = read(
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
    expect(limitsOf(given)).toMatchObject({
      rates: { telemetry_bytes: { limit: 7 }, report_bytes: { limit: 8 } },
      quotas: { waitingUploadBytes: 100_000_000, personBodyBytes: 80_000_000, processBodyBytes: 900_000_000 },
    })
    expect(bodyDeadlinesOf(given).bodyMaxMs).toBe(60_000)
  })

  test('turns everything off with --rate-limits off', () => {
    expect(limitsOf(read(['--rate-limits', 'off', '--telemetry-bytes', '7']))).toEqual({ rates: 'off' })
  })

  test.each(['waiting-upload-bytes', 'person-body-bytes', 'process-body-bytes'])(
    'throws for a --%s in which no batch of --ingest-limit has room',
    (flag) => {
      expect(() => limitsOf(read([`--${flag}`, '1000']))).toThrow(UsageError)
      expect(() => limitsOf(read([`--${flag}`, '1000']))).toThrow(`--${flag} is `)
    },
  )
})

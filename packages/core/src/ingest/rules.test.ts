import { describe, expect, test } from 'vitest'
import {
  defaultIngestLimit,
  failedKeptMs,
  jobMs,
  leaseMs,
  orphanMs,
  partKey,
  putKey,
  renewMs,
  sweepMs,
  uploadMs,
  uploadPrefix,
} from './rules.ts'

test('uploads, leases and failed jobs keep to the documented times and sizes', () => {
  expect({ defaultIngestLimit, leaseMs, renewMs, failedKeptMs, orphanMs, uploadMs, sweepMs }).toEqual({
    defaultIngestLimit: 67_108_864,
    leaseMs: 30_000,
    renewMs: 10_000,
    failedKeptMs: 86_400_000,
    orphanMs: 7_200_000,
    uploadMs: 3_600_000,
    sweepMs: 600_000,
  })
})

describe('jobMs', () => {
  test('is a year by default, and 30 days at least', () => {
    expect([jobMs(), jobMs(30)]).toEqual([31_536_000_000, 2_592_000_000])
  })

  test.each([29, 0, -1, 30.5, Number.NaN, Infinity])('refuses %d days', (days) => {
    expect(() => jobMs(days)).toThrow('jobDays must be a whole number, 30 or more')
  })
})

test('the keys of a waiting upload begin with its prefix, and differ from an upload by address', () => {
  expect(partKey('j', 2)).toBe(`${uploadPrefix('j')}/2`)
  expect([uploadPrefix('j'), putKey('j')]).toEqual(['upload/j', 'put/j'])
})

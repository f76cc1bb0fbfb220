import { readFileSync } from 'node:fs'
import { createTestStores } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { exportMs } from '../../../core/src/contributors/account/rules.ts'
import { serveRetentionMs } from '../../../core/src/ads/rules.ts'
import { resolveOptions } from '../../../core/src/service/resolve-options.ts'
import { idempotencyKeyMs } from '../../../core/src/http/idempotency.ts'
import { failedKeptMs } from '../../../core/src/ingest/rules.ts'
import { retentionMs } from '../../../core/src/outbox/rules.ts'
import { expiredAuthorizationMs, guessWindowMs } from '../../../core/src/auth/store.ts'
import { serviceFlags } from '../cli/flags/service.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour
const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const table = readme.slice(readme.indexOf('| kept | for |')).split('\n\n')[0]!.split('\n').slice(2)
const kit = resolveOptions({ stores: createTestStores(), baseUrl: 'https://tributary.example' })
const formatMinimum = (flag: 'job-days' | 'audit-days'): string => `${serviceFlags[flag].min} or more`

/**
 * The rows of the table that contain a number, by the beginning of the row, with the numbers that each row must
 * contain.
 */
const expected: Record<string, string[]> = {
  'raw uploads': [`${failedKeptMs / hour} hours`],
  'jobs': [`${kit.jobMs / day} days`, formatMinimum('job-days')],
  'feedback of the command line': [`${kit.feedbackMs / day} days`],
  'telemetry': [`${kit.telemetryMs / day} days`],
  "agents' reports": [`${kit.reportDays} days`, `${kit.reportEvidence} pieces`],
  'the audit': [`${kit.auditMs / day} days`, formatMinimum('audit-days')],
  'mails and other messages': [`${retentionMs / day} days`],
  'idempotency keys': [`${idempotencyKeyMs / day} days`],
  'sign-in codes': [`${guessWindowMs / hour} hours`],
  'device codes': [`${expiredAuthorizationMs / hour} hours`],
  'sponsored lines': [`${serveRetentionMs / day} days`],
  'prepared account exports': [`${exportMs / hour} hour`],
}

test('every number in the retention table of the README is the default of its option', () => {
  const numbers = table
    .map((row) => row.slice(2).split(' | ') as [kept: string, time: string])
    .filter(([, time]) => /\d/.test(time))
  expect(numbers.map(([kept]) => Object.keys(expected).find((start) => kept.startsWith(start)) ?? kept)).toEqual(
    Object.keys(expected),
  )
  for (const [at, [, time]] of numbers.entries()) {
    expect(time.match(/\d+ (?:(?:day|hour|piece)s?\b|or more)/g)).toEqual(Object.values(expected)[at])
  }
})

test('the defaults of the retention flags equal the defaults of the service', () => {
  const flags = (['telemetry', 'feedback', 'job', 'report', 'audit'] as const).map(
    (name) => serviceFlags[`${name}-days`].default * day,
  )
  expect(flags).toEqual([kit.telemetryMs, kit.feedbackMs, kit.jobMs, kit.reportDays * day, kit.auditMs])
  for (const name of ['telemetry', 'feedback', 'job', 'report', 'audit'])
    expect(table.join('\n')).toContain(`\`--${name}-days\``)
})

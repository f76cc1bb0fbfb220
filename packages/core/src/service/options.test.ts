import { createTestStores } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { createService } from './create.ts'
import type { ServiceOptions } from './options.ts'
import { resolveOptions } from './resolve-options.ts'
import type { StartWorkerOptions } from './polling.ts'
import { createWorker } from './worker.ts'

const create = (options: object) => () =>
  createService({ baseUrl: 'http://127.0.0.1', stores: createTestStores(), ...options } as ServiceOptions)

test('createWorker refuses an unknown option', () => {
  const options = {
    baseUrl: 'http://127.0.0.1',
    stores: createTestStores(),
    adminToKen: 'x',
  } as unknown as ServiceOptions
  expect(() => createWorker(options)).toThrow("unknown option 'adminToKen'; did you mean adminToken?")
})

test('startWorker refuses an unknown option', () => {
  const options = { pollMS: 5_000 } as StartWorkerOptions
  const message = "unknown option 'pollMS'; did you mean pollMs?"
  expect(() => create({})().startWorker(options)).toThrow(message)
})

describe('createService', () => {
  test.each([
    [{ baseUrl: 'x' }, 'baseUrl must be a URL with http or https, such as https://api.example.com, not x'],
    [{ baseUrl: 'ftp://a.example' }, 'baseUrl must be a URL with http or https'],
    [{ baseUrl: undefined }, 'baseUrl must be a URL'],
    [
      { baseUrl: 'https://a.example/?page=1' },
      'baseUrl must be a URL without a query or fragment, not https://a.example/?page=1',
    ],
    [{ baseUrl: 'https://a.example/#top' }, 'baseUrl must be a URL without a query or fragment'],
    [{ signInUrl: '/login' }, 'signInUrl must be a URL with http or https, such as https://example.com/login'],
    [{ origins: ['a.example'] }, 'origins must be such as https://app.example.com, not a.example'],
    [
      { origins: ['https://a.example/path'] },
      'origins must be such as https://app.example.com, not https://a.example/',
    ],
    [{ stores: undefined }, 'stores must be libsqlStores(client), postgresStores(db) or your own stores'],
    [{ stores: {} }, 'stores must be libsqlStores(client), postgresStores(db) or your own stores, not {}'],
    [{ termsVersion: '' }, 'termsVersion must be 1 to 50 characters'],
    [{ trustedProxies: -1 }, 'trustedProxies must be a whole number, 0 or more, not -1'],
    [{ approval: 'auto' }, 'approval must be manual or automatic, not auto'],
    [{ allowedCountries: ['Germany'] }, "allowedCountries must be ISO 3166 codes such as 'US', not Germany"],
    [{ singInUrl: 'https://example.com/login' }, "unknown option 'singInUrl'; did you mean signInUrl?"],
    [{ colour: '#123456' }, "unknown option 'colour'; the options are revenueShare, adShare, "],
    [{ rates: { uploads: 'off' } }, "unknown option 'rates.uploads'; the options are person, ingest, "],
    [{ capabilities: { add: false } }, "unknown option 'capabilities.add'; did you mean capabilities.ads?"],
    [{ brand: { name: 'Acme', logoURI: '/a.svg' } }, "unknown option 'brand.logoURI'; did you mean brand.logoUrl?"],
    [{ quotas: { bodyBytes: 1 } }, "unknown option 'quotas.bodyBytes'; the options are waitingUploadBytes, "],
    [{ webhooks: { allowPrivateAddress: true } }, 'did you mean webhooks.allowPrivateAddresses?'],
    [{ ads: { promotions: {} } }, "unknown option 'ads.promotions'; did you mean ads.promotion?"],
    [
      { ads: { promotion: { title: 'a', link: 'b' } } },
      "unknown option 'ads.promotion.link'; the options are text, url, ",
    ],
    [
      { ads: { caps: { devicePerWeek: 1 } } },
      "unknown option 'ads.caps.devicePerWeek'; did you mean ads.caps.devicePer",
    ],
    [{ capabilities: { ads: 'no' } }, 'capabilities.ads must be true or false, not no'],
    [{ webhooks: { fetch: 'x' } }, 'webhooks.fetch must be a function, not x'],
    [{ contactEmail: 'nobody' }, 'contactEmail must be an e-mail address, not nobody'],
    [{ clientCommand: 'a\nb' }, 'clientCommand must be 1 to 80 characters in one line, not a\nb'],
    [{ clientCommand: ' ' }, 'clientCommand must be 1 to 80 characters in one line, not  '],
    [{ clientUrl: 'http://x.example' }, 'clientUrl must be a URL with https, not http://x.example'],
    [{ identity: 'x' }, 'identity must be a function, not x'],
    [{ revenueShare: 1.01 }, 'revenueShare must be a number from 0 to 1, not 1.01'],
    [{ adShare: -0.1 }, 'adShare must be a number from 0 to 1, not -0.1'],
    [{ adShare: Number.NaN }, 'adShare must be a number from 0 to 1, not NaN'],
    [{ settleDays: 1.5 }, 'settleDays must be a whole number from 0 to 365, not 1.5'],
    [{ settleDays: 366 }, 'settleDays must be a whole number from 0 to 365, not 366'],
    [{ minPayoutUsd: 1_000_001 }, 'minPayoutUsd must be a number from 0 to 1000000, not 1000001'],
    [{ usdPerMillionTokens: -1 }, 'usdPerMillionTokens must be a number, 0 or more, not -1'],
    [{ telemetryDays: 0 }, 'telemetryDays must be a whole number, 1 or more, not 0'],
    [{ feedbackDays: 1.5 }, 'feedbackDays must be a whole number, 1 or more, not 1.5'],
    [{ jobDays: 29 }, 'jobDays must be a whole number, 30 or more, not 29'],
    [{ jobDays: Infinity }, 'jobDays must be a whole number, 30 or more, not Infinity'],
    [{ reportDays: 29 }, 'reportDays must be a whole number, 30 or more, not 29'],
    [{ reportEvidence: -1 }, 'reportEvidence must be a whole number, 0 or more, not -1'],
    [{ auditDays: 89 }, 'auditDays must be a whole number, 90 or more, not 89'],
    [{ blobs: {} }, 'blobs needs a method put'],
    [{ mailer: {} }, 'mailer needs a method send'],
  ])('throws for %j', (options, message) => {
    expect(create(options)).toThrow(message)
  })

  test('accepts every option with a value that works', () => {
    expect(
      create({
        baseUrl: 'https://example.com/tributary/',
        signInUrl: 'https://example.com/login?from=tributary',
        origins: ['https://app.example.com', 'http://localhost:3000'],
        termsVersion: '2026-11',
        webhooks: { fetch: globalThis.fetch },
        trustedProxies: 2,
        approval: 'automatic',
        allowedCountries: ['DE', 'US'],
        rates: { ingest: 'off' },
        capabilities: { ads: false },
        contactEmail: 'team@example.com',
        identity: () => null,
        mailer: { send: async () => undefined },
      }),
    ).not.toThrow()
  })
})

test('resolveOptions fills in the defaults in the units that capabilities use', () => {
  const day = 86_400_000
  const resolve = (options: Partial<ServiceOptions>) =>
    resolveOptions({ baseUrl: 'http://127.0.0.1', stores: createTestStores(), ...options })
  expect(resolve({})).toMatchObject({
    revenueShare: 0.8,
    adShare: 0.5,
    settleMs: 14 * day,
    minPayoutMicros: 25_000_000,
    telemetryMs: 90 * day,
    feedbackMs: 365 * day,
    jobMs: 365 * day,
    reportDays: 365,
    reportEvidence: 100,
    auditMs: 730 * day,
    mailer: null,
    capabilities: { ads: true, reports: true, telemetry: true, mcp: true },
    webhooks: { allowPrivateAddresses: false },
  })
  expect(
    resolve({ revenueShare: 0, settleDays: 365, minPayoutUsd: 0, jobDays: 30, capabilities: { ads: false } }),
  ).toMatchObject({
    revenueShare: 0,
    settleMs: 365 * day,
    minPayoutMicros: 0,
    jobMs: 30 * day,
    capabilities: { ads: false, reports: true },
  })
})

import { describe, expect, test } from 'vitest'
import { memoryStores } from '../stores/memory/index.ts'
import { createService } from './create.ts'
import type { ServiceOptions } from './options.ts'

const create = (options: object) => () =>
  createService({ baseUrl: 'http://127.0.0.1', stores: memoryStores(), ...options } as ServiceOptions)

describe('createService', () => {
  test.each([
    [{ baseUrl: 'x' }, 'baseUrl must be an address with http or https, such as https://api.example.com, not x'],
    [{ baseUrl: 'ftp://a.example' }, 'baseUrl must be an address with http or https'],
    [{ baseUrl: undefined }, 'baseUrl must be an address'],
    [
      { baseUrl: 'https://a.example/?page=1' },
      'baseUrl must be an address without a query or fragment, not https://a.example/?page=1',
    ],
    [{ baseUrl: 'https://a.example/#top' }, 'baseUrl must be an address without a query or fragment'],
    [{ signInUrl: '/login' }, 'signInUrl must be an address with http or https, such as https://example.com/login'],
    [{ origins: ['a.example'] }, 'origins must be such as https://app.example.com, not a.example'],
    [
      { origins: ['https://a.example/path'] },
      'origins must be such as https://app.example.com, not https://a.example/',
    ],
    [{ stores: undefined }, 'stores must be memoryStores(), libsqlStores(client) or stores of your own'],
    [{ stores: {} }, 'stores must be memoryStores(), libsqlStores(client) or stores of your own, not {}'],
    [{ termsVersion: '' }, 'termsVersion must be 1 to 50 characters'],
    [{ trustedProxies: -1 }, 'trustedProxies must be a whole number, 0 or more, not -1'],
    [{ approval: 'auto' }, 'approval must be manual or automatic, not auto'],
    [{ allowedCountries: ['Germany'] }, "allowedCountries must be ISO 3166 codes such as 'US', not Germany"],
    [{ rates: { uploads: 'off' } }, 'rates must be of person, ingest, '],
    [{ capabilities: { add: false } }, 'capabilities must be of ads, reports, telemetry, not add'],
    [{ capabilities: { ads: 'no' } }, 'capabilities.ads must be true or false, not no'],
    [{ webhooks: { fetch: 'x' } }, 'webhooks.fetch must be a function, not x'],
    [{ contactEmail: 'nobody' }, 'contactEmail must be an e-mail address, not nobody'],
    [{ identity: 'x' }, 'identity must be a function, not x'],
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

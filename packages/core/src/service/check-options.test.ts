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
    [{ stores: undefined }, 'stores must be memoryStores(), libsqlStores(client) or stores of your own'],
    [{ trustedProxies: -1 }, 'trustedProxies must be a whole number, 0 or more, not -1'],
    [{ approval: 'auto' }, 'approval must be manual or automatic, not auto'],
    [{ allowedCountries: ['Germany'] }, "allowedCountries must be ISO 3166 codes such as 'US', not Germany"],
    [{ rates: { uploads: 'off' } }, 'rates must be of person, ingest, '],
    [{ capabilities: { add: false } }, 'capabilities must be of ads, reports, telemetry, not add'],
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

import { describe, expect, test } from 'vitest'
import { knownIdentity } from './identity.ts'

describe('knownIdentity', () => {
  test('returns each value of account, contact and application once', () => {
    expect(
      knownIdentity({
        accountEmail: 'jane@thornfield.ai',
        contact: { name: 'Jane Eyre', email: 'jane@thornfield.ai', phone: '+44 20 7946 0000' },
        application: {
          companyName: 'Thornfield Ltd.',
          website: 'https://www.thornfield.ai/team',
          directoryUrl: 'https://github.com/thornfield',
          email: 'hello@thornfield.ai',
        },
      }),
    ).toEqual({
      names: ['Jane Eyre'],
      emails: ['jane@thornfield.ai', 'hello@thornfield.ai'],
      phones: ['+44 20 7946 0000'],
      organizations: ['Thornfield Ltd.'],
      hosts: ['thornfield.ai'],
    })
  })

  test('returns nothing for a user without stored identity', () => {
    expect(Object.values(knownIdentity({ accountEmail: null, contact: null, application: null })).flat()).toEqual([])
  })
})

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
      organizations: ['Thornfield Ltd.', 'thornfield'],
      hosts: ['thornfield.ai'],
    })
  })

  test.each([
    ['https://github.com/thornfield-labs', 'thornfield-labs'],
    ['https://www.github.com/thornfield-labs/', 'thornfield-labs'],
    ['https://github.com/thornfield-labs/tps?tab=readme', 'thornfield-labs'],
    ['https://github.com/orgs/thornfield-labs/people', 'thornfield-labs'],
    ['https://gitlab.com/thornfield.labs', 'thornfield.labs'],
    ['https://gitlab.com/groups/thornfield-labs/-/issues', 'thornfield-labs'],
    ['https://bitbucket.org/thornfield_labs/tps', 'thornfield_labs'],
    ['https://codeberg.org/thornfield-labs', 'thornfield-labs'],
    ['https://codeberg.org/org/thornfield-labs/members', 'thornfield-labs'],
    ['https://github.com', null],
    ['https://github.com/about', null],
    ['https://github.com/orgs', null],
    ['https://github.com/features/actions', null],
    ['https://github.com/marketplace/thornfield', null],
    ['https://github.com/topics/thornfield', null],
    ['https://linkedin.com/company/thornfield-labs', null],
  ])('returns the organization of %s on a forge: %s', (url, name) => {
    const application = { companyName: 'Thornfield', email: 'hello@thornfield.example' }
    for (const [website, directoryUrl] of [
      [url, null],
      ['https://thornfield.example', url],
    ] as const) {
      const known = knownIdentity({
        accountEmail: null,
        contact: null,
        application: { ...application, website, directoryUrl },
      })
      expect(known.organizations).toEqual(name === null ? ['Thornfield'] : ['Thornfield', name])
      expect(known.hosts).toEqual(directoryUrl === null ? [] : ['thornfield.example'])
    }
  })

  test('returns nothing for a user without stored identity', () => {
    expect(Object.values(knownIdentity({ accountEmail: null, contact: null, application: null })).flat()).toEqual([])
  })
})

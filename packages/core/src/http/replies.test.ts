import { describe, expect, test } from 'vitest'
import { standardHeaders } from './replies.ts'

describe('standardHeaders', () => {
  const read = (options: Parameters<typeof standardHeaders>[1]) => Object.fromEntries(standardHeaders('id', options))

  test('keep pages of other origins from loading a reply, unless it is embeddable', () => {
    expect(read({ secure: false })).toEqual({
      'x-request-id': 'id',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(read({ secure: false, embeddable: true })['cross-origin-resource-policy']).toBe('cross-origin')
  })

  test('ask browsers to stay on https for a year where the service is reached over it', () => {
    expect(read({ secure: true })['strict-transport-security']).toBe('max-age=31536000')
  })
})

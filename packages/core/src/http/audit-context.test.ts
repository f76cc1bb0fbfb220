import { seededRandom } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { auditContext } from './audit-context.ts'

test("auditContext adds an id and the time of the request to an operator's request", () => {
  const request = { actor: 'jane', requestId: 'r', address: '192.0.2.1', now: 1_700_000_000_000 }
  const { now, ...kept } = request
  expect(auditContext(request, seededRandom(1))).toEqual({
    ...kept,
    at: now,
    id: expect.stringMatching(/^018bcfe5-6800-7/),
  })
})

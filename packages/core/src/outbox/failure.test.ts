import { describe, expect, test } from 'vitest'
import { describeMailFailure, redactAddresses } from './failure.ts'

describe('mailFailure', () => {
  test.each([
    ['550 5.1.1 <jane.doe@example.com>: user unknown', '550 5.1.1 <[address]>: user unknown'],
    ['550 User jane.doe unknown', '550 User [address] unknown'],
    ['550 JANE.DOE: no such mailbox\r\n550 help@mail.example', '550 [address]: no such mailbox 550 [address]'],
    ['550 see https://mail.example/why?to=jane.doe%40example.com', '550 see https://mail.example/why?to=[address]'],
    ['550 "jane doe"@example.com is no mailbox', '550 [address] is no mailbox'],
    ['550 rcpt=jane.doe@example.com;', '550 rcpt=[address];'],
    ['connect ECONNREFUSED 127.0.0.1:25', 'connect ECONNREFUSED 127.0.0.1:25'],
  ])('describes %j as %j', (reply, description) => {
    expect(describeMailFailure(new Error(reply), 'jane.doe@example.com')).toBe(description)
  })

  test('cuts the reason at 300 characters', () => {
    expect(describeMailFailure('x'.repeat(400), 'a@b.example')).toBe('x'.repeat(300))
  })
})

describe('redactAddresses', () => {
  test('returns a text without addresses unchanged', () => {
    const text = 'the mail server refused RCPT TO: 550 5.1.1'
    expect(redactAddresses(text)).toBe(text)
  })
})

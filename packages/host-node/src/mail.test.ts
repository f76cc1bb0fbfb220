import { afterEach, beforeEach, expect, test } from 'vitest'
import { smtpMailer } from './mail.ts'
import { startSmtp, type Smtp } from './smtp.fixture.ts'

const letter = { to: 'desk@example.com', subject: 'Agent report: a b', text: '> .\n> Åse\n.\n' }
let smtp: Smtp
beforeEach(async () => {
  smtp = await startSmtp()
})
afterEach(() => smtp.close())
const send = (url = smtp.url): Promise<unknown> => smtpMailer(url, 'Tributary <hello@example.com>').send(letter).then(() => 'sent', (error: unknown) => error)

test('a mail arrives whole, as plain text, with one subject', async () => {
  expect(await send()).toBe('sent')
  const [{ to, data }] = smtp.mails as [{ to: string; data: string }]
  expect(to).toBe(letter.to)
  expect(data).toMatch(/^From: Tributary <hello@example\.com>/m)
  expect(data.match(/^Subject:.*/gm)).toEqual(['Subject: Agent report: a b'])
  expect(data).toMatch(/^Content-Type: text\/plain/m)
})

test('a server that refuses, or that is not there, has certainly not got it', async () => {
  smtp.manner = () => 'refuse'
  expect(await send()).toMatchObject({ responseCode: 550 })
  await smtp.close()
  const error = await send()
  expect(error).toBeInstanceOf(Error)
  expect(error).not.toHaveProperty('uncertain')
})

test('a server that hangs up once it has the text may have delivered it', async () => {
  smtp.manner = () => 'hang up'
  expect(await send()).toMatchObject({ uncertain: true })
  expect(smtp.mails).toHaveLength(1)
})

test('and so may one that falls silent', async () => {
  smtp.manner = () => 'silent'
  expect(await send(`${smtp.url}&socketTimeout=200`)).toMatchObject({ uncertain: true })
})

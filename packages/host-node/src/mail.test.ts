import { hostname } from 'node:os'
import { createTestStores, fixture } from '@tributary/test-kit'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { doctorCommand } from './cli/commands/doctor.ts'
import { runCommand } from './cli/program.fixture.ts'
import { smtpMailer, smtpServer } from './mail.ts'
import { startSmtp, type Smtp } from './smtp.fixture.ts'

const letter = { to: 'desk@example.com', subject: 'Agent report: a b', text: '> .\n> Åse\n.\n' }
let smtp: Smtp
beforeEach(async () => {
  smtp = await startSmtp()
})
afterEach(() => smtp.close())
const send = (url = smtp.url): Promise<unknown> =>
  smtpMailer(url, 'Tributary <hello@example.com>')
    .send(letter)
    .then(
      () => 'sent',
      (error: unknown) => error,
    )

test('send delivers a complete plain-text mail', async () => {
  expect(await send()).toBe('sent')
  const [{ to, data }] = smtp.mails as [{ to: string; data: string }]
  expect(to).toBe(letter.to)
  expect(data).toMatch(/^From: Tributary <hello@example\.com>/m)
  expect(data.match(/^Subject:.*/gm)).toEqual(['Subject: Agent report: a b'])
  expect(data).toMatch(/^Content-Type: text\/plain/m)
})

test('send throws an error that is not `uncertain` when the server rejects the mail or is unreachable', async () => {
  smtp.manner = () => 'refuse'
  expect(await send()).toMatchObject({ responseCode: 550 })
  await smtp.close()
  const error = await send()
  expect(error).toBeInstanceOf(Error)
  expect(error).not.toHaveProperty('uncertain')
})

test('send throws an uncertain error when the server closes the connection after it received the text', async () => {
  smtp.manner = () => 'hang up'
  expect(await send()).toMatchObject({ uncertain: true })
  expect(smtp.mails).toHaveLength(1)
})

test('send throws an uncertain error when the server stops answering after the text', async () => {
  smtp.manner = () => 'silent'
  expect(await send(`${smtp.url}&socketTimeout=200`)).toMatchObject({ uncertain: true })
})

describe('a server whose rejection contains the recipient', () => {
  const refusals: readonly ((to: string) => string)[] = [
    (to) => `550 5.1.1 <${to}>: Recipient address rejected: User unknown`,
    (to) => `550-5.7.1 ${to}\r\n550 5.7.1 ${to.split('@')[0]!} has left`,
    (to) => `450 4.2.0 ${to.toUpperCase()} greylisted`,
  ]

  test('the error contains only the command and the codes', async () => {
    smtp.manner = () => 'refuse'
    for (const [refusal, reply] of [
      [refusals[0]!, '550 5.1.1'],
      [refusals[1]!, '550 5.7.1'],
      [refusals[2]!, '450 4.2.0'],
    ] as const) {
      smtp.refusal = refusal
      const error = (await send()) as Error
      expect(error.message).toBe(`the mail server rejected RCPT TO: ${reply}`)
      expect(`${error.stack}${JSON.stringify(error)}`.toLowerCase()).not.toContain('desk')
    }
  })

  test('the logs of a sign-in code and of the outbox, and the stored error, contain no address', async () => {
    const lines: string[] = []
    const logger = pino({}, { write: (line: string) => void lines.push(line) })
    const stores = createTestStores()
    const errors: unknown[] = []
    const outbox = {
      ...stores.outbox,
      async retry(params: Parameters<typeof stores.outbox.retry>[0]) {
        errors.push(params)
        await stores.outbox.retry(params)
      },
    }
    const contactEmail = 'desk@example.com'
    const { ask, service } = fixture({
      stores: { ...stores, outbox },
      mailer: smtpMailer(smtp.url, 'hello@service.example'),
      logger,
      contactEmail,
    })
    smtp.manner = () => 'refuse'
    for (const refusal of refusals) {
      smtp.refusal = refusal
      expect((await ask('POST', '/api/auth/email', { json: { email: 'jane.doe@example.com' } })).status).toBe(200)
    }
    const report = {
      reporter: { agent_vendor: 'v', agent_product: 'p' },
      subject: { surface: 's' },
      content: { title: 't' },
    }
    expect((await ask('POST', '/api/v1/feedback', { json: report })).status).toBe(201)
    await service.work()
    expect(lines.filter((line) => line.includes('mail') && !line.includes('http.request'))).toHaveLength(4)
    expect(errors).toMatchObject([{ error: 'the mail server rejected RCPT TO: 450 4.2.0' }])
    for (const name of ['jane', 'doe', 'desk', '@'])
      expect([name, `${lines.join('')}${JSON.stringify(errors)}`.toLowerCase().includes(name)]).toEqual([name, false])
  })
})

describe('smtpServer', () => {
  test.each([
    ['smtp://mail.example.com', 'required'],
    ['SMTP://user:p@mail.example.com:587', 'required'],
    ['smtps://mail.example.com', 'required'],
    ['smtp://10.0.0.1', 'required'],
    ['smtp://[2001:db8::1]:25', 'required'],
    ['smtp://localhost.example.com', 'required'],
    ['smtp://127.0.0.1.example.com', 'required'],
    ['smtp://localhost:1025', 'if offered'],
    ['smtp://127.0.0.1', 'if offered'],
    ['smtp://[::1]:25', 'if offered'],
    ['smtp://127.0.0.1:1?ignoreTLS=true', 'if offered'],
    ['smtp+insecure://user:p@mail.example.com', 'no'],
  ])('returns the TLS requirement of %s: %s', (address, tls) => {
    expect(smtpServer(address).tls).toBe(tls)
  })

  test.each([
    'smtp://user:hunter2@mail.example.com?ignoreTLS=true',
    'smtp://user:hunter2@mail.example.com?requireTLS=false',
    'smtps://user:hunter2@mail.example.com?tls.rejectUnauthorized=false',
    'smtp://u:hunter2@h.example?secure=false',
    'http://u:hunter2@x.example',
    'hunter2',
  ])('throws for %s and does not repeat the URL', (address) => {
    let message = ''
    try {
      smtpServer(address)
    } catch (error) {
      message = (error as Error).message
    }
    expect([message !== '', message.includes('hunter2')]).toEqual([true, false])
  })
})

describe('a server on another machine without TLS', () => {
  // promise: mail-server-must-speak
  test('receives nothing over smtp:// and the mail over smtp+insecure://', async () => {
    const remote = await startSmtp(0, '0.0.0.0')
    try {
      const { port } = new URL(remote.url)
      const runDoctor = async (url: string): Promise<string> => {
        const { out } = await runCommand(doctorCommand, ['--json', '--database', './not-there.db', '--smtp-url', url])
        return JSON.parse(out).checks.find(({ check }: { check: string }) => check === 'mail').found
      }
      const refused = (await send(`smtp://${hostname()}:${port}`)) as Error
      expect([refused.message, remote.mails.length]).toEqual([expect.stringContaining('offers no TLS'), 0])
      expect([await send(`smtp+insecure://${hostname()}:${port}`), remote.mails.length]).toEqual(['sent', 1])
      expect(await runDoctor(`smtp://${hostname()}:${port}`)).toContain('offers no TLS')
      expect(await runDoctor(`smtp+insecure://${hostname()}:${port}`)).toContain('NO TLS')
      expect(await runDoctor(`smtp://127.0.0.1:${port}?ignoreTLS=true`)).toContain(
        'TLS is not required on this machine',
      )
    } finally {
      await remote.close()
    }
  })
})

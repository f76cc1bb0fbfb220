import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import type { LayoutPage, Page } from './page.ts'
import { createMailbox, smtpMailer } from '../mail.ts'
import { mailboxPages } from './mailbox.ts'

const makeRequest = (host: string, more: Record<string, string> = {}) => ({
  method: 'GET',
  path: '/dev/mail',
  query: [],
  headers: { host, ...more },
  address: '127.0.0.1',
  body: null,
})

const bodyOf = (page: unknown): string =>
  'html' in (page as object) ? (page as LayoutPage).html : String((page as Page).body)

test('the mailbox returns 404 under every host name that is not a loopback name', async () => {
  const box = createMailbox()
  await box.send({ to: 'a@x.example', subject: 's', text: 'code 123456' })
  for (const page of Object.values(mailboxPages(box))) {
    for (const host of ['localhost', 'LOCALHOST:1', 'app.localhost:8787', '127.0.0.1:8787', '127.1.2.3', '[::1]:8787'])
      expect(bodyOf(page(makeRequest(host)))).toContain('123456')
    for (const host of [
      'evil.example',
      'evil.example:8787',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '10.0.0.1',
      '',
    ]) {
      expect([host, page(makeRequest(host))]).toEqual([
        host,
        { status: 404, type: 'application/json', body: '{"ok":false,"error":"not_found"}' },
      ])
    }
  }
})

test('the mailbox returns 404 to another machine and through a proxy, with every host name', async () => {
  const box = createMailbox()
  await box.send({ to: 'a@x.example', subject: 's', text: 'code 123456' })
  for (const page of Object.values(mailboxPages(box))) {
    const proxied = [{ 'x-forwarded-for': '203.0.113.1' }, { forwarded: 'for=203.0.113.1' }, { via: '1.1 proxy' }]
    for (const more of proxied) expect(page(makeRequest('localhost', more))).toMatchObject({ status: 404 })
    expect(page({ ...makeRequest('localhost'), address: '203.0.113.1' })).toMatchObject({ status: 404 })
  }
})

test('the mailbox lists mails newest first and escapes them', async () => {
  let now = 0
  const box = createMailbox(() => (now += 1000))
  const pages = mailboxPages(box)
  expect(bodyOf(pages['/dev/mail']!(makeRequest('127.0.0.1:8787')))).toContain('No e-mails yet')
  await box.send({ to: 'a@x.example', subject: 'first', text: 'code 123456' })
  await box.send({
    to: 'b@x.example',
    subject: '<img src=x>',
    text: 'see http://127.0.0.1:8787/device?code=A&b="><script>',
  })
  expect(JSON.parse(bodyOf(pages['/dev/mail.json']!(makeRequest('localhost:8787'))))).toEqual([
    {
      to: 'b@x.example',
      subject: '<img src=x>',
      text: 'see http://127.0.0.1:8787/device?code=A&b="><script>',
      at: '1970-01-01T00:00:02.000Z',
    },
    { to: 'a@x.example', subject: 'first', text: 'code 123456', at: '1970-01-01T00:00:01.000Z' },
  ])
  const page = bodyOf(pages['/dev/mail']!(makeRequest('127.0.0.1:8787')))
  expect(page).not.toMatch(/<img src=x|<script/)
  expect(page).toContain('<a href="http://127.0.0.1:8787/device?code=A&amp;b=">')
})

test('the mailbox links back to the form for the code if the sign-in page opened it', () => {
  const readMailbox = (query: [string, string][]) =>
    bodyOf(mailboxPages(createMailbox(), '/t')['/dev/mail']!({ ...makeRequest('localhost'), query }))
  expect(readMailbox([['next', '/device?code=A']])).toMatch(
    /<a href="\/t\/sign-in\?step=code&amp;next=%2Fdevice%3Fcode%3DA">.*Back to the code/,
  )
  expect(readMailbox([])).not.toContain('step=code')
})

test('smtpMailer sends a mail over SMTP', async () => {
  const lines: string[] = []
  // The server implements the minimum of RFC 5321: it answers each command with the expected code.
  const server = createServer((socket) => {
    let data = false
    socket.write('220 test\r\n')
    socket.on('data', (chunk) => {
      for (const line of chunk.toString().split('\r\n').slice(0, -1)) {
        lines.push(line)
        if (data ? line !== '.' : false) continue
        if (data) data = false
        else if (line === 'DATA') data = true
        socket.write(line === 'DATA' ? '354 go\r\n' : line === 'QUIT' ? '221 bye\r\n' : '250 ok\r\n')
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const mailer = smtpMailer(
      `smtp://127.0.0.1:${(server.address() as AddressInfo).port}/?ignoreTLS=true`,
      'Tributary <from@x.example>',
    )
    await mailer.send({ to: 'to@x.example', subject: 'Your code', text: 'It is 123456.' })
  } finally {
    server.close()
  }
  expect(lines).toContain('MAIL FROM:<from@x.example>')
  expect(lines).toContain('RCPT TO:<to@x.example>')
  expect(lines).toContain('Subject: Your code')
  expect(lines).toContain('It is 123456.')
})

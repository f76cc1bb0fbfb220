import { createTestStores, fixture } from '@tributary/test-kit'
import { expect, test } from 'vitest'

const adminToken = 'operator-'.repeat(3)

test('GET /admin/feedback shows feedback escaped, in pages', async () => {
  const { ask, signIn, clock } = fixture({ stores: createTestStores(), adminToken })
  const { cookies } = await ask('POST', '/admin/sign-in', { form: { token: adminToken } })
  const [[name, value]] = Object.entries(cookies) as [[string, string]]
  const page = async (path: string) => (await ask('GET', path, { headers: { cookie: `${name}=${value}` } })).text
  expect(await page('/admin/feedback')).toContain('data-empty')
  for (let at = 0; at < 3; at++) {
    const { bearer } = await signIn(`person${at}@example.com`)
    for (let nth = 0; nth < 9; nth++) {
      const json = {
        message: `message ${at}-${nth}\n<script>alert(1)</script>`,
        cliVersion: '1.2.3',
        command: 'upload',
        ...(nth === 0 ? { email: 'answer@example.com' } : {}),
      }
      expect((await ask('POST', '/api/cli/feedback', { headers: bearer, json })).status).toBe(200)
      clock.advance(1000)
    }
  }
  const first = await page('/admin/feedback')
  expect(first).toContain('<bdi>message 2-8</bdi>')
  expect(first).toContain('&lt;script&gt;')
  expect(first).not.toContain('<script>alert')
  expect(first).toMatch(/Reply to <bdi[^>]*>answer@example\.com/)
  expect(first).not.toContain('message 0-0<')
  expect(first).toMatch(/>Open <span class="count">27</)
  expect(await page('/admin')).toContain('27 open feedback messages')
  const older = /href="([^"]+)" rel="next"/.exec(first)![1]!.replaceAll('&amp;', '&')
  expect(await page(older)).toContain('<bdi>message 0-0</bdi>')
  expect((await ask('GET', '/admin/feedback')).text).not.toContain('message 2-8')
})

test('GET /admin/feedback has a link for a reply to a message with an emoji where its subject ends', async () => {
  const { ask, signIn } = fixture({ stores: createTestStores(), adminToken })
  const { bearer } = await signIn('ann@example.com')
  const json = { message: `${'a'.repeat(59)}🦊`, command: 'upload', email: 'answer+me@example.com' }
  await ask('POST', '/api/cli/feedback', { headers: bearer, json })
  const { cookies } = await ask('POST', '/admin/sign-in', { form: { token: adminToken } })
  const [[name, value]] = Object.entries(cookies) as [[string, string]]
  const { status, text } = await ask('GET', '/admin/feedback', { headers: { cookie: `${name}=${value}` } })
  expect([status, /mailto:[^"]*/.exec(text)?.[0]]).toEqual([
    200,
    `mailto:answer%2Bme@example.com?subject=Re%3A%20${'a'.repeat(59)}%EF%BF%BD`,
  ])
})

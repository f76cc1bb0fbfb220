import { createTestStores, fixture, type Fixture, type Signed } from '@tributary/test-kit'
import { beforeAll, describe, expect, test } from 'vitest'
import { countryOptions, html } from './html.ts'
import { replaceMarks, writeMark } from './marks.ts'

// oxlint-disable-next-line no-control-regex -- the marks
const control = /[\u0000-\u0008\u000b-\u001f\u007f]/

describe('writeMark', () => {
  test('removes control characters from plain text, and keeps the marks of HTML', () => {
    expect(writeMark('a', 'x\u0001\u0002\u0003\u0000\u001b\u007fy')).toBe(writeMark('a', 'xy'))
    const inner = writeMark('b', 'z')
    const render = (kind: string, parts: readonly string[]): string => `${kind}(${parts.join('|')})`
    expect(replaceMarks(writeMark('a', { text: inner }, 'c'), render)).toBe('a(b(z)|c)')
  })

  test('writes marks that the value of a form cannot end', () => {
    const { text } = html`${countryOptions(['US'], '\u0003<script>\u0002')}`
    expect(replaceMarks(text, (_, parts) => JSON.stringify(parts))).toBe('["<script>","US"]')
  })
})

describe('every field of every form', () => {
  const adminToken = 'operator-of-the-test'
  const sent = 'a\u0001b\u0002c\u0003<b id="injected">'
  let made: Fixture
  let person: Signed
  let operator: Record<string, string>

  beforeAll(async () => {
    made = fixture({ stores: createTestStores(), adminToken, country: () => 'US' })
    person = await made.signIn()
    const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: adminToken } })
    const [[name = '', value = ''] = []] = Object.entries(cookies)
    operator = { cookie: `${name}=${value}` }
  })

  test(
    'accepts control characters and markup without a failure of the service, and does not show them',
    { tags: 'long' },
    async () => {
      const forms = (await made.service.routes()).filter(
        ({ route }) => route.form !== undefined && !/sign-out/.test(route.path),
      )
      expect(forms.length).toBeGreaterThan(30)
      for (const { route } of forms)
        for (const field of Object.keys(route.form!.shape)) {
          const headers = route.auth === 'admin-page' ? operator : person.cookie
          const { status, text } = await made.ask(route.method, route.path, { headers, form: { [field]: sent } })
          const where = `${route.path} ${field}`
          expect([where, status < 500, control.test(text), text.includes('<b id="injected">')]).toEqual([
            where,
            true,
            false,
            false,
          ])
        }
    },
  )
})

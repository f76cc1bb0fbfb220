import { createTestStores, fixture } from '@tributary/test-kit'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAuditor, type Auditor } from './audit.fixture.ts'
import { executable, launchBrowser, openPerson, type Person } from './browser.fixture.ts'
import { listen, type Listening } from './http/listen.ts'

const privacyText = '# Data\n\nWe keep what you upload.\n\n- Traces\n- Redactions'
const made = fixture({ stores: createTestStores(), brand: { name: 'Tributary', privacyText } })
const email = 'ann@example.com'
let server: Listening
let browser: Browser
let auditing: Auditor
let ann: Person

describe.skipIf(!executable)('the pages of a session in Chromium, without JavaScript', () => {
  beforeAll(async () => {
    ;[server, browser] = await Promise.all([listen(made.service, { port: 0 }), launchBrowser()])
    auditing = await openAuditor(browser)
    ann = await openPerson(browser, server.url, false)
    await made.signIn(email)
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  const enterCode = async (button = 'Sign in') => {
    await ann.page.getByLabel('Code', { exact: true }).fill(made.mailer.code(email))
    return ann.press(button)
  }

  test('sign-in rejects the code of another browser and accepts the code of the same browser', async () => {
    await ann.open('/sign-in?next=%2Faccount')
    await ann.page.getByLabel('E-mail address').fill(email)
    await ann.press('Send code')
    const own = made.mailer.code(email)
    await made.ask('POST', '/api/auth/email', { json: { email } })
    const refused = await enterCode()
    expect(refused.status()).toBe(400)
    expect(await auditing.audit('code-wrong', refused)).toEqual([])
    await ann.page.getByLabel('Code', { exact: true }).fill(own)
    const account = await ann.press('Sign in')
    expect(await auditing.audit('account-browsers', account)).toEqual([])
    expect(await ann.page.getByText('This browser', { exact: true }).count()).toBe(1)
    expect(await ann.page.getByRole('row').count()).toBe(4)
  })

  test('the account page has no faults while an export is prepared', async () => {
    await ann.open('/account')
    expect(await auditing.audit('account-preparing', await ann.press('Prepare export'))).toEqual([])
  })

  test('the privacy page shows the text of the brand', async () => {
    expect(await auditing.audit('privacy', await ann.open('/privacy'))).toEqual([])
    expect(await ann.page.getByRole('main').textContent()).toContain('We keep what you upload.')
  })

  test('the device page lists the permissions of a token', async () => {
    const { json } = await made.ask('POST', '/api/cli/device/start', { json: { machine: 'ann-laptop' } })
    expect(await auditing.audit('device-abilities', await ann.open(`/device?code=${json.userCode}`))).toEqual([])
  })

  test('deleting the account requires a new sign-in after 15 minutes', { tags: 'slow' }, async () => {
    await ann.open('/account')
    expect(await auditing.audit('erase-recent', await ann.press('Delete my account…'))).toEqual([])
    made.clock.advance(15 * 60_000)
    await ann.press('Delete my account')
    expect(new URL(ann.page.url()).pathname).toBe('/account/erase')
    const again = await ann.open('/account/erase')
    expect(await auditing.audit('erase-again', again)).toEqual([])
    expect(await auditing.audit('code-again', await ann.press('Send code'))).toEqual([])
    await enterCode()
    expect(new URL(ann.page.url()).pathname).toBe('/account/erase')
    expect(await auditing.audit('gone', await ann.press('Delete my account'))).toEqual([])
    expect(ann.troubles).toEqual([])
  })
})

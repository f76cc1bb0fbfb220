import { createServer, type AddressInfo } from 'node:net'
import { libsqlStores } from '@tributary/core/libsql'
import { webAuthnPasskeys } from '@tributary/core/passkeys'
import { fixture, temporaryDatabase, type Fixture, type TemporaryDatabase } from '@tributary/test-kit'
import type { Browser, CDPSession } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAuditor, type Auditor } from './audit.fixture.ts'
import { executable, launchBrowser, openPerson, type Person } from './browser.fixture.ts'
import { listen, type Listening } from './http/listen.ts'

const token = 'jane-'.repeat(6)
let made: Fixture
let database: TemporaryDatabase
let server: Listening
let url: string
let browser: Browser
let auditing: Auditor

/** Browsers allow passkeys on `localhost` without https, but not on an IP address. */
async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

async function openOperator(javaScriptEnabled: boolean): Promise<Person> {
  const person = await openPerson(browser, url, javaScriptEnabled)
  await signIn(person)
  return person
}

async function signIn(person: Person): Promise<void> {
  await person.open('/admin/keys')
  await person.page.getByLabel('Operator token').fill(token)
  await person.press('Sign in')
}

/** Gives a browser a passkey store that requires no action by a person. */
async function addAuthenticator({ page }: Person): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, authenticatorId }
}

const expectNoMistakes = async (name: string, person: Person): Promise<void> =>
  expect.soft(await auditing.audit(name, person.document())).toEqual([])

describe.skipIf(!executable)('passkeys of operators in Chromium', () => {
  beforeAll(async () => {
    const port = await findFreePort()
    url = `http://localhost:${port}`
    database = await temporaryDatabase()
    made = fixture({
      stores: libsqlStores(database.client),
      baseUrl: url,
      adminTokens: [{ name: 'jane', token }],
      passkeys: webAuthnPasskeys(),
    })
    ;[server, browser] = await Promise.all([listen(made.service, { port }), launchBrowser()])
    auditing = await openAuditor(browser)
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
    await database?.close()
  })

  test('an operator registers a passkey, signs in with it and removes it', async () => {
    const jane = await openOperator(true)
    const { page } = jane
    const { cdp, authenticatorId } = await addAuthenticator(jane)
    const error = (text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor()
    await expectNoMistakes('keys-none', jane)

    await page.getByLabel('Name').fill('Work laptop')
    await jane.press('Add passkey')
    expect(await page.getByRole('status').textContent()).toContain('Passkey added')
    expect((await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials).toMatchObject([
      { rpId: 'localhost', userName: 'jane' },
    ])
    await expectNoMistakes('keys', jane)
    await page.getByLabel('Name').fill('The same device')
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await error('This device has a passkey of yours already.')

    await jane.press('Sign out')
    await signIn(jane)
    expect(await page.title()).toContain('Confirm with your passkey')
    await expectNoMistakes('passkey', jane)
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await page.getByRole('button', { name: 'Use passkey' }).click()
    await error('No passkey was used.')
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
    await jane.press('Use passkey')
    expect(new URL(page.url()).pathname).toBe('/admin/keys')

    await jane.press('Remove Work laptop of jane')
    expect(await page.getByRole('main').textContent()).toContain('the token will be enough to sign in')
    await expectNoMistakes('keys-remove', jane)
    await jane.press('Remove passkey')
    expect(await page.getByRole('status').textContent()).toContain('Passkey removed.')
    await jane.press('Sign out')
    await signIn(jane)
    expect(await page.getByText('No passkeys yet').isVisible()).toBe(true)

    made.clock.advance(15 * 60_000)
    await jane.open('/admin/keys')
    expect(await page.getByRole('button', { name: 'Add passkey' }).count()).toBe(0)
    await expectNoMistakes('keys-again', jane)
    await signIn(jane)
    expect(await page.getByRole('button', { name: 'Add passkey' }).isVisible()).toBe(true)
    expect.soft(jane.troubles).toEqual([])
    await jane.close()
  })

  test('without JavaScript, the pages say that passkeys need JavaScript, and a passkey can be removed', async () => {
    const [scripted, plain] = [await openOperator(true), await openOperator(false)]
    const says = 'Passkeys need JavaScript'
    expect(await plain.page.getByText(says).isVisible()).toBe(true)
    expect(await plain.page.getByRole('button', { name: 'Add passkey' }).count()).toBe(0)
    await addAuthenticator(scripted)
    await scripted.page.getByLabel('Name').fill('Work laptop')
    await scripted.press('Add passkey')
    await plain.open('/admin/keys')
    expect(await plain.page.title()).toContain('Confirm with your passkey')
    expect(await plain.page.getByText(says).isVisible()).toBe(true)
    // The cookie belongs to the session that a passkey confirmed.
    await plain.page.context().addCookies(await scripted.page.context().cookies())
    await plain.open('/admin/keys')
    await plain.press('Remove Work laptop of jane')
    await plain.press('Remove passkey')
    expect(await plain.page.getByRole('status').textContent()).toContain('Passkey removed.')
    expect.soft([...scripted.troubles, ...plain.troubles]).toEqual([])
    await Promise.all([scripted.close(), plain.close()])
  })
})

import { createTestStores, fixture, makeTraces, seedTraces, type Signed } from '@tributary/test-kit'
import type { Browser, Locator, Response } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { executable, launchBrowser, openPerson, type Person } from './browser.fixture.ts'
import { listen, type Listening } from './http/listen.ts'

const adminToken = 'operator-'.repeat(3)
const day = 24 * 60 * 60 * 1000
const operatorHeaders = { authorization: `Bearer ${adminToken}` }

describe.skipIf(!executable).each([
  ['without JavaScript', false],
  ['with JavaScript', true],
])('the journeys of all actors with only the keyboard, in Chromium %s', (_, scripts) => {
  const stores = createTestStores()
  const made = fixture({ stores, adminToken, secret: 'the secret of the journeys', country: () => 'US' })
  let server: Listening
  let browser: Browser
  let traces = 0

  beforeAll(async () => {
    ;[server, browser] = await Promise.all([listen(made.service, { port: 0 }), launchBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await server?.close()
  })

  /** Moves the focus to the element with the Tab key, as a person without a mouse does. */
  async function focus({ page }: Person, element: Locator): Promise<void> {
    await element.first().waitFor()
    for (let presses = 0; presses < 300; presses++) {
      if (await element.first().evaluate((node) => node === document.activeElement)) return
      await page.keyboard.press('Tab')
    }
    throw new Error(`no number of Tab presses reaches ${String(element)}`)
  }
  async function activate(who: Person, element: Locator, key: 'Enter' | 'Space'): Promise<void> {
    await focus(who, element)
    expect(await element.first().evaluate((node) => node.matches(':focus-visible'))).toBe(true)
    await who.page.keyboard.press(key)
  }
  async function follow(who: Person, element: Locator): Promise<Response> {
    await focus(who, element)
    const [response] = await Promise.all([
      who.page.waitForResponse((one) => one.request().isNavigationRequest() && one.status() !== 303),
      activate(who, element, 'Enter'),
    ])
    await who.page.waitForLoadState()
    return response
  }
  const press = (who: Person, name: string | RegExp): Promise<Response> =>
    follow(who, who.page.getByRole('button', { name, exact: typeof name === 'string' }))
  const openLink = (who: Person, name: string | RegExp): Promise<Response> =>
    follow(who, who.page.locator('main, nav').getByRole('link', { name }))
  async function fill(who: Person, label: string, value: string): Promise<void> {
    const field = who.page.getByLabel(label, { exact: true })
    await focus(who, field)
    await who.page.keyboard.press('ControlOrMeta+A')
    await who.page.keyboard.type(value)
  }
  const check = (who: Person, label: RegExp): Promise<void> => activate(who, who.page.getByLabel(label), 'Space')
  const mainText = async ({ page }: Person): Promise<string> => (await page.locator('main').textContent())!
  const statusText = async ({ page }: Person): Promise<string> => (await page.getByRole('status').textContent())!

  async function signInOperator(): Promise<Person> {
    const operator = await openPerson(browser, server.url, scripts)
    await operator.open('/admin')
    await fill(operator, 'Operator token', adminToken)
    await press(operator, 'Sign in')
    return operator
  }
  async function signIn(email: string): Promise<Person> {
    const who = await openPerson(browser, server.url, scripts)
    await who.open('/sign-in')
    await fill(who, 'E-mail address', email)
    await press(who, 'Send code')
    await fill(who, 'Code', made.mailer.code(email))
    await press(who, 'Sign in')
    return who
  }

  /** Makes an approved contributor with this many traces. */
  async function createContributor(email: string, count: number): Promise<Signed> {
    const one = await made.signIn(email)
    const application = { companyName: 'Acme', website: 'https://acme.example', email, role: 'CTO', authorized: true }
    await made.ask('POST', '/api/account/application', { headers: one.bearer, json: application })
    const { items } = (await made.ask('GET', '/api/admin/applications?status=pending', { headers: operatorHeaders }))
      .json
    const review = { headers: operatorHeaders, json: { decision: 'approve' } }
    await made.ask('POST', `/api/admin/applications/${items[0].id}`, review)
    await seedTraces(stores.client, one.userId, makeTraces(count, `journey-${scripts}`, traces), made.clock())
    traces += count
    return one
  }

  /** Sells all unsold traces for 100 dollars, as the operator does. */
  async function sell(operator: Person, buyer: string): Promise<void> {
    await openLink(operator, /^Sales/)
    await check(operator, /never sold/i)
    await press(operator, 'Show matching traces')
    await fill(operator, 'Buyer', buyer)
    await fill(operator, 'Amount (USD)', '100')
    await press(operator, 'Review sale')
    await press(operator, /^Sell 2 traces$/)
    expect(await statusText(operator)).toContain('Sale recorded')
  }

  test('lead from a sale to a payout', async () => {
    const { email, userId } = await createContributor(`ann-${scripts}@example.com`, 2)
    await sell(await signInOperator(), 'Meridian Research')
    made.clock.advance(15 * day)
    const ann = await signIn(email)
    await openLink(ann, /^Earnings/)
    await press(ann, 'Request a payout of $80.00')
    expect(await mainText(ann)).toContain('It is open.')

    const operator = await signInOperator()
    await openLink(operator, /^Payouts/)
    await follow(operator, operator.page.locator(`a[href*="/admin/payouts/${userId}"]`))
    await fill(operator, 'Reference', 'TRB-1')
    await press(operator, 'Review payout')
    await check(operator, /I have sent this money/)
    await press(operator, 'Record payout')
    expect(await statusText(operator)).toContain('Payout of $80.00 recorded.')
    await ann.open('/earnings')
    expect(await mainText(ann)).toContain('TRB-1')
    expect(await mainText(ann)).not.toContain('It is open.')
    expect([...ann.troubles, ...operator.troubles]).toEqual([])
  })

  test('lead from a new campaign to its sponsor page with the cost of an impression, and to the closed month 40 days later', async () => {
    const { bearer } = await createContributor(`ben-${scripts}@example.com`, 0)
    const operator = await signInOperator()
    await openLink(operator, /^Campaigns/)
    await openLink(operator, 'Create campaign')
    for (const [label, value] of [
      ['Brand', 'Heron'],
      ['Sponsor line', 'Branches in 300 ms'],
      ['Title', 'Heron DB'],
      ['Link URL', 'https://heron.example/'],
      ['Campaign name', 'Autumn'],
      ['Price per 1,000 impressions (USD)', '20'],
      ['Budget (USD)', '10'],
    ] as const)
      await fill(operator, label, value)
    await press(operator, 'Create campaign')
    expect(await statusText(operator)).toContain('Campaign created')

    const deviceId = `terminal-${scripts}`
    await made.ask('POST', '/api/program/claim', { headers: bearer, json: { deviceId } })
    const served = await made.ask('GET', `/api/ad?d=${deviceId}`, { headers: bearer })
    made.clock.advance(2_000)
    expect((await made.ask('GET', `/api/ad/imp/${served.json.nonce}`)).status).toBe(204)

    await press(operator, 'Create link')
    const link = new URL((await operator.page.locator('.panel code').textContent())!).pathname
    const sponsor = await openPerson(browser, server.url, scripts)
    await sponsor.open(link)
    expect(await mainText(sponsor)).toContain('$0.02')
    expect(await mainText(sponsor)).not.toContain('Closed')
    made.clock.advance(40 * day)
    await made.service.work()
    await sponsor.open(link)
    expect(await mainText(sponsor)).toContain('Closed')
    const saved = sponsor.page.waitForEvent('download')
    await activate(sponsor, sponsor.page.locator('a[href$="/months.csv"]'), 'Enter')
    expect((await saved).suggestedFilename()).toMatch(/\.csv$/)
    expect(operator.troubles).toEqual([])
  })

  test('lead from a report to its resolution', async () => {
    const json = {
      reporter: { agent_vendor: 'acme', agent_product: 'agent' },
      subject: { surface: 'GET /docs', kind: 'docs_page' },
      signal: { category: 'bug', severity: 'high' },
      content: { title: `A link is dead ${scripts}` },
    }
    const { receipt } = (await made.ask('POST', '/api/v1/feedback', { json })).json
    const operator = await signInOperator()
    await openLink(operator, /^Agent reports/)
    await openLink(operator, json.content.title)
    const status = operator.page.getByLabel('Status')
    await focus(operator, status)
    await operator.page.keyboard.type('Resolved')
    await press(operator, 'Update status')
    expect(await statusText(operator)).toContain('Status updated.')
    expect(await status.inputValue()).toBe('resolved')
    const { report, history } = (
      await made.ask('GET', `/api/admin/reports/${receipt.feedback_id}`, { headers: operatorHeaders })
    ).json
    expect([report.status, history[0].to]).toEqual(['resolved', 'resolved'])
    expect(operator.troubles).toEqual([])
  })

  test('lead from an erasure to a notice that a buyer acknowledges', async () => {
    const buyerName = `Lab ${scripts}`
    const { token } = (
      await made.ask('POST', '/api/admin/buyers', { headers: operatorHeaders, json: { name: buyerName } })
    ).json
    const { email } = await createContributor(`eve-${scripts}@example.com`, 2)
    await sell(await signInOperator(), buyerName)
    const eve = await signIn(email)
    await openLink(eve, /^Account/)
    await press(eve, 'Delete my account…')
    await check(eve, /I understand that I lose/)
    await press(eve, 'Delete my account')
    const notices = new URL((await eve.page.locator('a[href*="/erasures/"]').getAttribute('href'))!).pathname
    await made.service.work()
    await eve.open(notices)
    expect(await mainText(eve)).toContain('Not yet (0 of 2)')

    const buyer = await openPerson(browser, server.url, scripts)
    await buyer.open('/buyer')
    await fill(buyer, 'Buyer token', token)
    await press(buyer, 'Sign in')
    await press(buyer, 'I deleted all copies of these 2 traces')
    expect(await statusText(buyer)).toContain('Confirmed')
    await eve.open(notices)
    expect(await mainText(eve)).toContain('confirmed that every copy is deleted')
    expect([...eve.troubles, ...buyer.troubles]).toEqual([])
  })
})

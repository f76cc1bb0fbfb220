import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Response } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listLowContrast, openAuditor, type Auditor } from './audit.fixture.ts'
import { executable, launchBrowser, openPerson, type Person } from './browser.fixture.ts'
import { built, signInContributor, startDev, type Contributor, type Dev } from './cli/cli.fixture.ts'
import { createTerminal, type Terminal } from './cli/terminal.fixture.ts'

const adminToken = 'operator-'.repeat(3)
/**
 * The texts of a hostile person: markup, quotes, a long text without spaces, right-to-left text, and characters that
 * change the direction.
 */
const hostile = `"><script>alert('x')</script> & שלום \u202Eevil 🦊 ${'long'.repeat(20)}`
const sample = fileURLToPath(new URL('../../../../shared/traces/airline.ingest.json', import.meta.url))
/** Returns the minute this many days from now, as a date and time field expects it. */
const dayFromNow = (days: number): string => new Date(startedAt + days * 24 * 3_600_000).toISOString().slice(0, 16)
const startedAt = Date.now()
const makeShortTraces = (): unknown[] => [...makeQuestions(), withTools]
/** A conversation with every kind of content that a message may contain. */
const withTools = {
  sourceId: 'session-with-tools',
  createdAt: '2026-10-01T12:00:00Z',
  source: 'claude_code_jsonl',
  messages: [
    { role: 'system', content: 'Be careful.' },
    { role: 'user', content: `Read deploy.log, and mail jane.roe@acme-corp.io ${hostile}` },
    {
      role: 'assistant',
      content: [
        '```thinking\nThe log first.\n```',
        '```ts\nlet a = 1\n```',
        '```tool_call\n{"id":"c1","name":"Read","arguments":{"path":"deploy.log"}}\n```',
      ].join('\n\n'),
    },
    {
      role: 'tool',
      content: `\`\`\`tool_result c1\n${Array.from({ length: 40 }, (_, n) => `line ${n} of the log`).join('\n')}\n\`\`\``,
    },
  ],
}
const makeQuestions = (word = 'Question'): unknown[] =>
  Array.from({ length: 5 }, (_, i) => ({
    sourceId: i === 0 ? `${hostile} ${'unbroken'.repeat(12)}` : `session-${i}`,
    createdAt: `2026-10-0${i + 1}T12:00:00Z`,
    source: 'claude_code_jsonl',
    model: 'claude-opus-4',
    messages: [
      { role: 'user', content: `${word} ${i}: what is ${i} + ${i}?` },
      { role: 'assistant', content: `It is ${2 * i}.` },
    ],
  }))

let folder: string
let server: Dev
let browser: Browser
let auditing: Auditor
let client: Terminal
const people: Person[] = []

describe.skipIf(!built || !executable)('pages in Chromium', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tributary-browser-'))
    ;[server, browser] = await Promise.all([
      startDev(join(folder, 'test.db'), '--approval', 'manual', '--admin-token', adminToken),
      launchBrowser(),
    ])
    auditing = await openAuditor(browser)
    client = createTerminal(server.url)
  })
  afterAll(async () => {
    await browser?.close()
    await server?.stop()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  const openVisitor = async (scripts = false): Promise<Person> => {
    const one = await openPerson(browser, server.url, scripts)
    people.push(one)
    return one
  }
  const expectNoMistakes = async (name: string, response: Response): Promise<void> =>
    expect.soft(await auditing.audit(name, response)).toEqual([])
  const skipAudit = async (): Promise<void> => undefined

  async function signIn(who: Person, email: string, next = '/traces'): Promise<void> {
    await who.open(`/sign-in?next=${encodeURIComponent(next)}`)
    await who.page.getByLabel('E-mail address').fill(email)
    await who.press('Send code')
    await who.page.getByLabel('Code', { exact: true }).fill(await client.mailed(email))
    await who.press('Sign in')
  }

  async function signInApproved(email: string): Promise<Contributor> {
    const one = await signInContributor(server.url, email)
    const { items } = (await client.ask('GET', '/api/admin/applications?status=pending', undefined, adminToken))
      .body as { items: { id: string }[] }
    await client.ask('POST', `/api/admin/applications/${items[0]!.id}`, { decision: 'approve' }, adminToken)
    return one
  }

  /** Shows the sponsor line of the only campaign on a device of the contributor until the impression counts. */
  async function countImpression(bearer: string): Promise<void> {
    const deviceId = `device-${bearer.slice(-8)}`
    await client.ask('POST', '/api/program/claim', { deviceId }, bearer)
    const { body } = await client.ask('GET', `/api/ad?d=${deviceId}`, undefined, bearer)
    await new Promise((done) => setTimeout(done, 1_100))
    await fetch(`${server.url}/api/ad/imp/${(body as { nonce: string }).nonce}`)
  }

  async function expectWholeWay(how: string, scripts: boolean): Promise<void> {
    const look = scripts ? skipAudit : expectNoMistakes
    const email = `ann-${scripts ? 'with' : 'without'}@example.com`
    const company = `${how} ${hostile}`
    const ann = await openVisitor(scripts)
    const { page } = ann
    const login = await client.login(hostile)
    // Without scripts, the client polls while the person decides. With scripts, it polls only after the decision, so
    // that it does not have to wait.
    const waiting = scripts ? null : client.polled(login)

    // The home page is checked before there is an account.
    await look('home', await ann.open('/'))
    expect(await page.locator('main').textContent()).toContain(`export TRIBUTARY_URL=${server.url}`)
    // One button for the address and one for each command: login, setup, preview, upload.
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(scripts ? 5 : 0)
    await page.getByRole('link', { name: 'Read the terms' }).click()
    await page.getByRole('heading', { name: 'Terms', exact: true }).waitFor()

    // Ann signs in on the way to the device page.
    await look('sign-in', await ann.open(login.verificationUrlComplete))
    await page.getByRole('button', { name: 'Send code' }).click()
    expect(await page.locator('input:focus:invalid').getAttribute('name')).toBe('email')
    await page.getByLabel('E-mail address').fill('nobody')
    await ann.disableFormValidation()
    const refused = await ann.press('Send code')
    expect([refused.status(), await page.getByLabel('E-mail address').inputValue()]).toEqual([400, 'nobody'])
    await look('sign-in-wrong', refused)
    await page.getByLabel('E-mail address').fill(email)
    await look('sign-in-code', await ann.press('Send code'))
    await page.getByLabel('Code', { exact: true }).fill('000 000')
    const wrong = await ann.press('Sign in')
    expect([wrong.status(), await page.getByLabel('Code', { exact: true }).getAttribute('aria-invalid')]).toEqual([
      400,
      'true',
    ])
    await look('sign-in-code-wrong', wrong)
    await page.getByLabel('Code', { exact: true }).fill(await client.mailed(email))
    await ann.press('Sign in')

    // The device page shows the code of the terminal, and then asks for a decision.
    expect(page.url()).toContain(`/device?code=${login.userCode}`)
    expect(await page.locator('.code').textContent()).toBe(login.userCode)
    expect(await page.getByText('<script>').count()).toBeGreaterThan(0)
    await look('device', ann.document())
    await look('device-approved', await ann.press('Codes match – authorize'))
    await look('device-again', await ann.open(login.verificationUrlComplete))

    // Terms, application and contact: each page leads to the next.
    await look('home-steps', await ann.open('/'))
    expect(await page.getByRole('navigation', { name: 'Steps to your first upload' }).count()).toBe(1)
    await look('traces-empty', await ann.open('/traces'))
    await look('terms', await ann.open('/terms'))
    await ann.disableFormValidation()
    await look('terms-not-ticked', await ann.press('Accept terms'))
    await page.getByLabel('I have read and accept these terms').check()
    await page.getByLabel('I live in').check()
    await page.evaluate(() => document.querySelector('[name=termsVersion]')!.setAttribute('value', 'old'))
    const outdated = await ann.press('Accept terms')
    expect([outdated.status(), await page.getByRole('alert').textContent()]).toEqual([
      409,
      expect.stringContaining('changed'),
    ])
    await look('terms-outdated', outdated)
    await page.getByLabel('I have read and accept these terms').check()
    await page.getByLabel('I live in').check()
    await look('apply', await ann.press('Accept terms'))
    expect(new URL(page.url()).pathname).toBe('/apply')
    await ann.disableFormValidation()
    await page.getByLabel('Company', { exact: true }).fill(company)
    await page.getByLabel('Website').fill('not an address')
    const mistaken = await ann.press('Submit application')
    // No page contains characters that hide text or change its direction.
    const shown = company.replace('\u202E', '')
    expect([
      mistaken.status(),
      await page.getByLabel('Company', { exact: true }).inputValue(),
      await page.getByLabel('Website').inputValue(),
    ]).toEqual([400, shown, 'not an address'])
    await look('apply-wrong', mistaken)
    await page.getByLabel('Website').fill('https://acme.example/')
    await page.getByLabel('Your role').fill('"Founder" <b>')
    await page.getByLabel('I am authorized to act').check()
    await look('contact', await ann.press('Submit application'))
    expect(new URL(page.url()).pathname).toBe('/contact')
    await look('apply-waiting', await ann.open('/apply'))

    // The operator reads the application and approves it.
    const operator = await openVisitor(scripts)
    await look('admin-sign-in', await operator.open('/admin'))
    await operator.page.getByLabel('Operator token').fill('wrong')
    await look('admin-wrong', await operator.press('Sign in'))
    await operator.page.getByLabel('Operator token').fill(adminToken)
    await look('admin-overview-new', await operator.press('Sign in'))
    await operator.page.getByRole('link', { name: /application to review/ }).click()
    await look('admin-applications-new', operator.document())
    expect(await operator.page.getByRole('rowheader').first().textContent()).toContain(shown)
    await operator.press(`Approve ${shown}`)
    await look('admin-approved', operator.document())
    await look('apply-approved', await ann.open('/apply'))

    await ann.open('/contact')
    await ann.disableFormValidation()
    await page.getByLabel('Name', { exact: true }).fill(hostile)
    await page.getByLabel('E-mail address').fill('a@b')
    await look('contact-wrong', await ann.press('Add contact details'))
    await page.getByLabel('E-mail address').fill(email)
    await look('contact-saved', await ann.press('Add contact details'))

    // The client uploads traces, and the page lists them.
    const bearer = await (waiting ?? client.polled(login))
    if (existsSync(sample) && !scripts)
      await client.upload(
        bearer,
        (JSON.parse(readFileSync(sample, 'utf8')) as { traces: unknown[] }).traces.slice(0, 120),
      )
    await client.upload(bearer, makeShortTraces())
    const rows = page.locator('tbody tr')
    await look('traces', await ann.open('/traces'))
    const before = await rows.count()
    expect(await page.locator('main').textContent()).toContain(`"><script>alert('x')</script>`)
    const checkBox = async (name: string): Promise<void> => page.getByRole('checkbox', { name }).check()
    await checkBox('Question 1')
    await checkBox('Question 2')
    await look('traces-excluded', await ann.press('Exclude from sale'))
    expect(await page.locator('tr', { hasText: 'Question 2' }).textContent()).toContain('Excluded')
    await checkBox('Question 2')
    await ann.press('Include for sale')
    expect(await page.locator('tr', { hasText: 'Question 2' }).textContent()).toContain('For sale')
    await checkBox('Question 3')
    await look('traces-delete', await ann.press('Delete…'))
    await look('traces-deleted', await ann.press('Delete 1 trace'))
    expect([await page.locator('tr', { hasText: 'Question 3' }).count(), await rows.count()]).toEqual([
      0,
      before - (before < 25 ? 1 : 0),
    ])

    // A sold trace is locked.
    const openLink = async (path: string, selector: string): Promise<Response> => {
      await operator.open(path)
      return operator.open((await operator.page.locator(selector).first().getAttribute('href'))!)
    }
    await look('admin-job', await openLink('/admin/jobs', 'tbody a[href*="/admin/jobs/"]'))
    await look('admin-sample', await openLink('/admin/sales?source=', 'tbody a[href*="/admin/sales/"]'))
    await operator.open('/admin/sales')
    await look('admin-sales-shown', await operator.press('Show matching traces'))
    await operator.disableFormValidation()
    await operator.page.getByRole('textbox', { name: 'Buyer' }).fill(hostile)
    await operator.page.getByLabel('Amount (USD)').fill('many')
    await look('admin-sales-wrong', await operator.press('Review sale'))
    expect(await operator.page.getByRole('textbox', { name: 'Buyer' }).inputValue()).toBe(hostile.replace('\u202E', ''))
    await operator.page.getByLabel('Amount (USD)').fill('12.50')
    await look('admin-sales-review', await operator.press('Review sale'))
    await look('admin-sold', await operator.press(/^Sell \d+ traces?$/))
    expect(await operator.page.getByRole('status').textContent()).toContain('Sale recorded:')
    const contributor = await openLink('/admin/contributors', 'tbody a[href*="/admin/contributors/"]')
    await look('admin-payout', await operator.open(`/admin/payouts/${contributor.url().split('/').at(-1)}`))
    await look('traces-sold', await ann.open('/traces'))
    const sold = page.locator('tr', { hasText: 'Question 2' })
    expect([await sold.textContent(), await sold.getByRole('checkbox').count()]).toEqual([
      expect.stringContaining('Sold'),
      0,
    ])
    // The operator reads an agent's report with very long lines.
    const endless = hostile + 'x'.repeat(2000)
    const report = {
      reporter: { agent_vendor: 'a', agent_product: 'b' },
      subject: { surface: hostile },
      content: { title: hostile, summary: endless },
      evidence: [{ type: 'other', content: endless }],
    }
    expect((await client.ask('POST', '/api/v1/feedback', report)).status).toBeLessThan(300)
    const sections = await operator.page.getByRole('navigation', { name: 'Sections' }).getByRole('link').all()
    for (const path of await Promise.all(sections.map((link) => link.getAttribute('href')))) {
      await look(`admin-${path!.split('/').at(-1)}`, await operator.open(path!))
    }

    // The secret of a new webhook is shown once.
    await look('admin-webhook-new', await operator.open('/admin/webhooks/new'))
    await operator.page.getByLabel('Endpoint URL').fill(`https://hooks.example/${scripts}`)
    await look('admin-webhook-created', await operator.press('Create webhook'))
    await look('admin-webhook', await openLink('/admin/webhooks', 'tbody a[href*="/admin/webhooks/"]'))

    // A campaign is submitted with mistakes, and then previewed, created and edited.
    await operator.open('/admin/campaigns')
    await operator.page.getByRole('link', { name: 'Create campaign' }).click()
    await look('admin-campaign-new', operator.document())
    await operator.disableFormValidation()
    await operator.page.getByLabel('Brand').fill('Acme')
    await operator.page.getByLabel('Sponsor line').fill(hostile)
    await operator.page.getByLabel('Price per 1,000 impressions (USD)').fill('much')
    if (!scripts) await operator.press('Update preview')
    await operator.page.getByText('Other widths').click()
    const preview = operator.page.getByRole('region', { name: 'Preview in 40 columns' })
    expect(await preview.textContent()).toMatch(/^Sponsor · Acme: "><script>.{0,20}…$/)
    expect(await operator.page.getByRole('button', { name: 'Update preview' }).count()).toBe(scripts ? 0 : 1)
    await operator.disableFormValidation()
    await look('admin-campaign-wrong', await operator.press('Create campaign'))
    expect(await operator.page.getByLabel('Price per 1,000 impressions (USD)').inputValue()).toBe('much')
    for (const [label, value] of [
      ['Title', 'Acme'],
      ['Link URL', 'https://acme.example/'],
      ['Campaign name', `Acme ${how}`],
      ['Price per 1,000 impressions (USD)', '20'],
      ['Budget (USD)', '100'],
      ['Starts', dayFromNow(-1)],
      ['Ends', dayFromNow(30)],
    ] as const)
      await operator.page.getByLabel(label).fill(value)
    await look('admin-campaign', await operator.press('Create campaign'))
    // With an end date, the chart shows both the planned and the actual spend.
    await countImpression(bearer)
    await look('admin-campaign-days', await operator.open(new URL(operator.page.url()).pathname))
    expect(await operator.page.getByLabel('Ends').inputValue()).toBe(dayFromNow(30))
    const pacing = operator.page.getByRole('figure', { name: 'Spend and pacing' })
    expect(await pacing.locator('canvas').count()).toBe(scripts ? 1 : 0)
    expect((await pacing.locator('.legend').textContent())!.includes('Planned so far')).toBe(scripts)
    if (scripts) await pacing.getByText('Spend and pacing as a table').click()
    expect(await pacing.getByRole('columnheader', { name: 'Planned so far' }).count()).toBe(1)
    expect(await operator.page.locator('main').textContent()).toContain('planned by now')
    await operator.page.getByLabel('Sponsor line').fill('Another line')
    await operator.press('Save changes')
    const open = operator.page.getByRole('region', { name: 'Preview in 80 columns' })
    expect(await open.textContent()).toBe('Sponsor · Acme: Another line')
    await look('admin-campaign-saved', operator.document())
    await operator.press(`Pause Acme ${how}`)
    expect(await operator.page.getByRole('status').textContent()).toContain('Campaign paused')

    // Reports are searched; a report is opened, merged into another report and separated again.
    await client.ask('POST', '/api/v1/feedback', { ...report, content: { title: `Another title ${how}` } })
    await operator.open('/admin/reports')
    await operator.page.getByLabel('Report ID or words of the report').fill(`another ${how}`)
    await look('admin-reports-found', await operator.press('Search'))
    await operator.page.getByRole('rowheader').getByRole('link').first().click()
    await look('admin-report', operator.document())
    await operator.page.getByText('Merge into another report').click()
    await operator.page.getByRole('radio').first().check()
    await look('admin-report-merged', await operator.press('Merge reports'))
    await look('admin-report-separated', await operator.press(/^Not a duplicate/))
    expect(await operator.page.getByRole('heading', { level: 1 }).textContent()).toBe(`Another title ${how}`)

    await look('dev-accounts', await operator.open('/dev/accounts'))
    await operator.open('/admin/contributors')
    await operator.page.getByLabel('E-mail address, company or contributor ID').fill(email)
    await look('admin-contributors-found', await operator.press('Search'))
    await operator.page.getByRole('rowheader').getByRole('link').click()
    await look('admin-contributor', operator.document())

    // On the account page, Ann changes the pause, the consent and the machines.
    await look('home-done', await ann.open('/'))
    await page.getByRole('banner').getByRole('link', { name: 'Earnings' }).click()
    await page.getByRole('heading', { name: 'Earnings', exact: true }).waitFor()
    await look('earnings', ann.document())
    await look('account', await ann.open('/account'))
    expect(await page.getByRole('row', { name: 'script' }).count()).toBe(1)
    await look('account-paused', await ann.press('Pause uploads'))
    expect((await client.ask('POST', '/api/ingest', { traces: makeShortTraces() }, bearer)).body).toMatchObject({
      error: 'contributor_paused',
    })
    await ann.press('Resume uploads')
    await page.getByLabel('Let the ad network recognize my device').check()
    await ann.press('Save preferences')
    expect([
      await page.getByLabel('Let the ad network recognize my device').isChecked(),
      await page.getByLabel('Let my client tell the ad network').isChecked(),
    ]).toEqual([true, false])
    await look('account-revoked', await ann.press(/^Sign out .*script/))
    expect((await client.ask('GET', '/api/cli/session', undefined, bearer)).status).toBe(401)
    await look('signed-out', await ann.press('Sign out'))
    await ann.open('/traces')
    expect(new URL(page.url()).pathname).toBe('/sign-in')
    await operator.press('Sign out')
    expect((await operator.open('/admin')).status()).toBe(401)
    for (const one of [ann, operator]) expect.soft(one.troubles).toEqual([])
  }
  test('a new contributor completes every step when JavaScript is off', { tags: 'slow' }, () =>
    expectWholeWay('without JavaScript', false),
  )
  test('a new contributor completes every step when JavaScript is on', { tags: 'slow' }, () =>
    expectWholeWay('with JavaScript', true),
  )

  test(
    'a contributor searches, reads, downloads and reports traces on pages without mistakes',
    { tags: 'slow' },
    async () => {
      const { token } = await signInApproved('reader@example.com')
      await client.upload(token, makeShortTraces())
      const ann = await openVisitor()
      const { page } = ann
      await signIn(ann, 'reader@example.com')
      // The page shows a search and all traces that match.
      await page.getByText('Search and filter').click()
      await page.getByLabel('Search titles').fill('question what')
      await expectNoMistakes('traces-found', await ann.press('Search'))
      expect(await page.locator('tbody tr').count()).toBe(5)
      await page.getByRole('link', { name: 'Select this page' }).click()
      expect(await page.getByRole('checkbox', { name: /^Select Question/, checked: true }).count()).toBe(5)
      await page.getByRole('link', { name: 'Select none' }).click()
      await page.getByLabel('Search titles').fill('no such title')
      await expectNoMistakes('traces-not-found', await ann.press('Search'))
      await page.getByRole('link', { name: 'Clear filters' }).click()

      // The page of a trace shows the conversation, its state and the download.
      await page.getByRole('link', { name: 'Question 2' }).click()
      await page.getByRole('heading', { name: 'Conversation' }).waitFor()
      expect(await page.locator('.turn').allTextContents()).toEqual([
        expect.stringContaining('Question 2: what is 2 + 2?'),
        expect.stringContaining('It is 4.'),
      ])
      await expectNoMistakes('trace', ann.document())
      await ann.press('Exclude from sale')
      await ann.press('Include for sale')
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download' }).click(),
      ])
      expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toMatchObject({
        sourceId: 'session-2',
        messages: [{ content: 'Question 2: what is 2 + 2?' }, {}],
      })
      await ann.press('Delete…')
      await page.getByRole('link', { name: 'Cancel' }).click()
      // Opening the next page earlier would abort this one.
      await page.getByRole('heading', { name: 'Conversation' }).waitFor()
      await ann.open('/traces')
      await page.getByRole('link', { name: 'Read deploy.log' }).click()
      await page.getByText('Tool result').click()
      expect(await page.getByText('line 39 of the log').isVisible()).toBe(true)
      expect(await page.locator('mark', { hasText: '[EMAIL_1]' }).first().getAttribute('title')).toBe(
        'Redacted: e-mail address',
      )
      await expectNoMistakes('trace-rich', ann.document())

      // The page of the trace's upload shows the outcome of each trace.
      await expectNoMistakes('jobs', await ann.open('/jobs'))
      await page.getByRole('link', { name: /^Claude Code, 6 traces/ }).click()
      await page.getByRole('heading', { name: 'Results' }).waitFor()
      await expectNoMistakes('job', ann.document())
      // The contributor reports a term that should have been redacted.
      await ann.open('/traces')
      await page.getByRole('link', { name: 'Question 1' }).click()
      await page.getByLabel('Word or phrase to redact').fill('what is')
      await ann.press('Add to blocked terms')
      expect(await page.getByRole('status').textContent()).toContain('Term added to your blocked terms')
      expect(await page.locator('.turn').first().textContent()).toContain('[BLOCKED_1] (redacted: blocked term)')
      expect.soft(ann.troubles).toEqual([])
    },
  )

  test('a visitor from a country without uploads is not redirected to another site, and gets pages without mistakes', async () => {
    const bob = await openVisitor()
    await signIn(bob, 'bob@example.com', '//evil.example/')
    expect(bob.page.url()).toBe(`${server.url}/traces`)
    await bob.open('/sign-in?next=https://evil.example')
    expect(bob.page.url()).toBe(`${server.url}/traces`)

    await expectNoMistakes('waitlist', await bob.open('/waitlist'))
    await bob.disableFormValidation()
    await bob.page.getByLabel('E-mail address').fill('bob@')
    const refused = await bob.press('Join the waitlist')
    expect([
      refused.status(),
      await bob.page.getByLabel('E-mail address').inputValue(),
      await bob.page.getByLabel('Country').inputValue(),
    ]).toEqual([400, 'bob@', ''])
    await expectNoMistakes('waitlist-wrong', refused)
    await bob.page.getByLabel('E-mail address').fill('bob@example.com')
    await bob.page.getByLabel('Country').selectOption('Germany')
    await expectNoMistakes('waitlist-joined', await bob.press('Join the waitlist'))
    await expectNoMistakes('traces-waiting', await bob.open('/traces'))
    expect(await bob.page.getByRole('link', { name: 'Accept the terms' }).count()).toBe(1)
    await expectNoMistakes('home-waiting', await bob.open('/'))
    await bob.open('/waitlist')
    await bob.page.getByRole('link', { name: 'Leave the waitlist…' }).click()
    await expectNoMistakes('waitlist-leave', await bob.press('Leave the waitlist'))
    expect(await bob.page.getByRole('status').textContent()).toContain('You left the waitlist.')

    await expectNoMistakes('device-ask', await bob.open('/device'))
    await expectNoMistakes('device-unknown', await bob.open('/device?code=BBBB-BBBB'))
    const login = await client.login("somebody else's machine")
    await bob.page.getByLabel('Code').fill(login.userCode.toLowerCase().replace('-', ' '))
    await bob.press('Continue')
    await expectNoMistakes('device-denied', await bob.press('Deny'))
    expect((await client.ask('GET', `/api/cli/device/poll?deviceCode=${login.deviceCode}`)).status).toBe(409)

    await expectNoMistakes('docs', await bob.open('/docs'))
    await expectNoMistakes('mail', await bob.open('/dev/mail'))
    await expectNoMistakes('terms-stranger', await (await openVisitor()).open('/terms'))
    expect.soft(bob.troubles).toEqual([])
  })

  test('the interactive API reference has enough contrast in both schemes', async () => {
    const visitor = await openVisitor(true)
    await visitor.page.setViewportSize({ width: 1280, height: 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await visitor.page.emulateMedia({ colorScheme })
      await visitor.open('/docs/interactive')
      await visitor.page.locator('.scalar-app h1').first().waitFor()
      expect.soft([colorScheme, ...(await listLowContrast(visitor.page))]).toEqual([colorScheme])
    }
  })

  test('main actions are visible without scrolling on a laptop and on a phone', async () => {
    const { token } = await signInApproved('fay@example.com')
    await client.upload(token, makeShortTraces())
    const fay = await openVisitor()
    await signIn(fay, 'fay@example.com')
    const { verificationUrlComplete } = await client.login('work-laptop')
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      await fay.page.setViewportSize({ width, height })
      await fay.open('/traces')
      const first = (await fay.page.locator('tbody tr').first().boundingBox())!
      expect.soft(first.y + first.height, `the first trace at ${width} × ${height}`).toBeLessThan(height)
      await fay.open(verificationUrlComplete)
      const button = (await fay.page.getByRole('button', { name: 'Codes match – authorize' }).boundingBox())!
      expect.soft(button.y + button.height, `the button at ${width} × ${height}`).toBeLessThan(height)
    }
    expect.soft(fay.troubles).toEqual([])
  })

  test('the notice after a form disappears when the page is loaded again', async () => {
    const eve = await openVisitor(true)
    await signIn(eve, 'eve@example.com', '/waitlist')
    await eve.page.getByLabel('Country').selectOption('Germany')
    await eve.press('Join the waitlist')
    const [notice, entry] = [
      eve.page.getByText('Your entry is saved.'),
      eve.page.getByText('on the waitlist for Germany'),
    ]
    await eve.page.waitForURL(`${server.url}/waitlist`)
    expect([await notice.count(), await entry.count()]).toEqual([1, 1])
    await eve.page.reload()
    expect([await notice.count(), await entry.count()]).toEqual([0, 1])
    expect.soft(eve.troubles).toEqual([])
  })

  test(
    'a second user cannot see or change data of the first, and is signed out after deleting the account',
    { tags: 'slow' },
    async () => {
      const first = await signInApproved('first@example.com')
      await client.upload(first.token, makeShortTraces())
      const [id] = await first.traces()
      const eve = await openVisitor()
      await signIn(eve, 'eve@example.com')
      expect(await eve.page.locator('table').count()).toBe(0)
      expect(await eve.page.getByText('You have no traces yet').count()).toBe(1)
      const answers = await eve.page.request.get(`/api/traces/${id}/download`)
      expect(answers.status()).toBe(404)
      const forged = await eve.page.request.post('/traces', {
        form: { ids: id!, action: 'delete', confirmed: 'yes' },
        headers: { 'sec-fetch-site': 'same-origin' },
      })
      expect(await forged.text()).toContain('0 traces deleted. 1 trace not changed')
      expect(await first.traces()).toHaveLength(6)

      await client.ask('POST', '/api/program/claim', { deviceId: 'device-of-the-first' }, first.token)
      const owner = await openVisitor()
      await signIn(owner, 'first@example.com', '/earn/device-of-the-first')
      await expectNoMistakes('earn', owner.document())
      await expectNoMistakes('blocked-terms', await owner.open('/blocked-terms'))
      await expectNoMistakes('earnings-device', await owner.open('/earnings'))
      await expectNoMistakes('earn-stranger', await eve.open('/earn/device-of-the-first'))
      await expectNoMistakes('account-empty', await eve.open('/account'))
      expect(await eve.page.getByText('No device is signed in').count()).toBe(1)
      const [download] = await Promise.all([
        eve.page.waitForEvent('download'),
        eve.page.getByRole('link', { name: 'Download now' }).click(),
      ])
      expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toMatchObject({
        ok: true,
        account: { traces: [] },
      })
      await expectNoMistakes('account-delete', await eve.press('Delete my account…'))
      await expectNoMistakes('account-gone', await eve.press('Delete my account'))
      await eve.open('/account')
      expect(new URL(eve.page.url()).pathname).toBe('/sign-in')
      expect(await first.traces()).toHaveLength(6)
      expect.soft(eve.troubles).toEqual([])
    },
  )

  test(
    'a buyer signs in, downloads and acknowledges without scripts; an operator and a sponsor see their pages',
    { tags: 'slow' },
    async () => {
      const seller = await signInApproved('seller@example.com')
      // Another test excluded the trace with tools from sale, so a copy of that trace would not be sold.
      await client.upload(seller.token, makeQuestions('Exercise'))
      const ids = await seller.traces()
      const operate = async (path: string, body: object): Promise<Record<string, string>> => {
        const reply = await client.ask('POST', path, body, adminToken)
        if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
        return reply.body as Record<string, string>
      }
      const name = `Lab ${hostile}`.slice(0, 200)
      const { token } = await operate('/api/admin/buyers', { name, email: 'lab@example.com' })
      await operate('/api/admin/sales', { buyer: name, usd: 40, traceIds: ids })
      await operate(`/api/admin/traces/${ids[0]}/withdraw`, { reason: 'asked for' })

      const lab = await openVisitor()
      const { page } = lab
      await expectNoMistakes('buyer-sign-in', await lab.open('/buyer'))
      await page.getByLabel('Token').fill('trbb_wrong')
      await expectNoMistakes('buyer-sign-in-wrong', await lab.press('Sign in'))
      await page.getByLabel('Token').fill(token!)
      await expectNoMistakes('buyer-removals', await lab.press('Sign in'))
      await page.locator('#purchases ~ * a').first().click()
      await page.getByRole('heading', { name: 'Downloads' }).waitFor()
      await expectNoMistakes('dataset', lab.document())
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Messages (JSONL)' }).click(),
      ])
      expect(
        readFileSync(await download.path(), 'utf8')
          .trimEnd()
          .split('\n'),
      ).toHaveLength(ids.length - 1)
      await lab.open('/buyer')
      await expectNoMistakes('buyer-acknowledged', await lab.press(/^I deleted all copies of this trace/))
      expect(await page.getByText('Nothing to delete.').count()).toBe(1)

      const withdrawn = await openVisitor()
      await signIn(withdrawn, 'seller@example.com', `/traces/${ids[0]}`)
      expect(await withdrawn.page.locator('.tag', { hasText: 'Withdrawn' }).count()).toBe(1)
      await expectNoMistakes('trace-withdrawn', withdrawn.document())

      await operate(`/api/admin/traces/${ids[1]}/withdraw`, { reason: 'asked for' })
      const operator = await openVisitor()
      await operator.open('/admin')
      await operator.page.getByLabel('Operator token').fill(adminToken)
      await operator.press('Sign in')
      await expectNoMistakes('admin-buyers-list', await operator.open('/admin/buyers'))
      await expectNoMistakes('admin-buyers-removals', await operator.open('/admin/buyers?filter=unconfirmed'))
      await operator.open('/admin/buyers')
      await operator.page.locator('summary', { hasText: 'Edit' }).first().click()
      await operator.page.getByRole('textbox', { name: /^E-mail address of Lab/ }).fill('new@example.com')
      await expectNoMistakes('admin-buyers-addressed', await operator.press(/^Save the e-mail address of Lab/))
      await expectNoMistakes('admin-buyers-new', await operator.open('/admin/buyers/new'))
      await operator.page.getByLabel('Name', { exact: true }).fill('Another lab')
      await expectNoMistakes('admin-buyers-token', await operator.press('Create a buyer'))
      await expectNoMistakes('admin-buyers-withdraw', await operator.open('/admin/buyers/withdrawal'))

      const { campaign } = (await operate('/api/admin/campaigns', {
        name: hostile.slice(0, 100),
        brandName: 'Acme',
        title: 'Acme',
        text: 'A line for the sponsor page',
        url: 'https://acme.example/',
        topics: [],
        cpmUsd: 10,
        budgetUsd: 100,
        startsAt: '2099-01-01T00:00:00Z',
      })) as unknown as { campaign: { id: string } }
      const link = await operate(`/api/admin/campaigns/${campaign.id}/sponsor-link`, {})
      const sponsor = await openVisitor()
      await expectNoMistakes('sponsor', await sponsor.open(`/sponsor/${link['token']}`))
      for (const one of [lab, withdrawn, operator, sponsor]) expect.soft(one.troubles).toEqual([])
    },
  )

  test('no two pages have the same title', { tags: 'slow' }, () => {
    const byTitle = new Map<string, [string, string][]>()
    for (const [name, title] of auditing.titles) byTitle.set(title, [...(byTitle.get(title) ?? []), [name, title]])
    // All replies of one page have the same title.
    const mixed = [...byTitle].filter(
      ([, pages]) => new Set(pages.map(([name]) => name.replace(/^signed-out$/, 'sign-in').split('-')[0])).size > 1,
    )
    expect(mixed).toEqual([])
  })

  test('the checks of this file report each problem of a page with many problems', async () => {
    const one = await openVisitor(true)
    const bad = `<!doctype html><html><head><title>Bad</title><style>:focus-visible { outline: none }</style></head>
<body><h1>One</h1><h1>Two</h1><h4>Deep</h4>
<p style="color:#aaa;width:900px">pale and wide</p><input><button onclick="1"></button><a href="/x" tabindex="3">x</a>
<div class="table" style="width:50px;overflow:auto"><table><tr><th>unbrokenandwide</th></tr></table></div>
<img src="https://elsewhere.example/x.png"><script>throw new Error('x')</script></body></html>`
    await one.page.route(`${server.url}/bad`, (route) => route.fulfill({ contentType: 'text/html', body: bad }))
    const found = (await auditing.audit('bad', await one.open('/bad'))).join('\n')
    for (const sign of [
      '0 of html[lang=en]',
      '2 of h1',
      '0 of main',
      'a script',
      'P has style',
      'BUTTON has onclick',
      'without a caption',
      'wider than its place',
      'color-contrast',
      'label:',
      'button-name',
      'html-has-lang',
      'heading-order',
      'px wide',
      'the focus is not seen',
      'the Tab key goes',
    ]) {
      expect.soft(found).toContain(sign)
    }
    const seen = one.troubles.join('\n')
    for (const sign of [
      'asked https://elsewhere.example/x.png',
      "no default-src 'none'",
      'no x-frame-options',
      'threw Error: x',
    ])
      expect.soft(seen).toContain(sign)
  })
})

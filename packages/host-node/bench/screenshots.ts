// `npm run screenshots [-- FOLDER [PAGE...]]` writes screenshots of every page of every actor from a demo server that
// it starts: 1280 and 390 pixels wide, light and dark. The default folder is `screenshots`. A page that fails does not
// stop the others. At the end, failed pages and pages of the service that were not opened are listed, and the exit code
// is then 1.
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { executable, launchBrowser } from '../src/browser.fixture.ts'

// The path is relative to dist/bench, where this file runs.
const cli = fileURLToPath(new URL('../cli.js', import.meta.url))

/**
 * A page, given in one of three forms: its path, the selector of a link on the previous page whose first match is
 * opened, or a function that acts on the previous page as a person would.
 */
type Stop =
  | string
  | { readonly name: string; readonly link: string }
  | { readonly name: string; readonly open: (page: Page) => Promise<unknown> }

/** Opens a page, enters values by the names of fields, and sends the form without the checks of the browser. */
const submit =
  (path: string, action: string, values: Readonly<Record<string, string>>) =>
  async (page: Page): Promise<void> => {
    if (path !== '') await page.goto(path)
    const form = page.locator(`form[action$="${action}"]`).first()
    for (const [name, value] of Object.entries(values)) {
      const field = form.locator(`[name="${name}"]:not([type=hidden])`).first()
      if ((await field.evaluate((node) => node.tagName)) === 'SELECT') await field.selectOption(value)
      else if ((await field.getAttribute('type')) === 'checkbox') await field.check()
      else await field.fill(value)
    }
    await form.evaluate((node) => ((node as unknown as { noValidate: boolean }).noValidate = true))
    await Promise.all([page.waitForNavigation(), form.locator('button').first().click()])
  }

/**
 * Submits the form of the traces without a selected trace. A browser shows the buttons of this form only when a trace
 * is selected.
 */
async function submitNoTraces(page: Page): Promise<void> {
  await page.goto('/traces')
  const button = page.locator('#choose button').first()
  await Promise.all([
    page.waitForNavigation(),
    button.evaluate((node) => (node as unknown as { click(): void }).click()),
  ])
}

/** Shows the traces that a sale could include. */
async function showSellableTraces(page: Page): Promise<void> {
  await page.goto('/admin/sales')
  await Promise.all([page.waitForNavigation(), page.locator('form.search button').first().click()])
}

/** Opens the confirmation page of an action that cannot be undone, by clicking its link. */
const ask =
  (path: string, link: string) =>
  async (page: Page): Promise<void> => {
    if (path !== '') await page.goto(path)
    await Promise.all([page.waitForNavigation(), page.locator(link).first().click()])
  }

/** Opens the confirmation page for deleting a trace. */
async function openDeletion(page: Page): Promise<void> {
  await page.goto('/traces?state=for_sale')
  await page.locator('.pick input').first().check()
  await Promise.all([page.waitForNavigation(), page.locator('#choose button[value="delete"]').click()])
}

/** Starts the sign-in of a device and opens the page on which a person authorizes it. */
async function openAuthorization(page: Page): Promise<void> {
  const reply = await page.request.post('/api/cli/device/start', { data: { machine: 'work-laptop' } })
  const { verificationUrlComplete } = (await reply.json()) as { verificationUrlComplete: string }
  await page.goto(verificationUrlComplete)
}

/** Deletes the account that is signed in. Buyers must then delete the sold traces of this account. */
async function eraseAccount(page: Page): Promise<void> {
  await page.goto('/account/erase')
  for (const box of await page.locator('input[type=checkbox]').all()) await box.check()
  await Promise.all([page.waitForNavigation(), page.locator('button[value=erase].final').click()])
}

/**
 * Replaces the token of the demo's buyer, signed in as the operator. Then signs in as the buyer with the new token,
 * which the page shows only once.
 */
async function signInAsBuyer(page: Page): Promise<void> {
  await page.goto('/admin/buyers')
  for (const button of ['tr:has-text("Meridian Research") form[action$="/rotate"] button', 'form.choice button'])
    await Promise.all([page.waitForNavigation(), page.locator(button).click()])
  const token = /trbb_[0-9A-Za-z]+/.exec(await page.locator('main').innerText())?.[0]
  if (token === undefined) throw new Error('the page of buyers shows no token')
  await submit('/buyer', '/buyer/sign-in', { token })(page)
}

/** Creates the link for a campaign's sponsor as the operator, and opens the link. */
async function openSponsorLink(page: Page): Promise<void> {
  await ask('/admin/campaigns', 'tbody tr:nth-child(5) a[href^="/admin/campaigns/"]')(page)
  await submit('', '/admin/campaigns/rotate', {})(page)
  const link = /\/sponsor\/[0-9A-Za-z_]+/.exec(await page.content())?.[0]
  if (link === undefined) throw new Error('the page of the campaign shows no link')
  await page.goto(link)
}

/**
 * Every page of each actor, in the order in which they are opened. An actor is an account of /dev/accounts, or a visitor.
 */
const actors: readonly { readonly name: string; readonly account: string | null; readonly pages: readonly Stop[] }[] = [
  {
    name: 'visitor',
    account: null,
    pages: [
      '/',
      '/sign-in',
      { name: 'sign-in-error', open: submit('', '/sign-in', { email: 'nobody' }) },
      { name: 'sign-in-code', open: submit('/sign-in', '/sign-in', { email: 'stranger@example.com' }) },
      { name: 'sign-in-code-error', open: submit('', '/sign-in', { code: '12' }) },
      '/terms',
      '/privacy',
      '/docs',
      '/docs/interactive',
      '/admin',
      { name: 'admin-error', open: submit('/admin', '/admin/sign-in', { token: 'wrong' }) },
      '/dev/mail',
      '/dev/accounts',
      '/no-such-page',
    ],
  },
  {
    name: 'newcomer',
    account: 'lena@example.com',
    pages: [
      '/',
      '/terms',
      '/apply',
      '/waitlist',
      { name: 'waitlist-error', open: submit('', '/waitlist', { email: 'lena@example.com' }) },
      { name: 'waitlist-joined', open: submit('', '/waitlist', { country: 'CA' }) },
      '/waitlist/leave',
      '/traces',
      '/jobs',
      '/earnings',
      '/account',
      { name: 'terms-accepted', open: submit('/terms', '/terms', { accepted: 'yes' }) },
    ],
  },
  {
    name: 'applicant',
    account: 'jonas@example.com',
    pages: ['/apply', { name: 'apply-error', open: submit('', '/apply', { companyName: 'Jonas' }) }, '/contact'],
  },
  {
    name: 'contributor',
    account: 'ada@example.com',
    pages: [
      '/',
      '/traces',
      { name: 'traces-selected', open: (page) => page.locator('.pick input:not(:disabled)').first().check() },
      { name: 'traces-none-selected', open: submitNoTraces },
      { name: 'traces-delete', open: openDeletion },
      '/traces?q=nothing+like+this',
      '/traces',
      { name: 'trace', link: 'a[href^="/traces/"]' },
      '/jobs',
      { name: 'job', link: 'a[href^="/jobs/"]' },
      '/blocked-terms',
      '/earnings',
      '/earn/adas-laptop',
      '/contact',
      { name: 'contact-error', open: submit('/contact', '/contact', { email: 'nobody' }) },
      '/account',
      '/account/erase',
      { name: 'erase-error', open: submit('', '/account', {}) },
      '/device',
      { name: 'device-error', open: submit('', '/device', { code: 'no' }) },
      { name: 'device-authorize', open: openAuthorization },
      { name: 'device-authorized', open: submit('', '/device', {}) },
    ],
  },
  {
    name: 'operator',
    account: 'operator',
    pages: [
      '/admin',
      '/admin/applications',
      '/admin/contributors',
      { name: 'contributor', link: 'tbody tr:last-child a[href^="/admin/contributors/"]' },
      '/admin/waitlist',
      '/admin/jobs',
      { name: 'job', link: 'tbody a[href^="/admin/jobs/"]' },
      { name: 'job-failed', open: ask('/admin/jobs?filter=failed', 'tbody a[href^="/admin/jobs/"]') },
      { name: 'waitlist-remove', open: ask('/admin/waitlist', 'tbody a[href*="remove="]') },
      '/admin/payouts',
      { name: 'payout', link: 'tbody a[href^="/admin/payouts/"]' },
      { name: 'payout-error', open: submit('', '/admin/payouts/record', { usd: '1000000' }) },
      '/admin/sales',
      { name: 'sale', link: 'tbody a[href^="/admin/sales/"]' },
      { name: 'sold-trace', link: 'tbody a[href*="?sale="]' },
      { name: 'sold-trace-withdraw', open: ask('', 'a[href*="/withdrawal?"]') },
      { name: 'sold-trace-review', open: submit('', '/admin/buyers/withdraw', { reason: 'A name was left in' }) },
      { name: 'sales-none', open: (page) => page.goto('/admin/sales?model=gpt') },
      { name: 'sales-shown', open: showSellableTraces },
      { name: 'sampled-trace', link: 'tbody a[href*="source="]' },
      {
        name: 'sale-review',
        open: async (page) => {
          await showSellableTraces(page)
          await page.locator('form:has([name="buyer"]) [name="buyer"]').fill('Example Research')
          await page.locator('form:has([name="buyer"]) [name="usd"]').fill('1.10')
          await Promise.all([page.waitForNavigation(), page.locator('form:has([name="buyer"]) button').first().click()])
        },
      },
      '/admin/campaigns',
      { name: 'campaign', link: 'tbody tr:nth-child(5) a[href^="/admin/campaigns/"]' },
      '/admin/campaigns/new',
      {
        name: 'campaign-copy',
        open: async (page) => {
          await ask('/admin/campaigns', 'tbody a[href^="/admin/campaigns/"]')(page)
          await ask('', 'a[href*="copy="]')(page)
        },
      },
      { name: 'campaign-error', open: submit('', '/admin/campaigns/create', { name: 'Spring', cpmUsd: 'much' }) },
      '/admin/reports',
      { name: 'report', link: 'tbody a[href^="/admin/reports/"]' },
      '/admin/feedback',
      '/admin/webhooks',
      { name: 'webhook', link: 'tbody a[href^="/admin/webhooks/"]' },
      { name: 'webhook-delete', open: ask('', 'a[href$="confirm=delete"]') },
      { name: 'webhook-new', open: (page) => page.goto('/admin/webhooks/new') },
      { name: 'webhook-error', open: submit('', '/admin/webhooks/create', { url: 'example.com' }) },
      {
        name: 'webhook-created',
        open: submit('/admin/webhooks/new', '/admin/webhooks/create', { url: 'https://hooks.example.com/new' }),
      },
      '/admin/outbox',
      { name: 'outbox-delete', open: ask('', 'a[href*="confirm=all"]') },
      '/admin/audit',
      '/admin/keys',
      '/admin/no-such-section',
    ],
  },
  {
    name: 'buyer',
    account: 'operator',
    pages: [
      '/buyer',
      { name: 'sign-in-error', open: submit('/buyer', '/buyer/sign-in', { token: 'wrong' }) },
      {
        name: 'buyer-created',
        open: submit('/admin/buyers/new', '/admin/buyers/create', { name: 'Example Research' }),
      },
      '/admin/buyers',
      { name: 'admin-buyers-revoke', open: ask('', 'form[action$="/revoke"] button') },
      '/admin/buyers?filter=unconfirmed',
      '/admin/buyers/withdrawal',
      { name: 'purchases', open: signInAsBuyer },
      { name: 'purchase', link: 'a[href^="/buyer/sales/"]' },
    ],
  },
  {
    name: 'leaver',
    account: 'dev@example.com',
    pages: [
      { name: 'account-preparing', open: ask('/account', 'button[value="export"]') },
      '/account/erase',
      { name: 'erased', open: eraseAccount },
      { name: 'erasure', link: 'a[href*="/account/erasures/"]' },
    ],
  },
  {
    name: 'sponsor',
    account: 'operator',
    pages: [{ name: 'campaign', open: openSponsorLink }, '/sponsor/no-such-link'],
  },
]

/** Starts `tributary dev --demo` on a fresh database and a free port. */
async function startServer(folder: string): Promise<{ url: string; child: ChildProcess }> {
  const flags = [
    'dev',
    '--demo',
    '--port',
    '0',
    '--rate-limits',
    'off',
    '--database',
    join(folder, 'demo.db'),
    '--json',
  ]
  const child = spawn(process.execPath, [cli, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((done, fail) => {
    let output = ''
    child.stdout.on('data', (part) => {
      output += String(part)
      const found = /"url":"([^"]+)"/.exec(output)
      if (found) done({ url: found[1]!, child })
    })
    child.once('exit', () => fail(new Error('the demo server did not start')))
  })
}

/** Opens a page and returns the name of its picture. */
async function openStop(page: Page, stop: Stop): Promise<string> {
  if (typeof stop !== 'string') {
    if ('open' in stop) await stop.open(page)
    else await page.goto((await page.locator(stop.link).first().getAttribute('href', { timeout: 2000 }))!)
    return stop.name
  }
  const response = await page.goto(stop)
  // Charts and the interactive reference are drawn after the page was loaded. If a page never becomes idle, its current
  // state is captured.
  await page.waitForLoadState('networkidle').catch(() => undefined)
  const type = response?.headers()['content-type'] ?? ''
  // Without a token, the pages of operators and buyers show their sign-in.
  const isExpected = response?.ok() || response?.status() === 401 || stop.includes('/no-such-')
  if (!isExpected || !type.startsWith('text/html')) throw new Error(`${stop} answered ${response?.status()} ${type}`)
  return stop.slice(1).replaceAll(/[^a-z0-9]+/g, '-') || 'home'
}

/** Takes the four pictures of the page that is open. Returns their number. */
async function takePictures(page: Page, path: string): Promise<number> {
  let count = 0
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      // Charts are drawn again one frame after a change.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
      await page.screenshot({ path: `${path}-${width}-${colorScheme}.png`, fullPage: true, timeout: 60_000 })
      count++
    }
  }
  return count
}

/**
 * The time limit of a step, in milliseconds. It ends a step that would never finish, such as a page with an endless
 * script.
 */
const stopMs = 240_000
function within<T>(step: Promise<T>): Promise<T> {
  return new Promise((done, fail) => {
    const timer = setTimeout(() => fail(new Error(`not done after ${stopMs / 1000} s`)), stopMs)
    step.then(done, fail).finally(() => clearTimeout(timer))
  })
}

interface Pictured {
  count: number
  readonly failures: string[]
  /** The paths that were opened. */
  readonly opened: Set<string>
}

async function pictureActor(
  browser: Browser,
  { name: actor, account, pages }: (typeof actors)[number],
  { url, folder, pictured }: { readonly url: string; readonly folder: string; readonly pictured: Pictured },
): Promise<void> {
  const context = await browser.newContext({ baseURL: url, reducedMotion: 'reduce' })
  context.setDefaultTimeout(60_000)
  let page = await context.newPage()
  const signIn = () => page.goto(`/dev/sign-in?as=${account}`)
  // On a loaded machine the first sign-in may time out, so a failed sign-in is repeated once.
  if (account !== null) await signIn().catch(signIn)
  for (const stop of pages) {
    try {
      pictured.count += await within(
        openStop(page, stop).then((name) => {
          pictured.opened.add(new URL(page.url()).pathname)
          const picture = `${actor}-${name}`
          return only.length === 0 || only.includes(picture) ? takePictures(page, join(folder, picture)) : 0
        }),
      )
    } catch (error) {
      const reason = error instanceof Error ? error.message.split('\n')[0]! : String(error)
      pictured.failures.push(`${actor} ${typeof stop === 'string' ? stop : stop.name}: ${reason}`)
      // The next page opens in a new tab, because this tab may never respond again.
      void page.close().catch(() => undefined)
      page = await context.newPage()
    }
  }
  await context.close()
}

/** Returns the pages of the service that were not opened, except the pages of operators. */
async function listUnopened(url: string, opened: ReadonlySet<string>): Promise<string[]> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, { get?: { responses: Record<string, { $ref?: string; content?: object }> } }>
  }
  const isPage = ({ $ref, content }: { $ref?: string; content?: object }): boolean =>
    $ref?.includes('/Page') || 'text/html' in (content ?? {})
  return Object.entries(paths)
    .filter(([path, { get }]) => get && !path.startsWith('/assets/') && isPage(get.responses['200'] ?? {}))
    .map(([path]) => path)
    .filter((path) => {
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
      return ![...opened].some((one) => pattern.test(one))
    })
}

const usage = `npm run screenshots [-- FOLDER [PAGE...]]

Writes a screenshot of every page of every actor to FOLDER (default: screenshots), 1280 and 390 pixels wide, in light
and dark. Lists the pages that failed at the end, and exits with 1 if there are any. With the names of pages, such
as operator-sale, all pages are opened and only these are pictured.`
if (process.argv[2]?.startsWith('-')) {
  console.log(usage)
  process.exit(process.argv[2] === '--help' ? 0 : 2)
}
if (executable === undefined) throw new Error('Chromium is missing: install it, or set TRIBUTARY_CHROMIUM to its path')
const folder = resolve(process.argv[2] ?? 'screenshots')
const only = process.argv.slice(3)
mkdirSync(folder, { recursive: true })
const data = mkdtempSync(join(tmpdir(), 'tributary-screenshots-'))
const { url, child } = await startServer(data)
const browser = await launchBrowser()
const pictured: Pictured = { count: 0, failures: [], opened: new Set() }
try {
  for (const actor of actors)
    await pictureActor(browser, actor, { url, folder, pictured }).catch((error: unknown) =>
      pictured.failures.push(`${actor.name}: ${String(error).split('\n')[0]}`),
    )
  const unopened = await listUnopened(url, pictured.opened)
  pictured.failures.push(...unopened.map((path) => `${path}: no actor opens it`))
} finally {
  await browser.close()
  child.removeAllListeners('exit').kill('SIGTERM')
  await new Promise((ended) => child.once('exit', ended))
  rmSync(data, { recursive: true, force: true })
}
console.log(`${pictured.count} screenshots in ${folder}`)
for (const failure of pictured.failures) console.error(`failed: ${failure}`)
process.exitCode = pictured.failures.length > 0 ? 1 : 0

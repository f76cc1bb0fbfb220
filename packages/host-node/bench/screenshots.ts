// `npm run screenshots [-- FOLDER]`: writes a screenshot of every page of every actor, 1280 and 390 pixels wide, light
// and dark, of a demo server of its own. The default folder is `screenshots`.
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { executable, launchBrowser } from '../src/browser.fixture.ts'

// From dist/bench, where this file runs.
const cli = fileURLToPath(new URL('../cli.js', import.meta.url))

/** A page by its path, or by the selector of a link on the page before it whose first match is opened. */
type Stop = string | { readonly name: string; readonly link: string }

/**
 * Every page of each actor, in the order in which they are opened. An actor is an account of /dev/accounts, or nobody.
 */
const actors: readonly { readonly name: string; readonly account: string | null; readonly pages: readonly Stop[] }[] = [
  {
    name: 'visitor',
    account: null,
    pages: ['/', '/sign-in', '/terms', '/docs/plain', '/admin', '/dev/mail', '/dev/accounts', '/no-such-page'],
  },
  {
    name: 'newcomer',
    account: 'lena@example.com',
    pages: ['/', '/terms', '/apply', '/waitlist', '/traces', '/account'],
  },
  {
    name: 'contributor',
    account: 'ada@example.com',
    pages: [
      '/',
      '/traces',
      { name: 'trace', link: 'a[href^="/traces/"]' },
      '/jobs',
      { name: 'job', link: 'a[href^="/jobs/"]' },
      '/blocked-terms',
      '/earnings',
      '/earn/ada-terminal-1',
      '/contact',
      '/account',
      '/account/erase',
      '/device',
    ],
  },
  {
    name: 'operator',
    account: 'operator',
    pages: [
      '/',
      '/admin',
      '/admin/applications',
      '/admin/contributors',
      { name: 'contributor', link: 'tbody tr:last-child a[href^="/admin/contributors/"]' },
      '/admin/waitlist',
      '/admin/jobs',
      '/admin/payouts',
      '/admin/sales',
      '/admin/campaigns',
      { name: 'campaign', link: 'tbody tr:nth-child(5) a[href^="/admin/campaigns/"]' },
      '/admin/campaigns/new',
      '/admin/reports',
      { name: 'report', link: 'tbody a[href^="/admin/reports/"]' },
      '/admin/feedback',
      '/admin/webhooks',
      '/admin/outbox',
      '/admin/audit',
    ],
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

/** Opens a page; returns the name of its picture, or null when there is no such page. */
async function openStop(page: Page, stop: Stop): Promise<string | null> {
  if (typeof stop !== 'string') {
    const href = await page
      .locator(stop.link)
      .first()
      .getAttribute('href', { timeout: 1000 })
      .catch(() => null)
    if (href === null) return null
    await page.goto(href)
    return stop.name
  }
  const response = await page.goto(stop)
  const isPage = (response?.headers()['content-type'] ?? '').startsWith('text/html')
  return isPage ? stop.slice(1).replaceAll('/', '-') || 'home' : null
}

async function takeScreenshots(browser: Browser, url: string, folder: string): Promise<number> {
  let count = 0
  for (const { name: actor, account, pages } of actors) {
    const context = await browser.newContext({ baseURL: url, reducedMotion: 'reduce' })
    const page = await context.newPage()
    if (account !== null) await page.goto(`/dev/sign-in?as=${account}`)
    for (const stop of pages) {
      const name = await openStop(page, stop)
      if (name === null) {
        console.log(`${actor} has no page ${typeof stop === 'string' ? stop : stop.name}`)
        continue
      }
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 900 })
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          // Charts are drawn again in the frame after a change.
          await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
          await page.screenshot({ path: join(folder, `${actor}-${name}-${width}-${colorScheme}.png`), fullPage: true })
          count++
        }
      }
    }
    await context.close()
  }
  return count
}

if (executable === undefined) throw new Error('Chromium is missing: install it, or set TRIBUTARY_CHROMIUM to its path')
const folder = resolve(process.argv[2] ?? 'screenshots')
mkdirSync(folder, { recursive: true })
const data = mkdtempSync(join(tmpdir(), 'tributary-screenshots-'))
const { url, child } = await startServer(data)
const browser = await launchBrowser()
try {
  console.log(`${await takeScreenshots(browser, url, folder)} screenshots in ${folder}`)
} finally {
  await browser.close()
  child.removeAllListeners('exit').kill('SIGTERM')
  await new Promise((ended) => child.once('exit', ended))
  rmSync(data, { recursive: true, force: true })
}

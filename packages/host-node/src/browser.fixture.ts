import { existsSync } from 'node:fs'
import { chromium, type Browser, type BrowserContext, type Page, type Response } from 'playwright-core'
import { hangMs } from '../../test-kit/src/setup/hang.ts'

const places = [
  process.env['TRIBUTARY_CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** The path of this machine's browser, or undefined without a browser. CI installs Debian's Chromium. */
export const executable = places.find((place) => place && existsSync(place))

/** Starts a browser that sends requests only to the pages' own server. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: executable!,
    headless: true,
    timeout: hangMs,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** A person's browser, with its problems and the last document that it received. */
export interface Person {
  readonly page: Page
  /**
   * The problems so far: requests to other servers, console messages, policy violations, failed loads, and documents
   * without the strict policy.
   */
  readonly troubles: string[]
  /** The document on the page as the server sent it. */
  document(): Response
  /** Presses the button with that name on the page, sends its form, and waits for the next page. */
  press(name: string | RegExp, at?: number): Promise<Response>
  /** Goes to a path of the service. */
  open(path: string): Promise<Response>
  /** Turns off the browser's own validation of forms, so that the server's validation is tested. */
  disableFormValidation(): Promise<void>
  close(): Promise<void>
}

/** Opens a browser context without cookies for another person. */
export async function openPerson(browser: Browser, url: string, javaScriptEnabled: boolean): Promise<Person> {
  const context = await browser.newContext({
    javaScriptEnabled,
    baseURL: url,
    viewport: { width: 1200, height: 900 },
    reducedMotion: 'reduce',
    acceptDownloads: true,
  })
  context.setDefaultTimeout(Math.min(hangMs, 120_000))
  const page = await context.newPage()
  const troubles: string[] = []
  let last: Response | null = null
  watchContext(context, url, troubles, (response) => (last = response))
  const waitForDocument = (): Promise<Response> =>
    page.waitForResponse((response) => isDocument(response) && response.status() !== 303)
  return {
    page,
    troubles,
    document: () => last!,
    async press(name, at = 0) {
      const [response] = await Promise.all([
        waitForDocument(),
        page
          .getByRole('button', { name, exact: typeof name === 'string' })
          .nth(at)
          .click(),
      ])
      await page.waitForLoadState()
      return response
    },
    async open(path) {
      const response = await page.goto(path)
      return response!
    },
    disableFormValidation: () =>
      page.evaluate(() => {
        for (const form of document.forms) form.noValidate = true
      }),
    close: () => context.close(),
  }
}

const isDocument = (response: Response): boolean => response.request().isNavigationRequest()

function watchContext(
  context: BrowserContext,
  url: string,
  troubles: string[],
  onDocument: (response: Response) => void,
): void {
  const statuses = new Set<string>()
  context.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:'))
      troubles.push(`asked ${request.url()}`)
  })
  context.on('requestfailed', (request) => {
    // A download ends the navigation that started it.
    if (!/\/(download|export)(\?|$)/.test(request.url()))
      troubles.push(`${request.url()} failed: ${request.failure()?.errorText}`)
  })
  context.on('response', (response) => {
    if (!isDocument(response)) {
      if (response.status() >= 400) troubles.push(`${response.url()} answered ${response.status()}`)
      return
    }
    statuses.add(response.url())
    const headers = response.headers()
    if (!(headers['content-type'] ?? '').startsWith('text/html')) return
    onDocument(response)
    troubles.push(
      ...listHeaderMistakes(
        headers['content-security-policy'] ?? '',
        headers,
        response.url() === `${url}/docs/interactive`,
      ).map((what) => `${response.url()}: ${what}`),
    )
  })
  context.on('console', (message) => {
    // Chromium logs the 400 for a form with mistakes as a failed load. The test expects this status.
    const known = message.text().startsWith('Failed to load resource') && statuses.has(message.location().url)
    if (!known) troubles.push(`${context.pages()[0]?.url()} said ${message.text()}`)
  })
  context.on('weberror', (error) => troubles.push(`${error.page()?.url()} threw ${String(error.error())}`))
}

/** Returns the headers of a page that allow too much. */
function listHeaderMistakes(
  policy: string,
  headers: Readonly<Record<string, string>>,
  isApiReference: boolean,
): string[] {
  const found = ["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]
    .filter((part) => !policy.includes(part))
    .map((part) => `no ${part}`)
  const known = isApiReference ? policy.replace("style-src 'unsafe-inline'", '') : policy
  if (/unsafe|\*|https?:/.test(known)) found.push(`a loose policy: ${policy}`)
  if (headers['x-frame-options'] !== 'DENY') found.push('no x-frame-options')
  if (headers['x-content-type-options'] !== 'nosniff') found.push('no nosniff')
  if (headers['referrer-policy'] !== 'no-referrer') found.push('no referrer-policy')
  return found
}

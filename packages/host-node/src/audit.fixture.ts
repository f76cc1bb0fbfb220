import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { isFullRun } from '@tributary/test-kit'
import { hangMs } from '../../test-kit/src/setup/hang.ts'
import type { Browser, Page, Response } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The folder of screenshots, from `TRIBUTARY_SCREENSHOTS`. Without it, no screenshots are taken. */
const screenshotFolder = process.env['TRIBUTARY_SCREENSHOTS']

/**
 * Checks documents as the server sent them: light and dark, on wide and narrow pages, with axe and with the Tab key.
 */
export interface Auditor {
  /** Returns the problems of a page, or an empty list. `name` is the base name of its screenshots. */
  audit(name: string, response: Response): Promise<string[]>
  /** The titles of the pages that were checked, by name. */
  readonly titles: ReadonlyMap<string, string>
  close(): Promise<void>
}

/**
 * Creates an auditor that loads the recorded bytes and headers of a response into its browser. So it can check the
 * response to a form repeatedly without submitting the form again. The browser runs scripts, because axe is a script.
 */
export async function openAuditor(browser: Browser): Promise<Auditor> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, reducedMotion: 'reduce' })
  context.setDefaultTimeout(hangMs)
  const page = await context.newPage()
  const titles = new Map<string, string>()
  const families = new Set<string>()
  if (screenshotFolder) mkdirSync(screenshotFolder, { recursive: true })
  return {
    titles,
    async audit(name, response) {
      await showResponse(page, response)
      // The operations of the API documents look alike, so the short run checks only the first operation of each group.
      if (!isFullRun) await page.evaluate(removeOtherOperations)
      const found: string[] = []
      const add = (when: string, wrong: readonly string[]): void =>
        void found.push(...wrong.map((what) => `${name}, ${when}: ${what}`))
      titles.set(name, await page.title())
      add('page', await page.evaluate(listStructureMistakes))
      await page.evaluate(axe)
      // Replies of one page look alike, so the first is checked with all four appearances, and the others with two.
      const family = name.split('-')[0]!
      const first = !families.has(family)
      families.add(family)
      for (const [scheme, width] of first || screenshotFolder ? appearances : appearances.slice(0, 2)) {
        await page.setViewportSize({ width, height: width === 390 ? 844 : 900 })
        await page.emulateMedia({ colorScheme: scheme })
        // The rules that depend on neither colour nor width need to be checked only once.
        const whole = scheme === 'light' && width === 1200
        add(`${scheme} ${width}`, await page.evaluate(listAxeViolations, whole))
        if (screenshotFolder)
          await page.screenshot({ path: join(screenshotFolder, `${name}-${scheme}-${width}.png`), fullPage: true })
      }
      await page.setViewportSize({ width: 320, height: 640 })
      add('320 wide', await page.evaluate(listOverflows))
      add('keyboard', await listTabbingMistakes(page, first ? 40 : 20))
      return found
    },
    close: () => context.close(),
  }
}

const appearances = [
  ['light', 1200],
  ['dark', 390],
  ['dark', 1200],
  ['light', 390],
] as const

async function showResponse(page: Page, response: Response): Promise<void> {
  const [url, body, headers] = [response.url(), await response.body(), await response.allHeaders()]
  const { 'set-cookie': _, 'content-encoding': __, 'content-length': ___, 'transfer-encoding': ____, ...kept } = headers
  await page.setViewportSize({ width: 1200, height: 900 })
  await page.route(url, (route) => route.fulfill({ status: response.status(), body, headers: kept }))
  await page.goto(url)
  await page.unroute(url)
}

/** Removes all operations except the first of each group. Runs in the page. */
function removeOtherOperations(): void {
  for (const one of document.querySelectorAll('details.operation:not(:first-of-type)')) one.remove()
}

/**
 * Returns elements that a page must contain exactly once but lacks or contains twice, and inline scripts and styles.
 * Runs in the page.
 */
function listStructureMistakes(): string[] {
  const found: string[] = []
  const expectOne = (selector: string): void => {
    const { length } = document.querySelectorAll(selector)
    if (length !== 1) found.push(`${length} of ${selector}`)
  }
  for (const selector of ['html[lang=en]', 'h1', 'main', 'head > title', 'meta[name=viewport]', 'link[rel=icon]'])
    expectOne(selector)
  // Only our own scripts are allowed. Pages must also work without them.
  if ([...document.scripts].some((script) => !script.getAttribute('src')?.includes('/assets/'))) found.push('a script')
  // uPlot places a chart through the CSSOM, which the content security policy allows.
  for (const element of document.querySelectorAll(':not(.plot *)')) {
    for (const { name } of element.attributes)
      if (name === 'style' || name.startsWith('on')) found.push(`${element.tagName} has ${name}`)
  }
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id)
  if (new Set(ids).size !== ids.length) found.push('an id twice')
  // The table of a chart has a column for each line, so it may be scrolled.
  for (const container of document.querySelectorAll('.table:not(figure .table)')) {
    const folded = [...container.querySelectorAll<HTMLDetailsElement>('details:not([open])')]
    for (const opened of [null, ...folded]) {
      if (opened) opened.open = true
      const excess = container.scrollWidth - container.clientWidth
      if (excess > 0) {
        const what = opened ? ` when ${opened.querySelector('summary')?.textContent.trim()} is open` : ''
        found.push(`a table ${excess} px wider than its place${what}`)
      }
      if (opened) opened.open = false
    }
  }
  for (const table of document.querySelectorAll('table')) {
    if (!table.caption?.textContent?.trim()) found.push('a table without a caption')
    if (table.querySelector('thead th:not([scope=col]), tbody th:not([scope=row])'))
      found.push('a heading cell without its scope')
  }
  return found
}

type Axe = {
  run(options: unknown): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>
}

/**
 * Returns the violations of WCAG 2.2 A and AA and of axe's best practices that axe finds, or only the violations of
 * rules that depend on colours and width. Runs in the page.
 */
async function listAxeViolations(whole: boolean): Promise<string[]> {
  const { axe } = globalThis as unknown as { axe: Axe }
  const some = [
    'color-contrast',
    'target-size',
    'scrollable-region-focusable',
    'link-in-text-block',
    'td-headers-attr',
    'th-has-data-cells',
    'label',
    'button-name',
  ]
  const { violations } = await axe.run({
    resultTypes: ['violations'],
    ...(whole ? { rules: { 'target-size': { enabled: true } } } : { runOnly: { type: 'rule', values: some } }),
  })
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  )
}

/** Returns up to five texts of an open page whose contrast is too low, as axe describes them. */
export async function listLowContrast(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(async () => {
    const { axe: loaded } = globalThis as unknown as { axe: Axe }
    const { violations } = await loaded.run({ runOnly: { type: 'rule', values: ['color-contrast'] } })
    return violations.flatMap(({ nodes }) =>
      nodes.slice(0, 5).map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary ?? ''}`),
    )
  })
}

/** Returns a description of a page that is wider than the window, or an empty list. Runs in the page. */
function listOverflows(): string[] {
  const { scrollWidth, clientWidth } = document.documentElement
  if (scrollWidth <= clientWidth) return []
  const wide = [...document.querySelectorAll('body *')]
    .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
    .slice(0, 3)
  return [`${scrollWidth} px wide: ${wide.map((element) => element.outerHTML.slice(0, 120)).join(' | ')}`]
}

/** Returns controls that the Tab key does not reach in page order, and controls that show no focus. */
async function listTabbingMistakes(page: Page, atMost: number): Promise<string[]> {
  const expected = await page.evaluate(() => {
    const all = [
      ...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary, [tabindex="0"]'),
    ]
    // Among radio buttons with one name, the Tab key reaches only the selected one.
    const isPassedOver = (element: HTMLElement): boolean =>
      element.matches('[type=radio]:not(:checked)') &&
      (element as HTMLInputElement).form?.querySelector(`[name="${(element as HTMLInputElement).name}"]:checked`) !==
        null
    const reachable = all.filter(
      (element) => element.checkVisibility() && !element.matches(':disabled, [type=hidden]') && !isPassedOver(element),
    )
    for (const [at, element] of reachable.entries()) element.dataset['stop'] = String(at)
    // A page with errors focuses its error notice. The body is focused instead, so that Tab starts at the beginning of
    // the page.
    document.body.tabIndex = -1
    document.body.focus()
    document.body.removeAttribute('tabindex')
    window.scrollTo(0, 0)
    return reachable.length
  })
  const most = Math.min(expected, atMost)
  const seen: number[] = []
  const hidden: string[] = []
  // A field for a date has several tab stops inside.
  for (let presses = 0; seen.length < most && presses < 2 * most + 16; presses++) {
    await page.keyboard.press('Tab')
    const at = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement
      const { outlineStyle, outlineWidth } = getComputedStyle(element)
      const { width, height } = element.getBoundingClientRect()
      return {
        stop: Number(element.dataset['stop'] ?? -1),
        shown: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && width * height > 0,
        html: element.outerHTML.slice(0, 120),
      }
    })
    if (at.stop === seen.at(-1) && at.stop !== -1) continue
    seen.push(at.stop)
    if (!at.shown) hidden.push(`the focus is not seen on ${at.html}`)
  }
  const order =
    seen.length === most && seen.every((stop, i) => stop === i)
      ? []
      : [`the Tab key goes ${seen.join(' ')}, not 0 to ${most - 1}`]
  return [...order, ...hidden]
}

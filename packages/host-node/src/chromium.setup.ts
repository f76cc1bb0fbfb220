import { existsSync } from 'node:fs'
import { installDebianPackage } from '../../test-kit/src/setup/debian-package.ts'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const installed = (): string | undefined =>
  [process.env['TRIBUTARY_CHROMIUM'], ...places].find((place) => place && existsSync(place))

/** Finds the browser of the page tests, or installs Debian's Chromium. Vitest calls it before all tests. */
export function setup(): void {
  if (!installed()) installDebianPackage('chromium')
  const browser = installed()
  console.log(browser ? `Page tests use ${browser}` : 'No Chromium here: the page tests are skipped')
  if (browser) process.env['TRIBUTARY_CHROMIUM'] = browser
}

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]
const installed = (): string | undefined =>
  [process.env['TRIBUTARY_CHROMIUM'], ...places].find((place) => place && existsSync(place))

/**
 * Finds the browser of the page tests; without one installs Debian's by apt-get, where this is root. Vitest runs it
 * first.
 */
export function setup(): void {
  if (!installed() && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log("Installing Debian's chromium for the page tests…")
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    spawnSync('apt-get', ['update', '-q'], { env })
    spawnSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'chromium'], { env })
  }
  const browser = installed()
  console.log(browser ? `Page tests use ${browser}` : 'No Chromium here: the page tests are skipped')
  if (browser) process.env['TRIBUTARY_CHROMIUM'] = browser
}

import { existsSync } from 'node:fs'
import { run } from './root.mjs'

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

function found() {
  return [process.env.TRIBUTARY_CHROMIUM, ...places].find((place) => place && existsSync(place)) ?? null
}

/** The browser of the page tests: what is there, else Debian's by apt-get when this is root, else null. */
export async function chromium() {
  const there = found()
  if (there || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return there
  console.log("Installing Debian's chromium for the page tests…")
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  await run(['apt-get', 'update', '-q'], { env, quiet: true })
  const { code, output } = await run(['apt-get', 'install', '-y', '-q', '--no-install-recommends', 'chromium'], {
    env,
    quiet: true,
  })
  if (code !== 0) console.log(output.trim().split('\n').slice(-5).join('\n'))
  return found()
}

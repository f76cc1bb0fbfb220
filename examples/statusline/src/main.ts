import { parseArgs } from 'node:util'
import { keptToken } from './folder.ts'
import { help, names } from './help.ts'
import { show } from './show.ts'
import { silence } from './silence.ts'
import { Stop, type Session, type Surroundings } from './surroundings.ts'

const flags = {
  url: { type: 'string' },
  token: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  force: { type: 'boolean' },
  print: { type: 'boolean' },
  new: { type: 'boolean' },
} as const

type Flags = ReturnType<typeof read>['values']
/** What a command answers: for a program and for a reader. */
type Answer = { json: object; text: string }

/** Commands that a prompt runs: they say nothing and end with 0, whatever happens. */
const quiet = ['show', 'refresh']

function read(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: flags, allowPositionals: true })
  } catch (error) {
    throw new Stop('usage', `${(error as Error).message}\nSee --help.`, 2)
  }
}

/**
 * Runs one command; resolves with the exit code: 0 done, 1 failed, 2 called wrongly. `show` and `refresh` always end
 * with 0.
 */
export async function main(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const asJson = argv.includes('--json')
  const hushed = quiet.includes(argv.find((one) => !one.startsWith('-')) ?? '')
  try {
    const {
      values,
      positionals: [command, ...rest],
    } = read(argv)
    if (values.help || command === undefined) {
      surroundings.out(help(command))
      return values.help ? 0 : 2
    }
    if (!names.includes(command)) throw new Stop('usage', 'There is no such command. See --help.', 2)
    const answer = await run(command, rest, values, sessionOf(values, surroundings))
    if (asJson) surroundings.out(JSON.stringify({ ok: true, ...answer.json }, null, 2))
    else if (answer.text !== '') surroundings.out(answer.text)
    return 0
  } catch (error) {
    const known = error instanceof Stop
    if (hushed) {
      if (asJson) surroundings.out(JSON.stringify({ ok: false, error: known ? error.code : 'internal_error' }, null, 2))
      return 0
    }
    const message = known ? error.message : `It did not work: ${error instanceof Error ? error.message : String(error)}`
    if (asJson)
      surroundings.out(JSON.stringify({ ok: false, error: known ? error.code : 'internal_error', message }, null, 2))
    else surroundings.note(message)
    return known ? error.exit : 1
  }
}

async function run(command: string, rest: readonly string[], values: Flags, session: Session): Promise<Answer> {
  const force = values.force === true
  if (command === 'show') return show(session, force)
  // The prompt's own path ends here; the rest is loaded when somebody wants it.
  const commands = await import('./commands.ts')
  if (command === 'status') {
    const state = commands.status(session, force)
    return { json: state, text: commands.statusText(session, state) }
  }
  if (command === 'refresh') {
    const why = silence(session, force)
    if (why) return { json: { silent: why }, text: '' }
    const { background } = await import('./background.ts')
    const done = await background(session)
    return {
      json: {
        ...(done ?? { counted: false, refreshed: false }),
        busy: done === null,
        problem: commands.status(session, force).problem,
      },
      text: '',
    }
  }
  if (session.token === null)
    throw new Stop('unauthorized', 'You are not logged in. Log in with: npm run example:contributor -- login')
  if (command === 'claim') {
    const { device } = await commands.claim(session, values.new === true)
    return { json: { device }, text: `The device ${device} is yours.` }
  }
  if (command === 'vote') {
    const [direction, reason] = rest
    if (direction !== 'up' && direction !== 'down')
      throw new Stop('usage', 'Vote `up` or `down`, with a reason if you like.', 2)
    const { brandName } = await commands.vote(session, direction, reason)
    return { json: { vote: direction, brandName }, text: `Voted ${direction} on ${brandName}.` }
  }
  const url = await commands.sponsorUrl(session)
  if (values.print || !(await session.browse(url))) return { json: { url }, text: url }
  return { json: { url }, text: '' }
}

function sessionOf(values: Flags, surroundings: Surroundings): Session {
  const url = values.url ?? surroundings.env['TRIBUTARY_URL'] ?? 'http://127.0.0.1:8787'
  if (!/^https?:/.test(url) || !URL.canParse(url)) throw new Stop('usage', '--url wants the address of a service.', 2)
  const base = url.replace(/\/+$/, '')
  return {
    ...surroundings,
    base,
    token: values.token ?? surroundings.env['TRIBUTARY_TOKEN'] ?? keptToken(surroundings, base),
  }
}

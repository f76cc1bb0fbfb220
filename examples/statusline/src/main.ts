import { parseArgs } from 'node:util'
import { readToken } from './config-files.ts'
import { formatHelp, commandNames } from './help.ts'
import { showLine } from './show.ts'
import { findSilence } from './silence.ts'
import { CommandError, type Session, type Runtime } from './runtime.ts'

const flags = {
  url: { type: 'string' },
  token: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  force: { type: 'boolean' },
  print: { type: 'boolean' },
  new: { type: 'boolean' },
} as const

type Flags = ReturnType<typeof parseFlags>['values']
/** A command's output as JSON and as text. */
type Answer = { json: object; text: string }

/** Commands that a prompt runs: they print no error and exit with 0. */
const quiet = ['show', 'refresh']

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: flags, allowPositionals: true })
  } catch (error) {
    throw new CommandError('usage', `${(error as Error).message}\nSee --help.`, 2)
  }
}

/**
 * Runs one command. Resolves with the exit code: 0 done, 1 failed, 2 invalid usage. `show` and `refresh` always exit
 * with 0.
 */
export async function main(argv: readonly string[], runtime: Runtime): Promise<number> {
  const asJson = argv.includes('--json')
  const isQuiet = quiet.includes(argv.find((one) => !one.startsWith('-')) ?? '')
  try {
    const {
      values,
      positionals: [command, ...rest],
    } = parseFlags(argv)
    if (values.help || command === undefined) {
      runtime.out(formatHelp(command))
      return values.help ? 0 : 2
    }
    if (!commandNames.includes(command)) throw new CommandError('usage', `Unknown command: ${command}. See --help.`, 2)
    const answer = await runCommand(command, rest, values, createSession(values, runtime))
    if (asJson) runtime.out(JSON.stringify({ ok: true, ...answer.json }, null, 2))
    else if (answer.text !== '') runtime.out(answer.text)
    return 0
  } catch (error) {
    const known = error instanceof CommandError
    if (isQuiet) {
      if (asJson) runtime.out(JSON.stringify({ ok: false, error: known ? error.code : 'internal_error' }, null, 2))
      return 0
    }
    const message = known ? error.message : `Failed: ${error instanceof Error ? error.message : String(error)}`
    if (asJson)
      runtime.out(JSON.stringify({ ok: false, error: known ? error.code : 'internal_error', message }, null, 2))
    else runtime.note(message)
    return known ? error.exit : 1
  }
}

async function runCommand(command: string, rest: readonly string[], values: Flags, session: Session): Promise<Answer> {
  const force = values.force === true
  if (command === 'show') return showLine(session, force)
  // `show` runs at every prompt, so the other commands are loaded only when they are used.
  const commands = await import('./commands.ts')
  if (command === 'status') {
    const state = commands.readStatus(session, force)
    return { json: state, text: commands.formatStatus(session, state) }
  }
  if (command === 'refresh') {
    const why = findSilence(session, force)
    if (why) return { json: { silent: why }, text: '' }
    const { runBackground: background } = await import('./background.ts')
    const done = await background(session)
    return {
      json: {
        ...(done ?? { counted: false, refreshed: false }),
        busy: done === null,
        problem: commands.readStatus(session, force).problem,
      },
      text: '',
    }
  }
  if (session.token === null)
    throw new CommandError('unauthorized', 'You are not logged in. Run: npm run example:contributor -- login')
  if (command === 'claim') {
    const { device } = await commands.claimDevice(session, values.new === true)
    return { json: { device }, text: `Claimed device ${device}.` }
  }
  if (command === 'vote') {
    const [direction, reason] = rest
    if (direction !== 'up' && direction !== 'down') throw new CommandError('usage', 'Usage: vote up|down [REASON]', 2)
    const { brandName } = await commands.voteOnSponsor(session, direction, reason)
    return { json: { vote: direction, brandName }, text: `Voted ${direction} on ${brandName}.` }
  }
  const url = await commands.readSponsorUrl(session)
  if (values.print || !(await session.browse(url))) return { json: { url }, text: url }
  return { json: { url }, text: '' }
}

function createSession(values: Flags, runtime: Runtime): Session {
  const url = values.url ?? runtime.env['TRIBUTARY_URL'] ?? 'http://127.0.0.1:8787'
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new CommandError('usage', `--url: not an http or https URL: ${url}`, 2)
  const base = url.replace(/\/+$/, '')
  return {
    ...runtime,
    base,
    token: values.token ?? runtime.env['TRIBUTARY_TOKEN'] ?? readToken(runtime, base),
  }
}

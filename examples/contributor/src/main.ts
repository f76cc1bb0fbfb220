import { parseArgs } from 'node:util'
import { checkOptionNames } from '@tributary/core/adapter'
import { readToken } from './credentials.ts'
import { showEarnings } from './earnings.ts'
import { formatHelp, listFlags, programName, commandNames } from './help.ts'
import { showJobs } from './jobs.ts'
import { logIn, logOut } from './login.ts'
import { open } from './open.ts'
import { readOutcome } from './outcome.ts'
import { previewTraces } from './preview.ts'
import { selectTraces } from './selection.ts'
import { connect, type Service } from './service.ts'
import { setUpClient } from './setup.ts'
import { show } from './show.ts'
import { showStatus } from './status.ts'
import { CommandError, confirm, toPlainText, formatCount, type CommandResult, type Terminal } from './terminal.ts'
import { change, download, list, remove, resolveIds } from './traces.ts'
import { reportDryRun, upload } from './upload.ts'

const flags = {
  'url': { type: 'string' },
  'token': { type: 'string' },
  'json': { type: 'boolean' },
  'help': { type: 'boolean', short: 'h' },
  'all': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  'confirm': { type: 'boolean' },
  'details': { type: 'boolean' },
  'full': { type: 'boolean' },
  'reset': { type: 'boolean' },
  'limit': { type: 'string' },
  'yes': { type: 'boolean' },
  'out': { type: 'string' },
  'source': { type: 'string', multiple: true },
  'project': { type: 'string', multiple: true },
  'exclude-project': { type: 'string', multiple: true },
  'blocked-term': { type: 'string', multiple: true },
  'state': { type: 'string' },
  'from': { type: 'string' },
  'to': { type: 'string' },
  'search': { type: 'string' },
  'outcome': { type: 'string' },
  'tests-passed': { type: 'string' },
  'tests-failed': { type: 'string' },
  'note': { type: 'string' },
} as const

type Flags = ReturnType<typeof readArguments>['values']

/**
 * Reads the arguments. Throws `CommandError` on a flag that the command does not have; the message names the most
 * similar flag.
 */
function readArguments(argv: readonly string[]) {
  const parsed = { args: [...argv], options: flags, allowPositionals: true } as const
  try {
    const { tokens, positionals } = parseArgs({ ...parsed, strict: false, tokens: true })
    const [command = ''] = positionals
    const known = commandNames.includes(command) ? listFlags(command) : Object.keys(flags).map((name) => `--${name}`)
    const sent = tokens.flatMap((token) => (token.kind === 'option' ? [nameFlag(token)] : []))
    checkOptionNames(toKeys(sent), toKeys(known))
    return parseArgs(parsed)
  } catch (error) {
    throw new CommandError('usage', `${(error as Error).message}\nSee --help.`, 2)
  }
}

/** Returns a flag as it was typed, or by its long name. */
const nameFlag = ({ name, rawName }: { readonly name: string; readonly rawName: string }): string =>
  Object.hasOwn(flags, name) ? `--${name}` : rawName

const toKeys = (names: readonly string[]): Record<string, true> =>
  Object.fromEntries(names.map((name) => [name, true as const]))

/** Runs one command. Resolves with the exit code: 0 success, 1 failure, 2 wrong usage. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  const asJson = argv.includes('--json')
  const printJson = (json: Record<string, unknown>): void => terminal.out(JSON.stringify(json, null, 2))
  try {
    const {
      values,
      positionals: [command, ...rest],
    } = readArguments(argv)
    if (values.help || command === undefined) {
      terminal.out(formatHelp(command))
      return values.help ? 0 : 2
    }
    if (!commandNames.includes(command))
      throw new CommandError('usage', `There is no command \`${toPlainText(command)}\`. See --help.`, 2)
    const { json, text, nextSteps = [], failed = false } = await run(command, rest, values, terminal)
    if (asJson) printJson({ ok: !failed, ...json, nextSteps })
    else terminal.out(nextSteps.length > 0 && terminal.interactive ? `${text}\n\n${formatNextSteps(nextSteps)}` : text)
    return failed ? 1 : 0
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    const { code, message, nextSteps, exitCode } = error
    if (asJson) printJson({ ok: false, error: code, message, nextSteps })
    else terminal.note(message)
    return exitCode
  }
}

const formatNextSteps = (steps: readonly string[]): string =>
  `Next: ${steps.map((step) => `${programName} ${step}`).join('\n      ')}`

async function run(
  command: string,
  rest: readonly string[],
  values: Flags,
  terminal: Terminal,
): Promise<CommandResult> {
  // These commands contact no server.
  if (command === 'setup') return setUpClient(terminal, values)
  if (command === 'preview')
    return previewTraces(
      selectTraces(terminal, rest, values.all === true),
      { details: values.details === true },
      terminal,
    )
  if (command === 'upload' && values['dry-run']) return reportDryRun(selectTraces(terminal, rest, values.all === true))
  const base = parseAddress(values.url ?? terminal.env['TRIBUTARY_URL'] ?? 'http://127.0.0.1:8787')
  const token = values.token ?? terminal.env['TRIBUTARY_TOKEN'] ?? readToken(terminal, base)
  const service = connect(base, token, terminal)
  if (command === 'login') return logIn(service, terminal)
  if (command === 'logout') return logOut(service, terminal)
  if (!token) {
    const message = `You are not logged in at ${base}. Run: ${programName} login`
    throw new CommandError('unauthorized', message, 1, ['login'])
  }
  return runSignedIn(command, rest, values, { service, terminal })
}

async function runSignedIn(
  command: string,
  rest: readonly string[],
  values: Flags,
  { service, terminal }: { readonly service: Service; readonly terminal: Terminal },
): Promise<CommandResult> {
  const isConfirmed = values.yes === true || values.confirm === true
  const filters = { ...values, source: readSingleValue(values.source, '--source') }
  const resolveWantedIds = (): Promise<string[]> => resolveIds(service, rest, filters, terminal)
  switch (command) {
    case 'status':
      return showStatus(service)
    case 'upload':
      return upload(service, terminal, selectTraces(terminal, rest, values.all === true), {
        isConfirmed,
        outcome: readOutcome(values),
      })
    case 'jobs':
      return showJobs(service, readOptionalId(rest, command), terminal)
    case 'list':
      return list(service, filters, parseLimit(values.limit), terminal)
    case 'show':
      return show(service, await resolveOne(service, rest, command, terminal), values.full === true, terminal)
    case 'exclude':
    case 'include':
      return change(service, command, await resolveWantedIds())
    case 'delete': {
      const ids = await resolveWantedIds()
      const traces = formatCount(ids.length, 'trace')
      if (!isConfirmed && !(await confirm(terminal, `Delete ${traces} for good?`))) {
        const message = `Nothing was deleted. Add --yes to delete ${traces} without being asked.`
        throw new CommandError('not_confirmed', message, 1, ['delete --yes'])
      }
      return remove(service, ids)
    }
    case 'download':
      return download(service, await resolveOne(service, rest, command, terminal), values.out ?? null)
    case 'earnings':
      return showEarnings(service, parseLimit(values.limit))
    default:
      return open(service, readOptionalId(rest, command) ?? 'traces', terminal)
  }
}

function parseAddress(url: string): string {
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new CommandError('usage', `Invalid URL: ${toPlainText(url)}`, 2)
  return url.replace(/\/+$/, '')
}

function parseLimit(limit = '50'): number {
  const count = Number(limit)
  if (!Number.isSafeInteger(count) || count < 1)
    throw new CommandError('usage', '--limit: use a whole number from 1.', 2)
  return count
}

function readSingleValue(values: readonly string[] | undefined, flag: string): string | undefined {
  if (values && values.length > 1) throw new CommandError('usage', `${flag} can be given once here.`, 2)
  return values?.[0]
}

function readOptionalId(rest: readonly string[], command: string): string | undefined {
  if (rest.length > 1) throw new CommandError('usage', `\`${command}\` takes one argument at most.`, 2)
  return rest[0]
}

async function resolveOne(
  service: Service,
  rest: readonly string[],
  command: string,
  terminal: Terminal,
): Promise<string> {
  if (rest.length !== 1)
    throw new CommandError('usage', `\`${command}\` takes one trace id. \`list\` shows the ids.`, 2)
  return (await resolveIds(service, rest, {}, terminal))[0]!
}

import { parseArgs } from 'node:util'
import { tokenFor } from './credentials.ts'
import { help, names } from './help.ts'
import { login, logout } from './login.ts'
import { connect } from './service.ts'
import { expand, found } from './sessions/places.ts'
import { standing, standingText } from './status.ts'
import { plain, plural, Stop, type Terminal } from './terminal.ts'
import { change, changeText, download, listed, listText, remove, removeText } from './traces.ts'
import { upload, uploadText } from './upload.ts'

const flags = {
  'url': { type: 'string' },
  'token': { type: 'string' },
  'json': { type: 'boolean' },
  'help': { type: 'boolean', short: 'h' },
  'all': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  'limit': { type: 'string' },
  'yes': { type: 'boolean' },
  'out': { type: 'string' },
} as const

type Flags = ReturnType<typeof read>['values']
/** What a command answers: for a program and for a reader. */
type Answer = { json: Record<string, unknown>; text: string; failed?: boolean }

function read(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: flags, allowPositionals: true })
  } catch (error) {
    throw new Stop('usage', `${(error as Error).message}\nSee --help.`, 2)
  }
}

/** Runs one command; resolves with the exit code: 0 done, 1 failed, 2 called wrongly. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  const asJson = argv.includes('--json')
  try {
    const {
      values,
      positionals: [command, ...rest],
    } = read(argv)
    if (values.help || command === undefined) {
      terminal.out(help(command))
      return values.help ? 0 : 2
    }
    if (!names.includes(command)) throw new Stop('usage', `There is no command \`${plain(command)}\`. See --help.`, 2)
    const answer = await run(command, rest, values, terminal)
    terminal.out(asJson ? JSON.stringify({ ok: !answer.failed, ...answer.json }, null, 2) : answer.text)
    return answer.failed ? 1 : 0
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    if (asJson) terminal.out(JSON.stringify({ ok: false, error: error.code, message: error.message }, null, 2))
    else terminal.note(error.message)
    return error.exit
  }
}

async function run(command: string, rest: readonly string[], values: Flags, terminal: Terminal): Promise<Answer> {
  const base = address(values.url ?? terminal.env['TRIBUTARY_URL'] ?? 'http://127.0.0.1:8787')
  const token = values.token ?? terminal.env['TRIBUTARY_TOKEN'] ?? tokenFor(terminal, base)
  const service = connect(base, token, terminal)
  if (!token && command !== 'login' && command !== 'logout' && !values['dry-run']) {
    throw new Stop('unauthorized', `You are not logged in at ${base}. Log in with \`login\`.`)
  }
  switch (command) {
    case 'login': {
      const { userId } = await login(service, terminal)
      return { json: { userId }, text: `Logged in as ${userId}.` }
    }
    case 'logout':
      await logout(service, terminal)
      return { json: {}, text: 'Logged out.' }
    case 'status': {
      const state = await standing(service)
      return { json: { ...state }, text: standingText(base, state) }
    }
    case 'upload': {
      const dryRun = values['dry-run'] === true
      const done = await upload(service, terminal, files(rest, values.all === true, terminal), dryRun)
      return {
        json: { ...done },
        text: uploadText(done, dryRun),
        failed: done.jobs.some(({ status }) => status === 'failed'),
      }
    }
    case 'list': {
      const limit = Number(values.limit ?? 50)
      if (!Number.isSafeInteger(limit) || limit < 1)
        throw new Stop('usage', '--limit must be an integer of 1 or more.', 2)
      const traces = await listed(service, limit)
      return { json: { traces }, text: listText(traces) }
    }
    case 'exclude':
    case 'include': {
      const changed = await change(service, command, wanted(rest))
      return { json: { ...changed }, text: changeText(command, changed) }
    }
    case 'delete': {
      const ids = wanted(rest)
      const sure = values.yes === true || (await terminal.confirm(`Delete ${plural(ids.length, 'trace')} for good?`))
      if (!sure) throw new Stop('not_confirmed', 'Nothing was deleted. Say --yes to delete without being asked.')
      const removed = await remove(service, ids)
      return { json: { ...removed }, text: removeText(removed) }
    }
    default: {
      const [id, ...more] = wanted(rest)
      if (more.length > 0) throw new Stop('usage', '`download` takes one id.', 2)
      const text = await download(service, id!, values.out ?? null)
      return { json: { trace: JSON.parse(text) as unknown }, text: values.out ? `Written to ${values.out}.` : text }
    }
  }
}

function address(url: string): string {
  if (!/^https?:/.test(url) || !URL.canParse(url)) throw new Stop('usage', `\`${plain(url)}\` is not a URL.`, 2)
  return url.replace(/\/+$/, '')
}

function wanted(ids: readonly string[]): readonly string[] {
  if (ids.length === 0) throw new Stop('usage', 'Name at least one trace id; `list` shows them.', 2)
  return ids
}

function files(named: readonly string[], all: boolean, terminal: Terminal): string[] {
  if (named.length > 0) {
    try {
      return expand(named)
    } catch (error) {
      throw new Stop('no_such_file', plain((error as Error).message))
    }
  }
  const there = found(terminal.home)
  if (all) return there.flatMap((one) => one.files)
  const counts = there.map(({ tool, files: some }) => `  ${tool}: ${plural(some.length, 'session')}`).join('\n')
  throw new Stop('usage', `Name the files to upload, or say --all for every session on this machine:\n${counts}`, 2)
}

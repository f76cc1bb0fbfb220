import { parseArgs } from 'node:util'
import { Answer } from './answer.ts'
import type { Group } from './check.ts'
import type { Target } from './target.ts'
import { isMailbox, createMailReader } from './mailbox.ts'
import { runGroups, type Report, type Result } from './run.ts'
import { overHttp, type Transport } from './transport.ts'

const help = `
npm run check -- conformance ADDRESS [flags]

Checks a running Tributary against its interface, from outside: every endpoint, what it answers and how it refuses.

  npm run check -- conformance http://127.0.0.1:8787 --admin-token THE-OPERATOR-TOKEN
  npm run check -- conformance https://api.example.com/tributary --token TOKEN --only E5 --only traces

  --admin-token T     the operator's token; without it the operator's routes, sales and campaigns are skipped
                      (TRIBUTARY_ADMIN_TOKEN)
  --passkey-token T   the token of an operator whom nobody else signs in as, who gets a passkey for a moment; the address is
                      https with a domain name, or localhost, and the service verifies passkeys
  --mail URL          where sign-in codes are read, as JSON [{"to", "text"}], newest first; default: /dev/mail.json of the
                      address, where it is there
  --token T           a bearer to be instead, where no mail can be read: that account is kept, what is uploaded is deleted
                      (TRIBUTARY_TOKEN)
  --prefix /path      where the service is mounted; default: the path of the address
  --only WORD         checks whose number or area is the word (E5, traces) or whose name or group has it; repeatable
  --min-version V     the service's --min-version, to check its gate
  --country-header N  the service's --country-header, to check the countries
  --rates             only the rates, of a service that has the default ones and that nobody asked within the hour: they are
                      used up, at their edge
  --json              print one JSON document instead of text

It makes people with addresses at conformance.example and erases them at the end, and says what stays. It waits where it
is asked to by 429; with \`npm start -- --rate-limits off\` it need not. It ends with 0 when nothing failed, else with 1.
`

const options = {
  'admin-token': { type: 'string' },
  'passkey-token': { type: 'string' },
  'mail': { type: 'string' },
  'token': { type: 'string' },
  'prefix': { type: 'string' },
  'only': { type: 'string', multiple: true },
  'min-version': { type: 'string' },
  'country-header': { type: 'string' },
  'rates': { type: 'boolean' },
  'json': { type: 'boolean' },
  'help': { type: 'boolean', short: 'h' },
} as const

/** The output of a command, and its input in addition to its arguments. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  /** Ends the run early. The data that it created is deleted. */
  readonly signal?: AbortSignal
}

/** A problem that the person at the terminal can solve. */
export class Problem extends Error {}

/** Runs `npm run check -- conformance`: resolves with the exit code, 0 or 1. */
export async function runCommand(
  groups: readonly Group[],
  argv: readonly string[],
  terminal: Terminal,
): Promise<number> {
  let transport: Transport | null = null
  try {
    const {
      values,
      positionals: [typed, ...more],
    } = parseArguments(argv)
    if (values.help) {
      terminal.out(`${help.trim()}\n`)
      return 0
    }
    if (typed === undefined || more.length > 0)
      throw new Problem(`Expected one URL: npm run check -- conformance http://127.0.0.1:8787\n${help}`)
    const address = parseAddress(typed)
    const prefix = (values.prefix ?? address.pathname).replace(/\/+$/, '')
    if (prefix !== '' && !prefix.startsWith('/')) throw new Problem('--prefix begins with a slash: --prefix /tributary')
    transport = overHttp(address.origin)
    const { request } = transport
    const announced = await readMinVersion(request, address.origin, prefix)
    const mail = values.mail ?? `${address.origin}${prefix}/dev/mail.json`
    const readable = await isMailbox(mail)
    if (values.mail !== undefined && !readable)
      throw new Problem(
        `${mail} does not answer with a list of mails as JSON. Development's is at ADDRESS/dev/mail.json.`,
      )
    const [adminToken, token, minVersion] = [
      values['admin-token'] ?? terminal.env['TRIBUTARY_ADMIN_TOKEN'],
      values.token ?? terminal.env['TRIBUTARY_TOKEN'],
      values['min-version'] ?? announced,
    ]
    const target: Target = {
      request,
      prefix,
      ...(readable ? { code: createMailReader(mail) } : {}),
      ...(token ? { token } : {}),
      ...(adminToken ? { adminToken } : {}),
      ...(values['passkey-token'] ? { passkeyToken: values['passkey-token'] } : {}),
      ...(minVersion ? { minVersion } : {}),
      ...(values['country-header'] ? { countryHeader: values['country-header'] } : {}),
      ...(values.rates ? { rates: 'default' } : {}),
    }
    const words = values.json !== true
    const report = await runGroups(groups, target, {
      // The checks of rates run alone, because other checks use up the same rates.
      only: values.only ?? (values.rates ? ['rates'] : []),
      onWait: (ms, what) =>
        terminal.error(`      waiting ${Math.ceil(ms / 1000)} s: the service has no more calls of ${what} to give\n`),
      ...(terminal.signal ? { signal: terminal.signal } : {}),
      ...(words ? { onGroup: (title, results) => terminal.out(groupText(title, results)) } : {}),
    })
    if (report.results.length === 0)
      throw new Problem(
        `No check has ${(values.only ?? []).map((word) => `"${word}"`).join(' or ')} in its number, area, name or group.`,
      )
    terminal.out(
      words
        ? formatSummary(report)
        : `${JSON.stringify({ ok: hasPassed(report), address: address.origin + prefix, ...report })}\n`,
    )
    return hasPassed(report) && terminal.signal?.aborted !== true ? 0 : 1
  } catch (error) {
    terminal.error(
      `\n${error instanceof Problem ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
    )
    return 1
  } finally {
    transport?.close()
  }
}

/** Returns whether at least one check ran and no check failed. */
export const hasPassed = ({ failed, passed }: Report): boolean => failed === 0 && passed > 0

function parseArguments(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new Problem(
      `${error instanceof Error ? error.message.split('. ')[0] : String(error)}. npm run check -- conformance --help lists the flags.`,
    )
  }
}

/** Reads a URL with http or https. */
export function parseAddress(typed: string): URL {
  const url = URL.canParse(typed) ? new URL(typed) : null
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url
  throw new Problem(`"${typed}" is not a URL with http or https, such as http://127.0.0.1:8787.`)
}

/**
 * Checks whether a Tributary service answers. Returns the client version that it requires, if it refuses requests
 * without a version.
 */
async function readMinVersion(request: Target['request'], origin: string, prefix: string): Promise<string | null> {
  const target = `${prefix}/api/cli/session`
  const reply = await request('GET', target).catch((error: unknown) => {
    const why = error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code : String(error)
    throw new Problem(
      `Nothing answers at ${origin}: ${why}\nIs the service running there? \`npm start\` serves on http://127.0.0.1:8787.`,
    )
  })
  const answer = new Answer({ method: 'GET', target, headers: [], body: null }, reply)
  const said = answer.header('content-type') === 'application/json' ? answer.json : {}
  if (answer.status === 426 && typeof said.minVersion === 'string') return said.minVersion
  if (answer.status === 401 && said.error === 'unauthorized') return null
  throw new Problem(
    `${origin}${target} answers ${answer.status}, and a Tributary would answer 401.\nIs it mounted below ` +
      'a path? Say it: --prefix /tributary',
  )
}

/** Formats the results of the checks of a group. */
export function groupText(title: string, results: readonly Result[]): string {
  const count = (outcome: Result['outcome']): number => results.filter((one) => one.outcome === outcome).length
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')]
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ].join(', ')
  const word = failed > 0 ? 'FAIL' : passed > 0 ? 'ok' : 'skip'
  const faults = results
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ of, name, detail }) => `\n  ${of}: ${name}\n${detail.replace(/^/gm, '    ')}\n`)
  return `${word.padEnd(6)}${title.padEnd(40)}${counts}\n${faults.join('')}${faults.length > 0 ? '\n' : ''}`
}

/** Formats the skipped checks, the remaining data and the counts. */
export function formatSummary({ results, left, requests, passed, failed, skipped }: Report): string {
  const reasons = [...new Set(results.filter(({ outcome }) => outcome === 'skipped').map(({ detail }) => detail))]
  const bySkip = reasons.map((reason) => {
    const own = results.filter(({ outcome, detail }) => outcome === 'skipped' && detail === reason)
    return `\nSkipped, ${reason}:\n${own.map(({ of, name }) => `  ${of}: ${name}\n`).join('')}`
  })
  const stays = left.length > 0 ? `\nStays at the service:\n${left.map((what) => `  ${what}\n`).join('')}` : ''
  return `${bySkip.join('')}${stays}\n${requests} requests\n${passed} passed, ${failed} failed, ${skipped} skipped\n`
}

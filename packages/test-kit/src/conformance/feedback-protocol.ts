import { parseArgs } from 'node:util'
import { groupText, formatSummary, hasPassed, parseAddress, Problem, type Terminal } from './command.ts'
import { feedbackProtocol } from './reports.ts'
import { runGroups, type Report, type RunOptions } from './run.ts'
import type { Target } from './target.ts'
import { overHttp, type Transport } from './transport.ts'

const help = `
npm run check -- feedback-protocol ADDRESS [flags]

Checks any server of the agent feedback protocol, from outside: what a report may contain, receipts, safe repetition by
Idempotency-Key, duplicates, evidence, observations and the policy. ADDRESS is where the server has
/.well-known/agent-feedback.json, which names its endpoints.

  npm run check -- feedback-protocol https://api.example.com

  --only WORD   checks whose name has the word; repeatable
  --json        print one JSON document instead of text

It sends about 30 reports with titles that begin with "Conformance", and says what stays. It waits where a 429 asks it to.
It ends with 0 when nothing failed, else with 1.
`

const options = {
  only: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

const discoveryPath = '/.well-known/agent-feedback.json'
/** The paths that the checks request, by the endpoint's name in the discovery document. */
const paths = {
  attachments: '/api/v1/feedback/{feedback_id}/attachments',
  feedback: '/api/v1/feedback',
  policy: '/api/v1/policy',
  observations: '/api/v1/observations',
  receipts: '/api/v1/receipts/{id}',
} as const

const groups = [{ title: 'agent feedback protocol', checks: feedbackProtocol }]

/**
 * Runs the checks of the agent feedback protocol against any server, whose discovery document names its endpoints.
 * Throws if there is no such document.
 */
export async function checkFeedbackProtocol(
  { request, prefix = '' }: Pick<Target, 'request' | 'prefix'>,
  runOptions: RunOptions = {},
): Promise<Report> {
  const endpoints = await readEndpoints(request, prefix)
  const target: Target = {
    request: (method, path, headers, body) => request(method, translatePath(path, endpoints, prefix), headers, body),
  }
  return runGroups(groups, target, { ...runOptions, isForeign: true })
}

/** Returns the paths of the endpoints. The run cannot check endpoints of another origin. */
async function readEndpoints(
  request: Target['request'],
  prefix: string,
): Promise<Readonly<Record<keyof typeof paths, string>>> {
  const at = prefix + discoveryPath
  const { status, body } = await request('GET', at)
  if (status !== 200) throw new Problem(`${at} answers ${status}: a server of the protocol has its endpoints there.`)
  let endpoints: Record<string, unknown>
  try {
    endpoints = (JSON.parse(new TextDecoder().decode(body)) as { endpoints: Record<string, unknown> }).endpoints
  } catch {
    throw new Problem(`${at} is not JSON with \`endpoints\`.`)
  }
  const found = Object.keys(paths).map((name) => {
    const url = endpoints?.[name]
    if (typeof url !== 'string') throw new Problem(`${at} names no endpoint \`${name}\`.`)
    return [name, url.replace(/^https?:\/\/[^/]+/, '')] as const
  })
  return Object.fromEntries(found) as Record<keyof typeof paths, string>
}

/** Translates the path of a check to the path of the server. */
function translatePath(path: string, endpoints: Readonly<Record<keyof typeof paths, string>>, prefix: string): string {
  for (const [name, template] of Object.entries(paths) as [keyof typeof paths, string][]) {
    const [before = '', after = ''] = template.split(/\{\w+\}/)
    const hasId = template.includes('{')
    const id = hasId ? path.slice(before.length, path.length - after.length) : ''
    if (path === (hasId ? before + id + after : template) && !id.includes('/') && hasId === (id !== ''))
      return endpoints[name].replace(/\{\w+\}/, id)
  }
  return prefix + path
}

/** Runs `npm run check -- feedback-protocol`: resolves with the exit code, 0 or 1. */
export async function feedbackProtocolCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
  let transport: Transport | null = null
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true })
    if (values.help) {
      terminal.out(`${help.trim()}\n`)
      return 0
    }
    if (positionals.length !== 1) throw new Problem(`Expected one URL.\n${help}`)
    const address = parseAddress(positionals[0]!)
    transport = overHttp(address.origin)
    const words = values.json !== true
    const report = await checkFeedbackProtocol(
      { request: transport.request, prefix: address.pathname.replace(/\/+$/, '') },
      {
        only: values.only ?? [],
        onWait: (ms) => terminal.error(`      waiting ${Math.ceil(ms / 1000)} s: a rate is used up\n`),
        ...(terminal.signal ? { signal: terminal.signal } : {}),
        ...(words ? { onGroup: (title, results) => terminal.out(groupText(title, results)) } : {}),
      },
    )
    if (report.results.length === 0) throw new Problem('No check has this word in its name.')
    terminal.out(
      words
        ? formatSummary(report)
        : `${JSON.stringify({ ok: hasPassed(report), address: address.href, ...report })}\n`,
    )
    return hasPassed(report) && terminal.signal?.aborted !== true ? 0 : 1
  } catch (error) {
    terminal.error(`\n${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  } finally {
    transport?.close()
  }
}

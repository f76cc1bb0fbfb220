import { parseArgs } from 'node:util'
import { help } from './help.ts'
import { discoverProtocol } from './learn.ts'
import { reportOf, type Json } from './report.ts'
import { read, send } from './send.ts'
import { toPlainText, Stop, type Terminal } from './terminal.ts'

const text = { type: 'string' } as const
const flags = {
  'url': text,
  'key': text,
  'receipt': text,
  'json': { type: 'boolean' },
  'help': { type: 'boolean', short: 'h' },
  'file': text,
  'surface': text,
  'title': text,
  'summary': text,
  'category': text,
  'severity': text,
  'vendor': text,
  'product': text,
  'evidence': { type: 'string', multiple: true },
  'evidence-type': text,
} as const

type Answer = { json: Json; text: string }

/** Runs the command. Resolves with the exit code: 0 done, 1 failed, 2 called wrongly. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  const asJson = argv.includes('--json')
  try {
    const values = parseFlags(argv)
    if (values.help || argv.length === 0) {
      terminal.out(help)
      return values.help ? 0 : 2
    }
    const answer = await run(values, terminal)
    terminal.out(asJson ? JSON.stringify({ ok: true, ...answer.json }, null, 2) : answer.text)
    return 0
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    if (asJson) terminal.out(JSON.stringify({ ok: false, error: error.code, message: error.message }, null, 2))
    else terminal.note(error.message)
    return error.exit
  }
}

type Flags = ReturnType<typeof parseFlags>

function parseFlags(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: flags }).values
  } catch (error) {
    throw new Stop('usage', `${toPlainText((error as Error).message)}\nSee --help.`, 2)
  }
}

async function run(values: Flags, terminal: Terminal): Promise<Answer> {
  const base = parseAddress(values.url ?? terminal.env['TRIBUTARY_URL'] ?? 'http://127.0.0.1:8787')
  if (values.receipt !== undefined) {
    const receipt = await read(terminal, await discoverProtocol(terminal, base), values.receipt)
    return { json: { receipt }, text: formatReceipt(receipt) }
  }
  // The report is read before any request, because a missing file is a mistake of the caller.
  const report = reportOf(values)
  const key = values.key ?? terminal.key()
  const { status, receipt, changes } = await send(terminal, await discoverProtocol(terminal, base), report, key)
  return {
    json: { status, key, receipt, changes },
    text: `${describeOutcome(status)}\n${formatReceipt(receipt)}\nkey          ${toPlainText(key)}`,
  }
}

function describeOutcome(status: number): string {
  if (status === 200) return 'This report was sent before with this key; no new report was created.'
  return status === 202 ? 'An open report has the same meaning; yours was added to it.' : 'Taken.'
}

/** Formats a receipt, with one field on each line. */
function formatReceipt(receipt: Json): string {
  const rows = ['id', 'feedback_id', 'status', 'duplicate_of', 'evidence_ids', 'created_at'].map(
    (name) => [name, receipt[name]] as const,
  )
  return rows
    .filter(([, value]) => value !== undefined && value !== null && String(value) !== '')
    .map(([name, value]) => `${name.padEnd(13)}${toPlainText(value)}`)
    .join('\n')
}

function parseAddress(url: string): string {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new Stop('usage', `\`${toPlainText(url)}\` is not a URL with http or https.`, 2)
  return url.replace(/\/+$/, '')
}

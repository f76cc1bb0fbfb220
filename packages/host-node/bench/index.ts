import { parseArgs } from 'node:util'
import { accept, serveAcceptBaseline } from './accept.ts'
import { ad, serveAdBaseline } from './ad.ts'
import { backlog } from './backlog.ts'
import { serveStatements } from './bare.ts'
import { calm } from './calm.ts'
import { downloads } from './downloads.ts'
import { exports } from './export.ts'
import { growth } from './growth.ts'
import { million } from './million.ts'
import { postgres, serveQuery } from './postgres.ts'
import { reports } from './reports.ts'
import { serveBaseline, session } from './session.ts'
import { formatTable, type Row } from './table.ts'
import { timing } from './timing.ts'
import { work } from './work.ts'

const parts: Record<string, (rounds: number) => Promise<Row[]>> = {
  session,
  accept,
  work,
  million,
  growth,
  calm,
  ad,
  reports,
  export: exports,
  downloads,
  backlog,
  postgres,
  timing,
}

const usage = `npm run bench -- [NAME...] [--rounds N]

Measures the product beside its baselines in one run, interleaved, and prints medians and their ratios.

  NAME        ${Object.keys(parts).join(', ')}; default: all
  --rounds N  rounds of each measurement; default: 5
`

/** Serves a baseline in a separate process: the first argument is its kind, the second its database. */
async function serve(kind: string, database: string): Promise<void> {
  if (kind === 'ad') return serveAdBaseline(database)
  if (kind === 'accept') return serveAcceptBaseline(database)
  if (kind === 'statements') return serveStatements(database)
  if (kind === 'pg') return serveQuery(database)
  return serveBaseline(kind, database)
}

async function measure(names: readonly string[], rounds: number): Promise<void> {
  const rows: Row[] = []
  for (const name of names) {
    process.stderr.write(`measuring ${name}\n`)
    rows.push(...(await parts[name]!(rounds)))
    process.stdout.write(`${formatTable(rows)}\n\n`)
  }
}

const options = {
  rounds: { type: 'string', default: '5' },
  serve: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const unknown = positionals.find((name) => !(name in parts))
const rounds = Number(values.rounds)
if (values.help) process.stdout.write(usage)
else if (values.serve) await serve(positionals[0]!, positionals[1]!)
else if (unknown !== undefined || !Number.isInteger(rounds) || rounds < 1) {
  process.stderr.write(
    `${unknown === undefined ? '--rounds is a number from 1 on.' : `There is no ${unknown}.`}\n\n${usage}`,
  )
  process.exitCode = 1
} else await measure(positionals.length > 0 ? positionals : Object.keys(parts), rounds)

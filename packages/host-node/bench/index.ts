// `npm run bench [-- NAME...] [-- --rounds N]`: the product beside its baselines, measured in one run, interleaved,
// medians. Ratios are what counts: the machine is shared. Names: session accept work million calm ad reports export
// backlog.
import { accept, serveAcceptBaseline } from './accept.ts'
import { ad, serveAdBaseline } from './ad.ts'
import { backlog } from './backlog.ts'
import { serveStatements } from './bare.ts'
import { calm } from './calm.ts'
import { exports } from './export.ts'
import { million } from './million.ts'
import { reports } from './reports.ts'
import { serveBaseline, session } from './session.ts'
import { formatTable, type Row } from './table.ts'
import { work } from './work.ts'

const parts: Record<string, (rounds: number) => Promise<Row[]>> = {
  session,
  accept,
  work,
  million,
  calm,
  ad,
  reports,
  export: exports,
  backlog,
}

const args = process.argv.slice(2)
const serving = args.indexOf('--serve')
if (serving >= 0) {
  const [kind, database] = [args[serving + 1]!, args[serving + 2]!]
  if (kind === 'ad') await serveAdBaseline(database)
  else if (kind === 'accept') await serveAcceptBaseline(database)
  else if (kind === 'statements') await serveStatements(database)
  else await serveBaseline(kind, database)
} else {
  const at = args.indexOf('--rounds')
  const rounds = at >= 0 ? Number(args[at + 1]) : 5
  const named = args.filter((word) => word in parts)
  const rows: Row[] = []
  for (const name of named.length > 0 ? named : Object.keys(parts)) {
    process.stderr.write(`measuring ${name}\n`)
    rows.push(...(await parts[name]!(rounds)))
    process.stdout.write(`${formatTable(rows)}\n\n`)
  }
}

import { readIssues, repairReport } from './issues.ts'
import type { Learned } from './learn.ts'
import { fitReport, listMissingFields, shortenEvidence } from './repair.ts'
import { isObject, type Json } from './report.ts'
import { readErrorCode, request, type Answer } from './service.ts'
import { toPlainText, Stop, type Terminal } from './terminal.ts'

/** The result of sending a report. */
export interface Sent {
  /** 201 if the report is new, 200 if it was sent before with this key, 202 if an open report has the same meaning. */
  readonly status: number
  readonly receipt: Json
  /** The changes that were needed before the service accepted the report. */
  readonly changes: readonly string[]
}

/**
 * Makes a report fit the policy and sends it. When the service still refuses the report, `send` repairs it and sends it
 * once more. The key stays the same: a refused report does not use up its key, and repeating the whole command with the
 * key leads to the same report. Throws `Stop` with the service's code when the report is not accepted.
 */
export async function send(terminal: Terminal, learned: Learned, wanted: Json, key: string): Promise<Sent> {
  const lacks = listMissingFields(wanted, learned.schema)
  if (lacks.length > 0) throw new Stop('usage', `The report lacks ${lacks.map(toPlainText).join(', ')}. See --help.`, 2)
  const fitting = fitReport(wanted, learned.schema)
  const first = shortenEvidence(fitting.report, learned.maxBytes)
  const changes = [...fitting.changes, ...first.changes]
  noteChanges(terminal, changes)
  let answer = await post(terminal, learned, first.report, key)
  const issues = answer.status === 400 && answer.json['error'] === 'invalid_body' ? readIssues(answer.json) : []
  if (issues.length > 0) {
    const mended = repairReport(first.report, issues)
    if (mended.changes.length > 0) {
      noteChanges(terminal, mended.changes)
      changes.push(...mended.changes)
      answer = await post(terminal, learned, mended.report, key)
    }
  }
  const receipt = answer.json['receipt']
  if (answer.status >= 200 && answer.status < 300 && isObject(receipt))
    return { status: answer.status, receipt, changes }
  throw makeRefusal(answer)
}

/** Reads a receipt again. Throws `Stop` (`not_found`) if no receipt has this id. */
export async function read(terminal: Terminal, learned: Learned, id: string): Promise<Json> {
  const answer = await request(terminal, learned.receipt(id))
  const receipt = answer.json['receipt']
  if (answer.status === 200 && isObject(receipt)) return receipt
  throw answer.status === 404 ? new Stop('not_found', 'There is no receipt with this id.') : makeRefusal(answer)
}

function noteChanges(terminal: Terminal, changes: readonly string[]): void {
  for (const change of changes) terminal.note(`Changed: ${toPlainText(change)}`)
}

function post(terminal: Terminal, { feedback, keyHeader }: Learned, report: Json, key: string): Promise<Answer> {
  return request(terminal, feedback, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [keyHeader]: key },
    body: JSON.stringify(report),
  })
}

function makeRefusal(answer: Answer): Stop {
  const code = readErrorCode(answer)
  const places = readIssues(answer.json)
    .map(({ path, message }) => `\n  ${toPlainText(path.join('.'))}: ${toPlainText(message)}`)
    .join('')
  const why = code === 'idempotency_mismatch' ? ' This key belongs to another report.' : ''
  return new Stop(code, `The report was not accepted: ${code} (${answer.status}).${why}${places}`)
}

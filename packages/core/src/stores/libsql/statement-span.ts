import type { SpanDescription } from '../../tracing.ts'
import { firstOf } from '../../lists.ts'
import type { SqlStatement } from './client.ts'

/** The maximum number of characters of SQL in one span. */
const longestText = 4_096

/** A statement's operation and the first table that it names, such as `SELECT jobs`. */
interface Summary {
  readonly operation: string
  readonly table: string | null
}

const summaries = new Map<string, Summary>()

/**
 * Describes the span of one statement, or of a batch in one round trip, by OpenTelemetry's stable conventions for
 * databases. The texts have placeholders instead of the values.
 */
export function describeStatements(
  statements: readonly Pick<SqlStatement, 'sql'>[],
  system: 'sqlite' | 'postgresql' = 'sqlite',
): SpanDescription {
  const texts = [...new Set(statements.map(({ sql }) => sql))]
  const names = [...new Set(texts.map((text) => formatName(summarize(text))))]
  const { operation, table } = summarize(firstOf(texts))
  const isBatch = statements.length > 1
  const summary = names.join('; ').slice(0, 255)
  return {
    name: isBatch ? (names.length === 1 ? `BATCH ${names[0]}` : 'BATCH') : summary,
    kind: 'CLIENT',
    attributes: {
      'db.system.name': system,
      'db.operation.name': isBatch ? (names.length === 1 ? `BATCH ${operation}` : 'BATCH') : operation,
      ...(isBatch ? { 'db.operation.batch.size': statements.length } : {}),
      ...(table !== null && names.length === 1 ? { 'db.collection.name': table } : {}),
      'db.query.summary': summary,
      'db.query.text': texts.join('; ').slice(0, longestText),
    },
  }
}

const formatName = ({ operation, table }: Summary): string => (table === null ? operation : `${operation} ${table}`)

/**
 * Returns the summary of a statement. There are few different texts of statements, so each text is parsed only once.
 */
function summarize(text: string): Summary {
  let summary = summaries.get(text)
  if (!summary) {
    const operation = /\b(select|insert|update|delete|values|pragma|create|drop|alter)\b/i.exec(withoutTables(text))
    const table = /\b(?:from|into|update)\s+"?(?!json_each)([a-z_]+)/i.exec(withoutTables(text))
    summary = { operation: (operation?.[1] ?? 'query').toUpperCase(), table: table?.[1] ?? null }
    summaries.set(text, summary)
  }
  return summary
}

/**
 * Removes everything in parentheses. So it removes the tables that a `with` clause defines, and only the statement
 * itself remains.
 */
function withoutTables(text: string): string {
  if (!/^\s*with\b/i.test(text)) return text
  let [rest, before] = [text, '']
  while (rest !== before) [rest, before] = [rest.replace(/\([^()]*\)/g, ' '), rest]
  return rest
}

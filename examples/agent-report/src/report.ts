import { readFileSync } from 'node:fs'
import { toPlainText, Stop } from './terminal.ts'

export type Json = Record<string, unknown>

/** The flags and arguments of a report. */
export interface ReportFlags {
  readonly 'file'?: string | undefined
  readonly 'surface'?: string | undefined
  readonly 'title'?: string | undefined
  readonly 'summary'?: string | undefined
  readonly 'category'?: string | undefined
  readonly 'severity'?: string | undefined
  readonly 'vendor'?: string | undefined
  readonly 'product'?: string | undefined
  readonly 'evidence'?: readonly string[] | undefined
  readonly 'evidence-type'?: string | undefined
}

/** Returns whether a value is a JSON object. */
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Builds the report that the command line describes, with the protocol's field names. The service validates it. */
export function reportOf(flags: ReportFlags): Json {
  const base = flags.file === undefined ? {} : parseReport(flags.file)
  const buildPart = (name: string, own: Json): Json => {
    const flagged = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined))
    const given = base[name]
    const whole = { ...(isObject(given) ? given : {}), ...flagged }
    return Object.keys(whole).length > 0 ? { [name]: whole } : {}
  }
  const known = isObject(base['reporter']) ? base['reporter'] : {}
  const shown = (flags.evidence ?? []).map((file) => ({
    type: flags['evidence-type'] ?? 'log_excerpt',
    content: readText(file),
  }))
  const evidence = [...(Array.isArray(base['evidence']) ? (base['evidence'] as unknown[]) : []), ...shown]
  return {
    ...base,
    ...buildPart('reporter', {
      agent_vendor: flags.vendor ?? known['agent_vendor'] ?? 'tributary',
      agent_product: flags.product ?? known['agent_product'] ?? 'example-agent-report',
    }),
    ...buildPart('subject', { surface: flags.surface }),
    ...buildPart('signal', { category: flags.category, severity: flags.severity }),
    ...buildPart('content', { title: flags.title, summary: flags.summary }),
    ...(evidence.length > 0 ? { evidence } : {}),
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new Stop('no_such_file', toPlainText((error as Error).message))
  }
}

function parseReport(file: string): Json {
  const raw = readText(file)
  try {
    const value: unknown = JSON.parse(raw)
    if (isObject(value)) return value
  } catch {
    // The `throw` below reports this, as it does for JSON that is not an object.
  }
  throw new Stop('usage', `${toPlainText(file)} holds no JSON object.`, 2)
}

import { sourceMessages } from './messages/sources.ts'

/** The tools that conversations come from; `unknown` is the default. */
export const sources = [
  'claude_export',
  'chatgpt_export',
  'claude_code_jsonl',
  'cursor_sqlite',
  'codex_jsonl',
  'gemini_cli',
  'opencode',
  'local_trace_index',
  'unknown',
] as const

/**
 * Returns the name of a source in English; that of a job may be `mixed`. An unknown one is returned as it is. Pages of
 * contributors use `sourceText`.
 */
export function sourceName(source: string): string {
  const key = `source.${source}`
  return Object.hasOwn(sourceMessages, key) ? sourceMessages[key as keyof typeof sourceMessages] : source
}

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

const sourceNames: Readonly<Record<string, string>> = {
  claude_export: 'Claude export',
  chatgpt_export: 'ChatGPT export',
  claude_code_jsonl: 'Claude Code',
  cursor_sqlite: 'Cursor',
  codex_jsonl: 'Codex',
  gemini_cli: 'Gemini CLI',
  opencode: 'OpenCode',
  local_trace_index: 'Local index',
  unknown: 'Unknown source',
  mixed: 'Several sources',
}

/** Returns the name of a source for people; that of a job may be `mixed`. An unknown one is returned as it is. */
export function sourceName(source: string): string {
  return Object.hasOwn(sourceNames, source) ? sourceNames[source]! : source
}

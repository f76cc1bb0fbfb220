import type { Client } from '@tributary/core/client'
import { toPlainText } from './terminal.ts'

type Source = NonNullable<NonNullable<NonNullable<Parameters<Client['listTraces']>[0]>['query']>['source']>

const names: Readonly<Record<Source, string>> = {
  claude_export: 'Claude export',
  chatgpt_export: 'ChatGPT export',
  claude_code_jsonl: 'Claude Code',
  cursor_sqlite: 'Cursor',
  codex_jsonl: 'Codex',
  gemini_cli: 'Gemini CLI',
  opencode: 'OpenCode',
  local_trace_index: 'Local index',
  unknown: 'Unknown source',
}

/** Returns the name of a source, as the pages of the service show it. Unknown names are returned unchanged. */
export const nameSource = (source = 'unknown'): string =>
  Object.hasOwn(names, source) ? names[source as Source] : toPlainText(source)

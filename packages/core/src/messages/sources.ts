/** The tools from which conversations come, and `mixed` for an upload from several tools. */
export const sourceMessages = {
  'source.claude_export': 'Claude export',
  'source.chatgpt_export': 'ChatGPT export',
  'source.claude_code_jsonl': 'Claude Code',
  'source.cursor_sqlite': 'Cursor',
  'source.codex_jsonl': 'Codex',
  'source.gemini_cli': 'Gemini CLI',
  'source.opencode': 'OpenCode',
  'source.local_trace_index': 'Local index',
  'source.unknown': 'Unknown source',
  'source.mixed': 'Several sources',
  'outcome': 'Outcome',
  'outcome.all': 'All outcomes',
  'outcome.success': 'Success',
  'outcome.failure': 'Failure',
  'outcome.partial': 'Partial success',
  'outcome.unknown': 'Unknown',
} as const

/** The tools from which conversations come. `unknown` is the default. */
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

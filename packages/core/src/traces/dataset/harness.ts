/** The names of programs as other projects write them, where they differ from the source. */
const harnesses: Readonly<Record<string, string>> = {
  claude_code_jsonl: 'claude-code',
  codex_jsonl: 'codex',
  gemini_cli: 'gemini-cli',
  cursor_sqlite: 'cursor',
  claude_export: 'claude',
  chatgpt_export: 'chatgpt',
}

/** Returns the name of the program that a trace comes from, by its source. */
export const harnessOf = ({ source }: { readonly source: string }): string => harnesses[source] ?? source

/** The names of programs in other projects, where they differ from the source. */
const harnesses: Readonly<Record<string, string>> = {
  claude_code_jsonl: 'claude-code',
  codex_jsonl: 'codex',
  gemini_cli: 'gemini-cli',
  cursor_sqlite: 'cursor',
  claude_export: 'claude',
  chatgpt_export: 'chatgpt',
}

/** Returns the name of the program from which a trace comes, by its source. */
export const getHarnessName = ({ source }: { readonly source: string }): string => harnesses[source] ?? source

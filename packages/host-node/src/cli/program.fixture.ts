import { runProgram, type CliCommand, type Output } from './program.ts'

/** Runs a command in this process and returns its exit code and everything that it printed. */
export async function runCommand(
  command: CliCommand,
  argv: readonly string[],
  options: Pick<Output, 'isTerminal'> = {},
): Promise<{ code: number; out: string; err: string; printed: string }> {
  let [out, err, printed] = ['', '', '']
  const code = await runProgram(
    [{ name: 'command', summary: 'A command', load: async () => command }],
    ['command', ...argv],
    {
      ...options,
      out(text) {
        out += text
        printed += text
      },
      err(text) {
        err += text
        printed += text
      },
    },
  )
  return { code, out, err, printed }
}

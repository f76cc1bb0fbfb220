import type { Command } from './command.ts'
import { explain } from './trouble.ts'

/** Runs a command in this process, as `cli.ts` does; -1 is the code of what nobody explains. */
export async function runCommand(
  command: Command,
  argv: readonly string[],
): Promise<{ code: number; printed: string }> {
  let printed = ''
  const add = (text: string): void => void (printed += text)
  try {
    return { code: await command.run(argv, { env: {}, out: add, err: add }), printed }
  } catch (error) {
    const known = explain(error)
    return {
      code: known?.code ?? -1,
      printed: known?.message ?? (error instanceof Error ? (error.stack ?? error.message) : String(error)),
    }
  }
}

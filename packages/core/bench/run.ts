import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** Runs this bench with other arguments in a process of its own, and returns its output. */
export async function runBench(args: readonly string[], input = ''): Promise<string> {
  const child = spawn(process.execPath, ['--expose-gc', process.argv[1]!, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(input)
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const printed = await text(child.stdout)
  const status = await closed
  if (status !== 0) throw new Error(`bench ${args.join(' ')} ended with ${status}`)
  return printed
}

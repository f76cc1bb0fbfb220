import { execFileSync, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { runEmbedContract } from '@tributary/test-kit'

const cwd = fileURLToPath(new URL('..', import.meta.url))
const args = ['run', '--allow-net=127.0.0.1', '--allow-env', '--allow-read', '--allow-sys', '--allow-ffi', 'src/app.ts']

runEmbedContract('Deno', (port) => {
  // The package's script places the program with its first call, and would not pass a signal on to it.
  execFileSync(`${cwd}node_modules/.bin/deno`, ['--version'])
  return spawn(`${cwd}node_modules/deno/deno`, args, { cwd, env: { ...process.env, PORT: String(port) } })
})

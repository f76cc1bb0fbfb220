import { execFileSync, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { runEmbedContract } from '@tributary/test-kit'

const cwd = fileURLToPath(new URL('..', import.meta.url))
const args = ['run', '--allow-net=127.0.0.1', '--allow-env', '--allow-read', '--allow-sys', '--allow-ffi', 'src/app.ts']

runEmbedContract('Deno', (port) => {
  // The script of the npm package installs the program on its first run. It is not used to start the app, because it
  // would not forward signals.
  execFileSync(`${cwd}node_modules/.bin/deno`, ['--version'])
  return spawn(`${cwd}node_modules/deno/deno`, args, { cwd, env: { ...process.env, PORT: String(port) } })
})

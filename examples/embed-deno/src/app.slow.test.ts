import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { runEmbedContract } from '@tributary/test-kit'

const cwd = fileURLToPath(new URL('..', import.meta.url))
const args = ['run', '--allow-net=127.0.0.1', '--allow-env', '--allow-read', 'src/app.ts']

runEmbedContract('Deno', (port) =>
  spawn(`${cwd}node_modules/.bin/deno`, args, { cwd, env: { ...process.env, PORT: String(port) } }),
)

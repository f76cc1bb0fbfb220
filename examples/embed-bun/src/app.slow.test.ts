import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { runEmbedContract } from '@tributary/test-kit'

const cwd = fileURLToPath(new URL('..', import.meta.url))

runEmbedContract('Bun', (port) =>
  spawn(`${cwd}node_modules/.bin/bun`, ['src/app.ts'], { cwd, env: { ...process.env, PORT: String(port) } }),
)

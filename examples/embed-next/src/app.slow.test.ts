import { execFileSync, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { runEmbedContract } from '@tributary/test-kit'

const cwd = fileURLToPath(new URL('..', import.meta.url))
const next = `${cwd}node_modules/next/dist/bin/next`

runEmbedContract(
  'Next with a basePath',
  (port) => {
    const env = {
      ...process.env,
      NODE_ENV: 'production' as const,
      NEXT_TELEMETRY_DISABLED: '1',
      PORT: String(port),
      // Routes are bundled separately, and each bundle has its own copy of the sign-in module: all need the same key.
      APP_SECRET: 'key-of-the-sign-in',
    }
    execFileSync(process.execPath, [next, 'build'], { cwd, env })
    return spawn(process.execPath, [next, 'start', '--hostname', '127.0.0.1'], { cwd, env })
  },
  { basePath: '/app', startMs: 180_000 },
)

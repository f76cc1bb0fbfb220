import { start } from './workerd.ts'

const port = Number(process.env['PORT'] ?? 3000)
// This file is bundled to `dist/src/main.mjs` before it runs.
const app = await start(port, new URL('../../src/worker.ts', import.meta.url))
console.log(
  `Sign in as Jane: http://127.0.0.1:${port}/login?name=jane, then open http://127.0.0.1:${port}/tributary/traces`,
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void app.stop())

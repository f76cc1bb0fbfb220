import { openStores } from '@tributary/example-embed/options'
import { start } from './app.ts'

const port = Number(process.env['PORT'] ?? 3000)
const server = start(port, await openStores())
console.log(
  `Sign in as Jane: http://127.0.0.1:${port}/login?name=jane, then open http://127.0.0.1:${port}/tributary/traces`,
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close())

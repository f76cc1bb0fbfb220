#!/usr/bin/env node
import { createEmbeddedServer } from './app.ts'

const port = Number(process.env['PORT'] ?? 3000)
const server = await createEmbeddedServer(`http://127.0.0.1:${port}`)
server.listen(port, '127.0.0.1', () => {
  console.log(
    [
      `The app:                    http://127.0.0.1:${port}/`,
      `Sign in to the app as Jane: http://127.0.0.1:${port}/login?name=jane`,
      `Then Tributary knows Jane:  http://127.0.0.1:${port}/tributary/traces`,
    ].join('\n'),
  )
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => server.close())

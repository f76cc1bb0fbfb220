import { once } from 'node:events'
import { libsqlStores } from '@tributary/core/libsql'
import {
  contributeTraces,
  createTestStores,
  findFreePort,
  runEmbedContract,
  temporaryDatabase,
} from '@tributary/test-kit'
import { expect, onTestFinished, test, vi } from 'vitest'
import { start } from './app.ts'

runEmbedContract('an app with better-auth', (port) => start(port, createTestStores()), {
  userId: expect.stringMatching(/^\w{32}$/),
})

test("deleting the app's user immediately revokes the machine's token and erases all data about the user", async () => {
  const { client, close } = await temporaryDatabase()
  const port = await findFreePort()
  const server = start(port, libsqlStores(client))
  await once(server, 'listening')
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
    await close()
  })
  const base = `http://127.0.0.1:${port}`

  /**
   * Returns the tables with a row that contains one of the texts. The permits of rate limits are left out, because
   * they expire.
   */
  async function listTablesContaining(...texts: string[]): Promise<string[]> {
    const { rows } = await client.execute(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite%'",
    )
    const found: string[] = []
    for (const name of rows.map((row) => String(row['name']))) {
      if (name === 'rate_permits') continue
      const { rows: held } = await client.execute(`select * from ${name}`)
      const text = JSON.stringify(held)
      if (texts.some((one) => text.includes(one))) found.push(name)
    }
    return found
  }
  async function count(table: string): Promise<number> {
    return Number((await client.execute(`select count(*) as count from ${table}`)).rows[0]!['count'])
  }

  const signedIn = await fetch(`${base}/login?name=jane`)
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
  const { userId, bearer } = await contributeTraces(base, cookie)
  expect(await listTablesContaining(userId, 'jane@example.com')).toContain('users')
  expect([await count('traces'), await count('contents')]).toEqual([3, 3])

  const deleted = await fetch(`${base}/api/auth/delete-user`, {
    method: 'POST',
    headers: { cookie, 'origin': base, 'content-type': 'application/json' },
    body: JSON.stringify({ password: 'password of jane' }),
  })
  expect([deleted.status, await deleted.json()]).toEqual([200, expect.objectContaining({ success: true })])
  expect((await fetch(`${base}/tributary/api/cli/session`, { headers: bearer })).status).toBe(401)
  await vi.waitFor(async () => {
    expect(await listTablesContaining(userId, 'jane@example.com')).toEqual([])
    expect([await count('traces'), await count('contents'), await count('credentials')]).toEqual([0, 0, 0])
  })
})

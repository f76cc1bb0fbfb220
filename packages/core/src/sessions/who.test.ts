import { afterAll, describe, expect, test } from 'vitest'
import { fixture, temporaryDatabase } from '@tributary/test-kit'
import { libsqlStores } from '../libsql/index.ts'
import { memoryStores } from '../memory/index.ts'

const database = await temporaryDatabase()
afterAll(() => database.close())

describe.each([['memory', memoryStores], ['libsql', () => libsqlStores(database.client)]])('%s', (_, stores) => {
  test('a person signs in by mail, a machine by device login, and both are known', async () => {
    const { ask, signIn } = fixture({ stores: stores() })
    const jane = await signIn('Jane@Example.com')
    const reply = await ask('GET', '/api/cli/session', { headers: jane.bearer })
    expect(reply.json).toEqual({ ok: true, userId: jane.userId })
    const machines = await ask('GET', '/api/account/machines', { headers: jane.cookie })
    expect(machines.json.machines).toMatchObject([{ label: 'test machine' }])
  })
})

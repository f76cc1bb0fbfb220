import { getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as schema from '../stores/libsql/schema.ts'
import { openTwoClients, sampledKinds, type TwoClients } from '../stores/libsql/two-clients.fixture.ts'
import { openFilledAccount, operator, type FilledAccount } from './filled-account.fixture.ts'

const tables = (Object.values(schema) as readonly unknown[])
  .filter((one): one is SQLiteTable => is(one, SQLiteTable))
  .map(getTableName)

/** Returns a value of a column as text. */
const toText = (value: unknown): string =>
  value instanceof Uint8Array || value instanceof ArrayBuffer
    ? Buffer.from(value as Uint8Array).toString('latin1')
    : String(value)

describe.each(sampledKinds)('DELETE /api/account, %s', { tags: 'long' }, (kind) => {
  let database: TwoClients
  let account: FilledAccount
  beforeEach(async () => {
    database = await openTwoClients(kind)
    account = await openFilledAccount(database)
  })
  afterEach(() => database.close())

  /** Returns the tables that contain one of the words. */
  async function listTablesWith(words: readonly string[]): Promise<string[]> {
    const found: string[] = []
    for (const table of tables) {
      const { rows } = await database.clients[0].execute({ sql: `select * from "${table}"`, args: [] })
      const texts = rows.flatMap((row) => Object.values(row).map(toText))
      for (const word of words) if (texts.some((text) => text.includes(word))) found.push(`${table}: ${word}`)
    }
    return found
  }

  /** Erases the account, and completes the erasure. */
  async function erase(): Promise<void> {
    const { made, ann } = account
    const { cookie } = await made.signIn(ann.email)
    expect((await made.ask('DELETE', '/api/account', { headers: cookie })).status).toBe(200)
    await made.service.work()
    made.clock.advance(60_000)
    await made.service.work()
  }

  /** Submits the operators' form of a correction that makes the balance negative, so that its page asks again. */
  async function overdraw(reason: string): Promise<void> {
    const { made, ann } = account
    const { userId } = ann
    const { cookies } = await made.ask('POST', '/admin/sign-in', { form: { token: operator.authorization.slice(7) } })
    const cookie = Object.entries(cookies)
      .map((pair) => pair.join('='))
      .join('; ')
    const form = { userId, usd: '-500', reason, confirmed: userId, idempotencyKey: 'form' }
    const { status, text } = await made.ask('POST', '/admin/payouts/correct', { form, headers: { cookie } })
    expect([status, text.includes(reason)]).toEqual([200, true])
  }

  test('removes the address, the names, each reason, and the texts and hashes of sold traces from every table', async () => {
    const { made, ann, send } = account
    const { userId, email } = ann
    const correct = { userId, usd: 1, reason: `reason of ${email}` }
    await send('POST', '/api/admin/corrections', { ...operator, 'idempotency-key': 'correct' }, correct)
    await overdraw(correct.reason)
    const ofTraces = ['model', 'agent', 'version', 'note'].map((name) => `${name} of the trace`)
    const words = [email, 'reason', 'Ann Archer', '+1 555 0199', 'elephant', 'device-of-ann', ...ofTraces]
    const before = await listTablesWith(words)
    for (const word of words) expect(before.join()).toContain(word)
    await erase()
    expect(await listTablesWith(words)).toEqual([])
    const sold = await database.clients[0].execute({ sql: 'select "owner", "hash" from "traces"', args: [] })
    expect(sold.rows.map(({ owner, hash }) => [owner, (hash as ArrayBuffer).byteLength])).toEqual([[null, 0]])
    expect(made.mailer.mails.length).toBeGreaterThan(3)
  })

  test('lets no repeated call of an operator about the person have a second effect', async () => {
    const { made, ann } = account
    const { userId, email } = ann
    const calls = [
      ['/api/admin/corrections', { userId, usd: 1, reason: `reason of ${email}` }],
      ['/api/admin/payouts', { userId, usd: 2, reference: 'transfer-2' }],
    ] as const
    const sendAll = async () => {
      const answers = []
      for (const [path, json] of calls) {
        const headers = { ...operator, 'idempotency-key': 'k' }
        const { status, json: body } = await made.ask('POST', path, { headers, json })
        answers.push([status, body.error])
      }
      return answers
    }
    const countEntries = async () =>
      (await database.clients[0].execute({ sql: 'select count(*) as "count" from "ledger"', args: [] })).rows[0]![
        'count'
      ]
    expect(await sendAll()).toEqual([
      [200, undefined],
      [200, undefined],
    ])
    const before = await countEntries()
    await erase()
    // The person returns, and an app with its own identities gives them the same id.
    const returned = await made.signIn(email)
    const sql = 'update "users" set "id" = ? where "id" = ?'
    await database.clients[0].execute({ sql, args: [userId, returned.userId] })
    expect(await sendAll()).toEqual([
      [404, 'not_found'],
      [404, 'not_found'],
    ])
    expect(await countEntries()).toBe(before)
    const reused = { headers: { ...operator, 'idempotency-key': 'k' }, json: { userId, usd: 5, reason: 'r' } }
    expect((await made.ask('POST', '/api/admin/corrections', reused)).status).toBe(422)
  })
})

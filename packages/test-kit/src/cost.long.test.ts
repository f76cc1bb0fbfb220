import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createService } from '@tributary/core'
import { libsqlStores } from '@tributary/core/libsql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { overFetch } from './conformance/transport.ts'
import { temporaryDatabase, type TemporaryDatabase } from './fixtures/database.ts'
import { createRecordingMailer } from './fixtures/service.ts'
import { makeSentTraces, createTraveller } from './fixtures/journey.ts'

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../examples/lambda-sam/${path}`, import.meta.url)), 'utf8')
const [readme, scaling] = [read('README.md'), read('scaling.md')]

const million = 1_000_000
const traceBytes = 4096
const batch = 200

/** Returns the sum of the rows of each table and the entries of each index, which a provider bills as rows written. */
async function countRows({ client }: TemporaryDatabase): Promise<number> {
  const { rows: tables } = await client.execute(
    "select name from sqlite_master where type = 'table' and name not like 'sqlite_%'",
  )
  // A `without rowid` table is its own primary key, which is listed as an additional index.
  const { rows: indexes } =
    await client.execute(`select i.name, i.tbl_name, i.sql from sqlite_master i join sqlite_master t on t.name = i.tbl_name
    and t.type = 'table' where i.type = 'index' and not (i.name like 'sqlite_autoindex%' and t.sql like '%without rowid%')`)
  const counted = [
    ...tables.map(({ name }) => `select count(*) as n from ${String(name)}`),
    ...indexes.map(
      (one) =>
        `select count(*) as n from ${String(one['tbl_name'])}${/ where .*/is.exec(String(one['sql'] ?? ''))?.[0] ?? ''}`,
    ),
  ]
  const counts = await client.batch(counted)
  return counts.reduce((sum, { rows: [row] }) => sum + Number(row!['n']), 0)
}

/** Returns the number of bytes in the database's used pages. */
async function measureBytes({ client }: TemporaryDatabase): Promise<number> {
  const readPragma = async (pragma: string): Promise<number> =>
    Number((await client.execute(`pragma ${pragma}`)).rows[0]![0])
  return ((await readPragma('page_count')) - (await readPragma('freelist_count'))) * (await readPragma('page_size'))
}

interface SentTrace {
  readonly messages: readonly { readonly content: string }[]
}
let state = 1
/** Returns a trace of the same size with words that other traces do not have, because copies have additional rows. */
function withOwnWords(trace: SentTrace): SentTrace {
  const nextWord = (): string => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 8).toString(36)
  }
  const messages = trace.messages.map((message) => {
    const words = Array.from({ length: message.content.length / 6 }, nextWord)
    return { ...message, content: words.join(' ').slice(0, message.content.length) }
  })
  return { ...trace, messages }
}

describe('the cost of a million traces in examples/lambda-sam/README.md', () => {
  let database: TemporaryDatabase
  let rowsPerTrace: number
  let bytesPerTrace: number

  beforeAll(async () => {
    database = await temporaryDatabase()
    const mailer = createRecordingMailer()
    const service = createService({
      baseUrl: 'http://127.0.0.1',
      stores: libsqlStores(database.client),
      mailer,
      rates: 'off',
      country: () => 'US',
      approval: 'automatic',
    })
    const person = await createTraveller({
      request: overFetch(service),
      email: 'cost@example.com',
      code: (email) => mailer.code(email),
    })
    const ingestBatch = async (label: string): Promise<void> => {
      await person.send(makeSentTraces(batch, traceBytes, label).map((trace) => withOwnWords(trace as SentTrace)))
      await service.work()
    }
    await ingestBatch('first')
    const [rows, bytes] = [await countRows(database), await measureBytes(database)]
    await ingestBatch('second')
    await ingestBatch('third')
    rowsPerTrace = ((await countRows(database)) - rows) / (2 * batch)
    bytesPerTrace = ((await measureBytes(database)) - bytes) / (2 * batch)
  })
  afterAll(() => database.close())

  // promise: rows-trace
  test('states the number of rows that a trace writes', () => {
    const stated = Number(/(\d+) rows a trace/.exec(readme)![1])
    expect(stated).toBe(Math.floor(rowsPerTrace))
    // The traces of a job share its rows, and the number of fingerprints differs between traces.
    expect(rowsPerTrace - stated).toBeLessThan(1)
  })

  // promise: contents-packed
  test('states the bytes that a trace stores, with an error of at most a tenth', () => {
    const gigabytes = Number(/([\d.]+) GB ×\s\$0\.75/.exec(readme)![1])
    expect((gigabytes * 1e9) / million / bytesPerTrace).toBeGreaterThan(0.9)
    expect((gigabytes * 1e9) / million / bytesPerTrace).toBeLessThan(1.1)
  })

  test('states the same count as scaling.md', () => {
    const [, second, billions] = /([\d,]+) a second are ([\d.]+) billion a month/.exec(scaling)!
    const [, traces] = /^\| 100 \| \d+ \| (\d+) \|/m.exec(scaling)!
    expect(Number(second!.replace(',', ''))).toBe(Number(traces) * Math.floor(rowsPerTrace))
    expect(Number(billions)).toBeCloseTo((Number(traces) * Math.floor(rowsPerTrace) * 86_400 * 30) / 1e9, 1)
  })
})

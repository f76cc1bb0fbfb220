import { spawnSync } from 'node:child_process'
import { createHash, generateKeyPairSync, verify } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import {
  createTestStores,
  fixture,
  loseContent,
  makeId,
  makeTrace,
  seedTraces,
  type TestStores,
} from '@tributary/test-kit'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { exportDataset, type ExportOptions } from './export.ts'
import { dataFiles, type Manifest } from './manifest.ts'
import { redactionFields } from './parquet.ts'
import { readSigner } from './signing.ts'
import type { Ask } from './source.ts'
import { readTraceIds } from './trace-ids.ts'

const adminToken = 'operator-of-the-export-test'
const operator = { authorization: `Bearer ${adminToken}` }
const count = 250
/** A call in the form of OpenAI, whose arguments are JSON text with a line break. */
const call = `\`\`\`tool_call
${JSON.stringify({ id: 'call_1', function: { name: 'Bash', arguments: '{"command":\n"ls"}' } })}
\`\`\``

let root: string
let ask: Ask
let saleId: string
let stores: TestStores

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'tributary-export-'))
  stores = createTestStores()
  const made = fixture({ stores, adminToken })
  const { userId } = await made.signIn('ann@example.com')
  await seedTraces(
    stores.client,
    userId,
    Array.from({ length: count }, (_, n) =>
      makeTrace('ann', n, {
        tokenCount: 3,
        messages: JSON.stringify([
          {
            position: 0,
            role: 'user',
            content: `number ${n} "日本" \u2028 😀`,
            tokenCount: 1,
            createdAt: null,
            truncated: false,
          },
          {
            position: 1,
            role: 'assistant',
            content: call,
            tokenCount: 2,
            createdAt: '2026-10-01T08:00:00.000Z',
            truncated: false,
          },
        ]),
      }),
    ),
  )
  ask = async (path) => (await made.service.fetch(new Request(`http://127.0.0.1:8787${path}`, { headers: operator })))!
  const sale = { buyer: 'Acme', usd: 1, filter: {} }
  saleId = (await made.ask('POST', '/api/admin/sales', { headers: operator, json: sale })).json.saleId
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const locateFolder = (name: string): string => join(root, name)
const run = async (name: string, options: Partial<ExportOptions> = {}): Promise<Manifest> => {
  const { manifest } = await exportDataset({
    ask,
    selection: { saleId },
    format: 'documents',
    out: locateFolder(name),
    license: 'other',
    shardTraces: 5_000,
    ...options,
  })
  return manifest
}
const readLines = (name: string, path: string): unknown[] =>
  readFileSync(join(locateFolder(name), path), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)
async function query(sql: string): Promise<Record<string, unknown>[]> {
  const connection = await (await DuckDBInstance.create()).connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson() as Record<string, unknown>[]
  } finally {
    connection.closeSync()
  }
}
const readSchema = (format: string): object =>
  JSON.parse(readFileSync(new URL(`../../../../docs/schemas/${format}.json`, import.meta.url), 'utf8')) as object

/** A Python with pandas, pyarrow, polars and datasets. */
const python = process.env['TRIBUTARY_PYTHON'] ?? 'python3'
const hasPackages = spawnSync(python, ['-I', '-c', 'import datasets, pandas, polars, pyarrow']).status === 0

describe.skipIf(!hasPackages)('the Python lines of docs/dataset.md', () => {
  test('the Python of docs/dataset.md reads every trace of an export', async () => {
    await run('rows', { format: 'parquet', shardTraces: 100 })
    await run('lines', { format: 'messages' })
    const document = readFileSync(new URL('../../../../docs/dataset.md', import.meta.url), 'utf8')
    const lines = /```python\n([\s\S]*?)```/
      .exec(document)![1]!
      .split('\n')
      .filter((line) => line !== '')
    const program = lines.flatMap((line) => {
      const path = line.includes('.json') ? locateFolder('lines') : locateFolder('rows')
      return [
        `os.chdir(${JSON.stringify(path)})`,
        line,
        /^\w+ = /.test(line) ? `print(len(${line.split(' ', 1)[0]}))` : '',
      ]
    })
    const env = { ...process.env, HF_HUB_OFFLINE: '1', HF_HOME: locateFolder('cache') }
    const { stdout, stderr } = spawnSync(python, ['-I', '-c', ['import os', ...program].join('\n')], { env })
    expect(stdout.toString().trim().split('\n'), stderr.toString()).toEqual(Array(6).fill(String(count)))
  })
})

describe('exportDataset', () => {
  test.each(['documents', 'messages', 'sts', 'atif'] as const)(
    'writes %s with lines that match the JSON Schema',
    async (format) => {
      const manifest = await run(format, { format })
      const copies = { traces: 0, tokens: 0 }
      expect(manifest).toMatchObject({
        schemaVersion: 1,
        format,
        saleId,
        traces: count,
        tokens: count * 3,
        skipped: 0,
        copies,
      })
      const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(readSchema(format))
      const lines = dataFiles(manifest).flatMap(({ path }) => readLines(format, path))
      expect(lines).toHaveLength(format === 'sts' ? count * 3 : count)
      for (const line of lines) expect([validate(line), validate.errors]).toEqual([true, null])
    },
  )

  test('writes each session of sts into its own file: first the session, then its messages', async () => {
    const files = dataFiles(await run('sts', { format: 'sts' }))
    expect(files).toHaveLength(count)
    for (const { path } of files) {
      const [session, ...messages] = readLines('sts', path) as { type: string; id?: string }[]
      expect([session!.type, path.endsWith(`/${session!.id}.jsonl`)]).toEqual(['session', true])
      expect(messages.map(({ type }) => type)).toEqual(['message', 'message'])
      expect(messages[1]).toMatchObject({
        message: {
          role: 'assistant',
          toolCalls: [{ id: 'call_1', function: { name: 'Bash', arguments: '{"command":"ls"}' } }],
        },
      })
    }
  })

  test('writes parquet that DuckDB reads back as the documents', { tags: 'long' }, async () => {
    const files = dataFiles(await run('parquet', { format: 'parquet' }))
    await run('documents')
    const parquet = `'${locateFolder('parquet')}/data/*.parquet'`
    const [totals] = await query(
      `select count(*) as traces, sum(token_count) as tokens, count(distinct id) as ids from ${parquet}`,
    )
    expect(totals).toEqual({ traces: String(count), tokens: String(count * 3), ids: String(count) })
    const [time] = await query(`select typeof(created_at) as type from ${parquet} limit 1`)
    expect(time).toEqual({ type: 'TIMESTAMP WITH TIME ZONE' })
    const rows = await query(`select id, title, model, segment_index, redactions, created_at::varchar as at,
      messages[1].content as content, messages[2].role as role, messages[1].created_at as none, len(messages) as n from ${parquet}`)
    const documents = readLines('documents', 'data/00000.jsonl') as {
      id: string
      createdAt: string
      messages: { content: string }[]
    }[]
    expect(rows.map(({ id, content, role, none, n }) => ({ id, content, role, none, n }))).toEqual(
      documents.map(({ id, messages }) => ({
        id,
        content: messages[0]!.content,
        role: 'assistant',
        none: null,
        n: '2',
      })),
    )
    expect(String(rows[0]!['at']).slice(0, 10)).toBe(documents[0]!.createdAt.slice(0, 10))
    const [json] = await query(`select count(*) as n from read_json_auto('${locateFolder('documents')}/data/*.jsonl')`)
    expect([files.length, json]).toEqual([1, { n: String(count) }])
  })

  test('writes every column of parquet that the card names, with its type and the values of the document', async () => {
    const document = {
      id: makeId('ann', 1),
      source: 'codex_jsonl',
      sourceId: 'session',
      title: 'A title',
      model: 'gpt-5',
      createdAt: '2026-10-01T08:00:00.123Z',
      parentTraceId: 'parent',
      segmentIndex: 2,
      contentHash: 'a'.repeat(64),
      scrub: { version: '9', redactions: { email: 2, person: 1, badge: 3 } },
      agent: { name: 'codex', version: '1.2' },
      tools: [{ name: 'Bash', parameters: { type: 'object' } }],
      usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, costUsd: 0.5 },
      outcome: { status: 'success', testsPassed: 5, testsFailed: 6, note: 'done' },
      messages: [
        {
          position: 0,
          role: 'user',
          content: 'hello',
          tokenCount: 7,
          createdAt: '2026-10-01T08:00:00.000Z',
          truncated: true,
        },
      ],
    }
    const askOne: Ask = async () => new Response(`${JSON.stringify(document)}\n`)
    await run('columns', { format: 'parquet', selection: { filter: '' }, ask: askOne })
    const path = `'${locateFolder('columns')}/data/00000.parquet'`
    const [row] = await query(`select * replace (epoch_ms(created_at) as created_at, redactions.email as redactions,
      messages[1].content as messages) from ${path}`)
    expect(row).toEqual({
      id: document.id,
      source: 'codex_jsonl',
      source_id: 'session',
      title: 'A title',
      model: 'gpt-5',
      created_at: String(Date.parse(document.createdAt)),
      parent_trace_id: 'parent',
      segment_index: '2',
      content_hash: document.contentHash,
      token_count: '7',
      scrub_version: '9',
      agent_name: 'codex',
      agent_version: '1.2',
      tools: JSON.stringify(document.tools),
      input_tokens: '1',
      output_tokens: '2',
      cache_read_tokens: '3',
      cache_write_tokens: '4',
      cost_usd: 0.5,
      outcome_status: 'success',
      outcome_tests_passed: '5',
      outcome_tests_failed: '6',
      outcome_note: 'done',
      redactions: '2',
      messages: 'hello',
    })
    const [counts] =
      await query(`select redactions.person as person, redactions.other as other, redactions.phone as phone,
      messages[1].truncated as truncated, messages[1].role as role from ${path}`)
    expect(counts).toEqual({ person: '1', other: '3', phone: '0', truncated: true, role: 'user' })

    // The types of the card, as DuckDB names them, in the same order.
    const words = { string: 'VARCHAR', int64: 'BIGINT', float64: 'DOUBLE', bool: 'BOOLEAN' } as const
    const nameType = (type: string) => words[type as keyof typeof words] ?? 'TIMESTAMP WITH TIME ZONE'
    const card = readFileSync(join(locateFolder('columns'), 'README.md'), 'utf8')
    const features = /features:\n([\s\S]*?) {2}splits:/.exec(card)![1]!
    const listed = (text: string, indent: string) =>
      [...text.matchAll(new RegExp(`^${indent}- name: (\\w+)\\n${indent} {2}dtype: (.+)$`, 'gm'))].map(
        ([, name, type]) => [name!, nameType(type!)] as const,
      )
    const [plain, redactions, messages] = features.split(/^ {2}- name: (?:redactions|messages)\n/m)
    const struct = (text: string) =>
      `STRUCT(${listed(text, '    ')
        .map(([name, type]) => `"${name}" ${type}`)
        .join(', ')})`
    const unquote = (type: unknown) => String(type).replaceAll('"', '')
    const columns = await query(`select column_name, column_type from (describe select * from ${path})`)
    expect(columns.map(({ column_name: name, column_type: type }) => [name, unquote(type)])).toEqual([
      ...listed(plain!, '  '),
      ['redactions', unquote(struct(redactions!))],
      ['messages', `${unquote(struct(messages!))}[]`],
    ])
  })

  test("has a Parquet field for every category of the scrubber's rules", () => {
    const folder = new URL('../../../core/src/scrubber/', import.meta.url)
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !/(?:test|fixture)\.ts$/.test(name),
    )
    const found = names.flatMap((name) =>
      [...readFileSync(new URL(name, folder), 'utf8').matchAll(/category: '(\w+)'/g)].map(([, category]) => category!),
    )
    const known = new Set(redactionFields.map(({ name }) => name))
    expect([...new Set(found)].filter((category) => !known.has(category))).toEqual([])
    expect(new Set(found).size).toBeGreaterThan(20)
  })

  test('names in the manifest the SHA-256 of each file, and describes the export in a dataset card', async () => {
    const { files, scrubVersions } = await run('card')
    for (const { path, sha256, bytes } of files) {
      const content = readFileSync(join(locateFolder('card'), path))
      expect([createHash('sha256').update(content).digest('hex'), content.length]).toEqual([sha256, bytes])
    }
    expect(Object.values(scrubVersions)).toEqual([count])
    const card = readFileSync(join(locateFolder('card'), 'README.md'), 'utf8')
    expect(card).toMatch(
      /^---\nlicense: "other"\n[\s\S]*size_categories:\n- "n<1K"\n[\s\S]*path: "data\/\*\.jsonl"\n[\s\S]*num_examples: 250\n[\s\S]*---\n/,
    )
    for (const text of [
      '| `messages[].truncated` | boolean |',
      'lines=True',
      'How the traces were scrubbed',
      'What is not promised',
      saleId,
    ])
      expect(card).toContain(text)
    expect(readdirSync(locateFolder('card')).sort()).toEqual([
      'README.md',
      'croissant.json',
      'data',
      'manifest.json',
      'provenance.json',
    ])
  })

  test('signs the manifest with the key of the signer, and names the signature in the manifest and the card', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
    const signer = readSigner(pem, { from: null, until: null })
    const seed = Buffer.from(privateKey.export({ format: 'jwk' }).d!, 'base64url').toString('base64')
    expect(readSigner(seed, { from: null, until: null }).published).toEqual(signer.published)
    const { signature } = await run('signed', { signer })
    expect(signature).toEqual({ algorithm: 'Ed25519', kid: signer.published.kid })
    const read = (name: string) => readFileSync(join(locateFolder('signed'), name))
    expect(read('manifest.json.sig')).toHaveLength(64)
    expect(verify(null, read('manifest.json'), publicKey, read('manifest.json.sig'))).toBe(true)
    expect(read('README.md').toString()).toContain(signer.published.kid)
    expect((await run('unsigned')).signature).toBeNull()
    expect(existsSync(join(locateFolder('unsigned'), 'manifest.json.sig'))).toBe(false)
    expect(readFileSync(join(locateFolder('unsigned'), 'README.md'), 'utf8')).toContain('This package is unsigned')
  })

  test('names the seller in the dataset card, and lists no `data_files` for the sts format', async () => {
    await run('seller', { format: 'sts', seller: { name: 'Meridian', url: 'https://traces.example.com' } })
    const card = readFileSync(join(locateFolder('seller'), 'README.md'), 'utf8')
    expect(card).toContain('Meridian, https://traces.example.com')
    expect(card).not.toContain('data_files:')
  })

  test('counts sources and models in the manifest and the card, with the first and the last day', async () => {
    const models = ['gpt-5', 'gpt-5', '__proto__', 'a`b|c', null]
    const pages = [
      [0, 1, 2],
      [3, 4],
    ].map((page) =>
      page.map((n) => ({
        id: `trace-${n}`,
        source: n === 0 ? 'codex_jsonl' : 'cursor_sqlite',
        model: models[n],
        createdAt: `2026-10-0${5 - n}T08:00:00.000Z`,
        messages: [],
        scrub: { version: '1', redactions: {} },
        ...(n < 2 ? { outcome: { status: 'success' } } : {}),
        ...(n < 3 ? { origin: { termsVersion: '2026-01', country: 'US' } } : {}),
      })),
    )
    const askPages: Ask = async (path) => {
      const isLast = path.includes('cursor=')
      const lines = pages[isLast ? 1 : 0]!.map((line) => `${JSON.stringify(line)}\n`)
      return new Response(lines.join(''), { headers: isLast ? {} : { 'x-next-cursor': '1' } })
    }
    const subject = { selection: { filter: '' }, shardTraces: 1 }
    const failOnLast: Ask = (path) => (path.includes('cursor=') ? Promise.reject(new Error('gone')) : askPages(path))
    await expect(run('contents', { ...subject, ask: failOnLast })).rejects.toThrow('same command again')
    const manifest = await run('contents', { ...subject, ask: askPages })
    expect(manifest).toMatchObject({
      sources: { codex_jsonl: 1, cursor_sqlite: 4 },
      outcomes: { success: 2 },
      countries: { US: { traces: 3, tokens: 0 }, unknown: { traces: 2, tokens: 0 } },
      termsVersions: { '2026-01': { traces: 3, tokens: 0 }, 'unknown': { traces: 2, tokens: 0 } },
      copies: null,
      firstCreatedAt: '2026-10-01T08:00:00.000Z',
      lastCreatedAt: '2026-10-05T08:00:00.000Z',
    })
    expect(Object.entries(manifest.models)).toEqual([
      ['gpt-5', 2],
      ['__proto__', 1],
      ['a`b|c', 1],
    ])
    expect(readFileSync(join(locateFolder('contents'), 'README.md'), 'utf8')).toContain(`
## Contents

Created from 2026-10-01 to 2026-10-05 (UTC).

| source | traces |
| --- | --- |
| \`cursor_sqlite\` | 4 |
| \`codex_jsonl\` | 1 |

| model | traces |
| --- | --- |
| \`gpt-5\` | 2 |
| \`__proto__\` | 1 |
| \`a b c\` | 1 |
| others, or not known | 1 |

| country of the upload | traces |
| --- | --- |
| \`US\` | 3 |
| \`unknown\` | 2 |

| terms accepted before the upload | traces |
| --- | --- |
| \`2026-01\` | 3 |
| \`unknown\` | 2 |

`)
  })

  test.each(['documents', 'messages', 'sts', 'atif', 'parquet'] as const)(
    'closes a shard of %s when it has the given number of traces',
    async (format) => {
      await loseContent(stores.client, makeId('ann', 3))
      const manifest = await run('shards', { format, selection: { filter: '' }, shardTraces: 90 })
      expect(manifest.traces).toBe(count - 1)
      const tracesByShard: Record<string, number> = {}
      for (const file of dataFiles(manifest)) {
        const shard = file.path.slice(0, 'data/00000'.length)
        for await (const _ of readTraceIds(locateFolder('shards'), { format, files: [file] }))
          tracesByShard[shard] = (tracesByShard[shard] ?? 0) + 1
      }
      expect(tracesByShard).toEqual({ 'data/00000': 90, 'data/00001': 90, 'data/00002': count - 181 })
    },
  )

  test.each(['documents', 'sts', 'parquet'] as const)(
    'continues an interrupted export of %s with the same files',
    { tags: 'long' },
    async (format) => {
      const whole = await run('whole', { format, shardTraces: 100 })
      let asked = 0
      const breakThirdCall: Ask = async (path) => {
        if (++asked === 3)
          throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) })
        return ask(path)
      }
      await expect(run('part', { format, shardTraces: 100, ask: breakThirdCall })).rejects.toThrow(
        /does not answer \(ECONNRESET\).*same command again/s,
      )
      expect(existsSync(join(locateFolder('part'), 'manifest.json'))).toBe(false)
      expect(existsSync(join(locateFolder('part'), '.progress.json'))).toBe(true)
      expect(await run('part', { format, shardTraces: 100 })).toEqual(whole)
    },
  )

  test('refuses a folder with other files, another export or changed files, with a message that says so', async () => {
    await run('done')
    await expect(run('done', { format: 'sts' })).rejects.toThrow(/something else \(format: documents\)/)
    writeFileSync(join(locateFolder('done'), 'data/00000.jsonl'), 'x')
    await expect(run('done')).rejects.toThrow(/data\/00000.jsonl was changed/)
    await expect(run('', { format: 'sts' })).rejects.toThrow(/not empty/)
    await expect(run('none', { selection: { saleId: makeId('sale', 1) } })).rejects.toThrow(/has no sale/)
    await expect(run('none', { selection: { filter: 'source=nobody' } })).rejects.toThrow(/--filter/)
    await expect(run('none', { ask: async () => new Response('', { status: 401 }) })).rejects.toThrow(/--admin-token/)
  })

  test('exports the traces that a filter selects, counts traces that cannot be read, and does not write an empty shard', async () => {
    await loseContent(stores.client, makeId('ann', 3))
    expect(await run('all', { selection: { filter: '' } })).toMatchObject({
      traces: count - 1,
      skipped: 1,
      saleId: null,
      filter: '',
    })
    const none = await run('none', { selection: { filter: 'minTokens=4' } })
    expect([none.traces, dataFiles(none), readdirSync(join(locateFolder('none'), 'data'))]).toEqual([0, [], []])
    expect(readFileSync(join(locateFolder('all'), 'README.md'), 'utf8')).toContain('Do not give it to a buyer')
  })
})

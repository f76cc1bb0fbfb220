import { existsSync, readFileSync, readdirSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { formatTraceDocument, type TraceDocument } from '@tributary/core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { readFile } from '../../../../examples/contributor/src/sessions/file.ts'
import type { Trace } from '../../../../examples/contributor/src/sessions/trace.ts'
import {
  documentInventory,
  readEveryFormat,
  type Inventory,
} from '../../../core/src/traces/dataset/format-rules.fixture.ts'

const folder = new URL('../../../../../shared/traces/', import.meta.url)
const root = new URL('../../../../docs/schemas/', import.meta.url)
const formats = ['documents', 'messages', 'sts', 'atif'] as const

/** Returns the trace as its document, without scrubbing. */
const toDocument = (trace: Trace, number: number): TraceDocument => ({
  id: `0199d3f0-6f5a-7c1e-8a4b-${String(number).padStart(12, '0')}`,
  source: trace.source ?? 'unknown',
  sourceId: trace.sourceId,
  title: null,
  model: trace.model ?? null,
  createdAt: new Date(trace.createdAt).toISOString(),
  parentTraceId: trace.parentTraceId ?? null,
  segmentIndex: trace.segmentIndex ?? null,
  contentHash: '0'.repeat(64),
  scrub: { version: '1', redactions: {} },
  messages: trace.messages.map(({ role, content, createdAt, truncated }, position) => ({
    position,
    role: role ?? null,
    content,
    tokenCount: 1,
    createdAt: createdAt === undefined ? null : new Date(createdAt).toISOString(),
    truncated: truncated ?? false,
  })),
})

/** Reads a history: Markdown of messages that are separated by `---` lines. */
const readHistory = (name: string): Trace => ({
  source: 'unknown',
  sourceId: name,
  createdAt: '2026-01-01T00:00:00Z',
  messages: readFileSync(new URL(`histories/${name}`, folder), 'utf8')
    .split(/^---$/m)
    .map((content, n) => ({ role: n % 2 === 0 ? ('user' as const) : ('assistant' as const), content })),
})

function readAll(): TraceDocument[] {
  const files = ['airline.ingest.json', 'swe-agent.ingest.json', ...list('sessions').map((name) => `sessions/${name}`)]
  const read = files.flatMap((name) => readFile(new URL(name, folder).pathname)!.traces)
  return [...read, ...list('histories').map(readHistory)].map(toDocument)
}
const list = (name: string): string[] => readdirSync(new URL(`${name}/`, folder)).sort()

describe.skipIf(!existsSync(folder))('the traces of ../shared/traces', () => {
  const validators = Object.fromEntries(
    formats.map((format) => [
      format,
      new Ajv2020({ strict: false, validateFormats: false }).compile(
        JSON.parse(readFileSync(new URL(`${format}.json`, root), 'utf8')) as object,
      ),
    ]),
  )

  test('match the JSON Schemas and the rules of every format, without a loss of data', () => {
    const documents = readAll()
    const totals = { traces: 0, calls: 0, results: 0, thinking: 0, text: 0 }
    const wrong: unknown[] = []
    for (const document of documents) {
      for (const format of formats) {
        for (const line of formatTraceDocument(document, format).split('\n')) {
          const validate = validators[format]!
          if (!validate(JSON.parse(line))) wrong.push([format, document.sourceId, validate.errors?.slice(0, 2)])
        }
      }
      const made = documentInventory(document)
      for (const [format, { faults, inventory }] of Object.entries(readEveryFormat(document))) {
        if (faults.length > 0) wrong.push([format, document.sourceId, faults.slice(0, 3)])
        for (const name of Object.keys(made) as (keyof Inventory)[])
          if (JSON.stringify(inventory[name]) !== JSON.stringify(made[name]))
            wrong.push([format, document.sourceId, name, made[name].length, inventory[name].length])
      }
      totals.traces++
      for (const name of Object.keys(made) as (keyof Inventory)[]) totals[name] += made[name].length
    }
    expect(wrong).toEqual([])
    expect(totals.traces).toBeGreaterThan(270)
    expect(Math.min(totals.calls, totals.results, totals.thinking)).toBeGreaterThan(10)
  })

  test('are read by DuckDB in every format', async () => {
    const documents = readAll()
    const path = mkdtempSync(join(tmpdir(), 'tributary-formats-'))
    const connection = await (await DuckDBInstance.create()).connect()
    try {
      for (const format of ['documents', 'messages', 'atif'] as const) {
        const file = join(path, `${format}.jsonl`)
        writeFileSync(file, `${documents.map((document) => formatTraceDocument(document, format)).join('\n')}\n`)
        const items = format === 'atif' ? 'steps' : 'messages'
        const sql = `select count(*)::int as traces, min(len(${items}))::int as least
          from read_json_auto('${file}', maximum_object_size=100000000)`
        const [row] = (await connection.runAndReadAll(sql)).getRowObjectsJson()
        expect([format, row]).toEqual([format, { traces: documents.length, least: expect.any(Number) }])
      }
    } finally {
      connection.closeSync()
      rmSync(path, { recursive: true, force: true })
    }
  })
})

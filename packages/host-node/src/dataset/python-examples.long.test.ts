import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readMessagesLine, readTrajectory } from '../../../core/src/traces/dataset/format-rules.fixture.ts'
import { fillDatabase } from '../cli/demo/fill.ts'
import { datasetCommand } from '../cli/commands/dataset.ts'
import { runCommand } from '../cli/program.fixture.ts'
import { openStore } from '../server-config.ts'
import { dataFiles, type Manifest } from './manifest.ts'

const root = mkdtempSync(join(tmpdir(), 'tributary-python-'))
const database = join(root, 'tributary.db')
const document = readFileSync(new URL('../../../../docs/dataset.md', import.meta.url), 'utf8')
/** The Python examples of docs/dataset.md. */
const examples = Array.from(document.matchAll(/```python\n([\s\S]*?)```/g), ([, code]) => code!)
const formats = ['documents', 'messages', 'atif', 'parquet'] as const
const manifests: Record<string, Manifest> = {}

beforeAll(async () => {
  const opened = await openStore({ url: database })
  await opened.migrate()
  await fillDatabase(opened, { seed: 1, now: Date.parse('2026-11-20T00:00:00Z'), secret: ['secret of the demo data'] })
  await opened.close()
  for (const format of formats) {
    const args = ['--filter', 'all', '--database', database, '--format', format, '--out', join(root, format), '--json']
    await runCommand(datasetCommand, ['export', ...args])
    manifests[format] = JSON.parse(readFileSync(join(root, format, 'manifest.json'), 'utf8')) as Manifest
  }
}, 120_000)
afterAll(() => rmSync(root, { recursive: true, force: true }))

const listFiles = (format: string): string[] => dataFiles(manifests[format]!).map(({ path }) => path)
const readLines = (format: string): string[] =>
  listFiles(format).flatMap((path) =>
    readFileSync(join(root, format, path), 'utf8')
      .trimEnd()
      .split('\n'),
  )

/** Returns each path that an example reads, with the formats for which the example reads it. */
const readPaths = (code: string): (readonly [path: string, formats: readonly string[]])[] =>
  code.split('\n').flatMap((line) => {
    const path = /"(data[^"]*)"(?:\)\.glob\("([^"]+)"\))?/.exec(line)
    const named = /# ([a-z]+(?:, [a-z]+)*)$/.exec(line)?.[1]?.split(', ') ?? ['parquet']
    return path ? [[path[2] === undefined ? path[1]! : `${path[1]}/${path[2]}`, named] as const] : []
  })

describe('the Python examples of docs/dataset.md, without Python', () => {
  test('read every data file of the formats that they name', () => {
    const paths = examples.flatMap(readPaths)
    expect(paths).toHaveLength(7)
    for (const [path, named] of paths)
      for (const format of named) {
        const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}(?:/|$)`)
        expect([format, path, listFiles(format).filter((file) => pattern.test(file))]).toEqual([
          format,
          path,
          listFiles(format),
        ])
      }
  })

  test('read columns of Parquet that exist', async () => {
    const [, column, field] = /pl\.col\("(\w+)"\)\.list\.eval\(pl\.element\(\)\.struct\.field\("(\w+)"\)\)/.exec(
      examples[0]!,
    )!
    const connection = await (await DuckDBInstance.create()).connect()
    const sql = `select typeof(list_transform(${column}, one -> one.${field})) as type, count(*)::int as traces
      from '${root}/parquet/data/*.parquet' group by 1`
    const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson()
    connection.closeSync()
    expect(rows).toEqual([{ type: 'VARCHAR[]', traces: manifests['parquet']!.traces }])
  })

  test("pass conversations that follow the rules of TRL's conversational format to TRL", () => {
    const fields = Array.from(examples[1]!.matchAll(/chat(?:\["|\.get\(")(\w+)"/g), ([, name]) => name)
    expect(fields).toEqual(['messages', 'tools'])
    const lines = readLines('messages')
    expect(lines).toHaveLength(manifests['messages']!.traces)
    expect(lines.flatMap((line) => readMessagesLine(line).faults)).toEqual([])
  })

  test('pass trajectories that follow the rules of ATIF 1.7 to Harbor', () => {
    expect(examples[2]).toContain('Trajectory.model_validate(json.loads(line))')
    const lines = readLines('atif')
    expect(lines).toHaveLength(manifests['atif']!.traces)
    expect(lines.flatMap((line) => readTrajectory(line).faults)).toEqual([])
  })
})

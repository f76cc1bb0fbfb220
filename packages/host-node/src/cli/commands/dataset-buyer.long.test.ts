import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findOasisMistakes } from '../../dataset/package-rules.fixture.ts'
import { built, cli, makeUniqueBatch, signInContributor, startDev, type Dev } from '../cli.fixture.ts'
import { runCommand } from '../program.fixture.ts'
import { datasetCommand } from './dataset.ts'

const root = mkdtempSync(join(tmpdir(), 'tributary-buyer-'))
const database = join(root, 'tributary.db')
const count = 12
let server: Dev
let token: string
let saleId: string

async function ask(path: string, json: object): Promise<Record<string, string>> {
  const headers = { 'authorization': `Bearer ${server.adminToken}`, 'content-type': 'application/json' }
  const response = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(json) })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Record<string, string>
}

beforeAll(async () => {
  if (!built) return
  server = await startDev(database)
  const person = await signInContributor(server.url, 'ann@example.com')
  await person.finished(await person.send(makeUniqueBatch(count)))
  token = (await ask('/api/admin/buyers', { name: 'Acme' }))['token']!
  saleId = (await ask('/api/admin/sales', { buyer: 'Acme', usd: 10, traceIds: await person.traces() }))['saleId']!
})
afterAll(async () => {
  await server?.stop()
  rmSync(root, { recursive: true, force: true })
})

async function query(sql: string): Promise<unknown> {
  const connection = await (await DuckDBInstance.create()).connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson()[0]
  } finally {
    connection.closeSync()
  }
}
const read = (folder: string, name: string): string => readFileSync(join(root, folder, name), 'utf8')

describe.skipIf(!built)('tributary dataset', () => {
  test('the five commands of docs/dataset.md lead from a token to verified Parquet files', async () => {
    const document = readFileSync(new URL('../../../../../docs/dataset.md', import.meta.url), 'utf8')
    const commands = /```sh\n([\s\S]*?)```/.exec(document)![1]!.trimEnd().split('\n')
    expect(commands).toHaveLength(5)
    const script = commands
      .join('\n')
      .replace('trbb_…', token)
      .replaceAll('https://traces.example.com', server.url)
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, saleId)
      .replaceAll(/^tributary /gm, `${process.execPath} ${cli} `)
    const out = execFileSync('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: root,
      env: { PATH: process.env['PATH'] },
      encoding: 'utf8',
    })
    for (const text of [saleId, `Verified ${count} traces`, 'data/00000.parquet: OK', 'provenance.json: OK'])
      expect(out).toContain(text)
    expect(await query(`select count(*)::int as traces from '${root}/traces/data/*.parquet'`)).toEqual({
      traces: count,
    })
  })

  test("a seller's signed package is verified by the command, sha256sum, the schema of OASIS and DuckDB", async () => {
    const key = join(root, 'key.pem')
    writeFileSync(key, execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519'], { encoding: 'utf8' }))
    const [format, folder] = ['parquet', 'signed'] as const
    const args = ['--sale', saleId, '--format', format, '--out', join(root, folder), '--signing-key', key]
    const asSeller = ['--address', server.url, '--admin-token', server.adminToken]
    const made = await runCommand(datasetCommand, ['export', ...asSeller, ...args])
    expect([made.code, made.err]).toEqual([0, ''])
    const publicKey = execFileSync('openssl', ['pkey', '-in', key, '-pubout'], { encoding: 'utf8' })
    writeFileSync(join(root, 'public.pem'), publicKey)
    const verify = () => runCommand(datasetCommand, ['verify', join(root, folder), '--key', join(root, 'public.pem')])
    expect(await verify()).toMatchObject({ code: 0, out: expect.stringContaining('Signature: valid') })
    const check = `jq -r '.files[] | "\\(.sha256)  \\(.path)"' manifest.json | sha256sum --check --quiet`
    execFileSync('bash', ['-euo', 'pipefail', '-c', check], { cwd: join(root, folder) })
    expect(findOasisMistakes(JSON.parse(read(folder, 'provenance.json')))).toEqual([])
    const manifest = JSON.parse(read(folder, 'manifest.json')) as Record<string, unknown>
    const tokens = manifest['tokens']
    expect(manifest).toMatchObject({
      countries: { US: { traces: count, tokens } },
      termsVersions: { '2026-12-01': { traces: count, tokens } },
    })
    const sums = `count(*)::int as traces, sum(token_count)::int as tokens, sum(redactions.email)::int as mails`
    expect(await query(`select ${sums} from '${root}/${folder}/data/*.parquet'`)).toEqual({
      traces: count,
      tokens,
      mails: 0,
    })
    const bytes = readFileSync(join(root, folder, 'manifest.json'))
    bytes[bytes.indexOf('"tokens"') + 1]! ^= 1
    writeFileSync(join(root, folder, 'manifest.json'), bytes)
    expect(await verify()).toMatchObject({
      code: 1,
      err: expect.stringContaining('the signature is not by a known key'),
    })
  })

  test("refuses the token of a buyer without a sale, and reports another buyer's sale as missing", async () => {
    const other = (await ask('/api/admin/buyers', { name: 'Other' }))['token']!
    const exportAs = (...args: string[]) =>
      runCommand(datasetCommand, [
        'export',
        '--address',
        server.url,
        '--buyer-token',
        other,
        '--out',
        join(root, 'refused'),
        ...args,
      ])
    expect(await exportAs('--filter', 'all')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--sale is required'),
    })
    expect(await exportAs('--sale', saleId)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`has no sale ${saleId}`),
    })
  })
})

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { formatCommands, formatInterface, formatOptions } from './reference.fixture.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const core = `${root}packages/core/src/`
test('docs/configuration.md has the options and flags of the source (TRIBUTARY_WRITE=1 writes it)', async () => {
  const path = `${root}docs/configuration.md`
  const tables = {
    ServiceOptions: formatOptions(`${core}service/options.ts`, 'serviceOptions'),
    LedgerOptions: formatOptions(`${core}ledger/options.ts`, 'ledgerOptions'),
    AdsOptions: formatInterface(`${core}ads/options.ts`, 'AdsOptions'),
    Promotion: formatInterface(`${core}ads/options.ts`, 'Promotion'),
    Brand: formatInterface(`${core}ui/brand.ts`, 'Brand'),
    OperatorToken: formatInterface(`${core}auth/operator.ts`, 'OperatorToken'),
    Quotas: formatOptions(`${core}service/options.ts`, 'quotaOptions'),
    WebhookOptions: formatOptions(`${core}service/options.ts`, 'webhookOptions'),
    commands: await formatCommands(),
  }
  let document = readFileSync(path, 'utf8')
  for (const [name, table] of Object.entries(tables)) {
    const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
    expect(document, 'markers').toContain(begin)
    expect(document, 'markers').toContain(end)
    const before = document.slice(0, document.indexOf(begin) + begin.length)
    document = before + table + document.slice(document.indexOf(end))
  }
  if (process.env['TRIBUTARY_WRITE'] === '1') writeFileSync(path, document)
  expect(readFileSync(path, 'utf8')).toBe(document)
})

test('every option and flag of docs/configuration.md has a description', () => {
  const rows = readFileSync(`${root}docs/configuration.md`, 'utf8').match(/^\| `.*$/gm) ?? []
  expect(rows.length).toBeGreaterThan(100)
  expect(rows.filter((row) => /\|\s*\|$/.test(row))).toEqual([])
})

test('README.md links every document of docs/', () => {
  const readme = readFileSync(`${root}README.md`, 'utf8')
  const names = readdirSync(`${root}docs`, { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? entry.name : [],
  )
  expect(names.filter((name) => !readme.includes(`](docs/${name})`))).toEqual([])
})

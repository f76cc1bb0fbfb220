import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackageFile } from '@tributary/core/host'
import { createTestStores, fixture, makeTraces, seedTraces } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportDataset, type ExportOptions } from './export.ts'
import { dataFiles, type Manifest } from './manifest.ts'
import { findOasisMistakes } from './package-rules.fixture.ts'
import type { Ask } from './source.ts'

const operator = { authorization: 'Bearer operator-of-the-package-test' }
const root = mkdtempSync(join(tmpdir(), 'tributary-package-'))
const formats = ['documents', 'messages', 'sts', 'atif', 'parquet'] as const

let ask: Ask
let saleId: string

beforeAll(async () => {
  const stores = createTestStores()
  const made = fixture({ stores, adminToken: 'operator-of-the-package-test' })
  const { userId } = await made.signIn('ann@example.com')
  await seedTraces(stores.client, userId, [...makeTraces(5, 'ann')])
  ask = async (path) => (await made.service.fetch(new Request(`http://127.0.0.1:8787${path}`, { headers: operator })))!
  const json = { buyer: 'Acme', usd: 1, filter: {} }
  saleId = (await made.ask('POST', '/api/admin/sales', { headers: operator, json })).json.saleId
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

interface Croissant {
  readonly '@type'?: string
  readonly '@id'?: string
  readonly 'url': string
  readonly 'license': unknown
  readonly 'distribution': readonly Record<string, unknown>[]
}

let made = 0
async function makePackage(options: Partial<ExportOptions>) {
  const out = join(root, String(++made))
  const { manifest } = await exportDataset({
    ask,
    selection: { saleId },
    format: 'documents',
    out,
    license: 'other',
    shardTraces: 100,
    ...options,
  })
  const read = (name: string): unknown => JSON.parse(readFileSync(join(out, name), 'utf8'))
  return { manifest, provenance: read('provenance.json'), croissant: read('croissant.json') as Croissant }
}

/** Returns the ids of the nodes of a document, and the ids to which it refers. */
function idsOf(value: unknown, ids = { defined: [] as string[], referred: [] as string[] }): typeof ids {
  if (typeof value !== 'object' || value === null) return ids
  const id = (value as { '@id'?: unknown })['@id']
  if (typeof id === 'string') (Object.keys(value).length === 1 ? ids.referred : ids.defined).push(id)
  for (const part of Object.values(value)) idsOf(part, ids)
  return ids
}
const hashes = ({ files }: Pick<Manifest, 'files'>) => files.map(({ path, sha256 }) => [path, sha256])

describe('exportDataset', () => {
  test.each(formats)(
    'writes provenance.json and croissant.json of %s that follow their specifications',
    async (format) => {
      const seller = { name: 'Meridian', url: 'https://traces.example.com' }
      const { manifest, provenance, croissant } = await makePackage({ format, seller })
      expect(findOasisMistakes(provenance)).toEqual([])
      expect(await checkPackageFile('provenance.json', provenance)).toBeNull()
      expect(await checkPackageFile('croissant.json', croissant)).toBeNull()
      const { '@context': _, ...described } = croissant as Croissant & { readonly '@context': unknown }
      const { defined, referred } = idsOf(described)
      expect(new Set(defined).size).toBe(defined.length)
      expect(referred.filter((id) => !defined.includes(id))).toEqual([])
      const objects = croissant.distribution.filter((one) => one['@type'] === 'cr:FileObject')
      expect(objects.map(({ contentUrl, sha256 }) => [contentUrl, sha256])).toEqual(
        hashes({ files: dataFiles(manifest) }),
      )
      expect(croissant.url).toBe(`https://traces.example.com/buyer/sales/${saleId}`)
      expect(manifest.files.slice(-3).map(({ path }) => path)).toEqual([
        'README.md',
        'croissant.json',
        'provenance.json',
      ])
    },
  )

  test('writes a provenance.json that matches the schema of OASIS, which refuses changed values', async () => {
    const { provenance } = await makePackage({})
    const changed = (part: string, change: object): unknown => ({
      ...(provenance as Record<string, object>),
      [part]: { ...(provenance as Record<string, object>)[part], ...change },
    })
    expect(findOasisMistakes(changed('provenance', { date: 'yesterday' }))[0]).toContain('must match format "date"')
    expect(findOasisMistakes(changed('provenance', { 'generation-method': [{ code: 'guess' }] }))).not.toEqual([])
    expect(findOasisMistakes(changed('source', { 'data-version': undefined, 'other': 1 }))).not.toEqual([])
    expect(findOasisMistakes(changed('use', { license: [] }))).not.toEqual([])
  })

  test('writes provenance.json and croissant.json without a seller, without traces, and with the name and link of a license', async () => {
    const none = await makePackage({ selection: { filter: 'minTokens=999999' }, licenseName: 'terms-of-sale' })
    const linked = await makePackage({ licenseLink: 'https://example.com/license' })
    for (const { provenance, croissant } of [none, linked]) {
      expect(findOasisMistakes(provenance)).toEqual([])
      expect(await checkPackageFile('provenance.json', provenance)).toBeNull()
      expect(await checkPackageFile('croissant.json', croissant)).toBeNull()
    }
    expect(none.croissant.license).toEqual({ '@type': 'sc:CreativeWork', 'name': 'terms-of-sale' })
    expect(linked.croissant.license).toBe('https://example.com/license')
  })
})

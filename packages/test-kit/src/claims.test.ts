import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { createTestStores } from './fixtures/database.ts'
import { fixture } from './fixtures/service.ts'

const core = fileURLToPath(new URL('../../core/', import.meta.url))

async function bundleEntry(entry: string, minify = false) {
  const { metafile, outputFiles } = await build({
    entryPoints: [`${core}src/${entry}`],
    bundle: true,
    minify,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    // The SDK of MCP has a build for Workers, whose bundlers set this condition.
    conditions: ['workerd'],
    // The build writes this file next to the code. It contains only sections of the documents.
    external: ['#docs-index'],
    logLevel: 'silent',
  })
  const [output] = Object.values(metafile.outputs)
  return {
    files: Object.keys(metafile.inputs),
    outside: output!.imports.map(({ path }) => path).filter((path) => path !== '#docs-index'),
    text: outputFiles[0]!.text,
  }
}

describe('the bundle of @tributary/core', () => {
  test('contains no node:, h3, drizzle or libSQL, and has no external imports', async () => {
    const { files, outside, text } = await bundleEntry('index.ts')
    expect(outside).toEqual([])
    expect(files.filter((file) => /node_modules.*\/(h3|srvx|drizzle-orm|libsql|@libsql)\//.test(file))).toEqual([])
    expect(text).not.toMatch(/["']node:/)
    for (const used of ['/zod/', '/@modelcontextprotocol/server/'])
      expect(files.some((file) => file.includes(used))).toBe(true)
  })

  test('contains drizzle for stores/libsql, so that the absence of drizzle elsewhere is meaningful', async () => {
    const { files } = await bundleEntry('stores/libsql/index.ts')
    expect(files.some((file) => file.includes('drizzle-orm'))).toBe(true)
  })

  test('contains no node:, drizzle or libSQL for scrubber, and has no external imports', async () => {
    const { files, outside, text } = await bundleEntry('scrubber/index.ts')
    expect(outside).toEqual([])
    expect(files.filter((file) => /drizzle-orm|libsql/.test(file))).toEqual([])
    expect(text).not.toMatch(/["']node:/)
  })
})

describe('@tributary/core/scrub in a browser', () => {
  const folder = 'packages/core/src/scrubber/packs/'

  /**
   * Bundles and minifies the entry with splitting. Returns the number of bytes that are loaded at first, and with each
   * pack.
   */
  async function measureBundle(): Promise<Record<string, number>> {
    const { metafile } = await build({
      entryPoints: [`${core}src/scrubber/browser.ts`],
      absWorkingDir: fileURLToPath(new URL('../../../', import.meta.url)),
      bundle: true,
      minify: true,
      splitting: true,
      write: false,
      metafile: true,
      format: 'esm',
      platform: 'browser',
      outdir: 'out',
    })
    const loaded = new Set<string>()
    const load = (path: string): number => {
      if (loaded.has(path)) return 0
      loaded.add(path)
      const { bytes, imports } = metafile.outputs[path]!
      return imports
        .filter(({ kind }) => kind === 'import-statement')
        .reduce((sum, { path: next }) => sum + load(next), bytes)
    }
    const first = load('out/browser.js')
    const packs = Object.entries(metafile.outputs)
      .filter(([, { entryPoint }]) => entryPoint?.startsWith(folder))
      .map(([path, { entryPoint }]) => [entryPoint!.slice(folder.length, -3), load(path)] as const)
    return { first, ...Object.fromEntries(packs) }
  }

  test('loads at most 150 KB at first, and 290 KB of rule packs when they are needed', async () => {
    const { first, ...packs } = await measureBundle()
    expect(first).toBeLessThanOrEqual(150_000)
    expect(Object.keys(packs).sort()).toEqual(['countries', 'identity', 'services'])
    expect(Object.values(packs).reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan(100_000)
    expect(Object.values(packs).reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(290_000)
  })
})

describe('the endpoints of the interface', () => {
  /**
   * Endpoints whose contract is still missing. The test fails if this list contains an endpoint that has a contract.
   */
  const pending: string[] = []
  const expected: Readonly<Record<string, string>> = {
    E1: 'POST /api/cli/telemetry',
    E2: 'POST /api/cli/feedback',
    E3: 'POST /api/traces/bulk',
    E4: 'DELETE /api/traces/bulk',
    E5: 'POST /api/ingest',
    E6: 'GET /api/ingest/jobs/:jobId',
    E7: 'POST /api/traces/known',
    E8: 'GET /api/traces/:id',
    E9: 'PATCH /api/traces/:id',
    E10: 'GET /api/traces/:id/download',
    E11: 'GET /api/traces/upload-policy',
    E12: 'GET /api/traces/access',
    E13: 'GET /api/traces/contact',
    E14: 'GET /api/cli/session',
    E15: 'GET /api/cli/device/poll',
    E16: 'GET /api/ad',
    E17: 'GET /api/ad/config',
    E18: 'POST /api/ad/feedback',
    E19: 'POST /api/program/claim',
    E20: 'POST /api/v1/feedback',
  }

  test('are each in exactly one contract with the method and path, or pending', async () => {
    const routes = await fixture({ stores: createTestStores() }).service.routes()
    const served = routes
      .filter(({ route }) => route.id)
      .map(({ route }) => [route.id!, `${route.method} ${route.path}`])
    const wanted = Object.entries(expected).filter(([id]) => !pending.includes(id))
    const compareNumbers = (a: string[], b: string[]): number => Number(a[0]!.slice(1)) - Number(b[0]!.slice(1))
    expect(served.toSorted(compareNumbers)).toEqual(wanted.toSorted(compareNumbers))
  })
})

import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatMessageBlock, formatTraceDocument, type TraceDocument } from '@tributary/core'
import { loadLineCheck } from '@tributary/core/host'
import { createTestStores, fixture, makeTraces, seedTraces } from '@tributary/test-kit'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { exportDataset } from './export.ts'
import { dataFiles, type Manifest } from './manifest.ts'
import { readSigner, signManifest } from './signing.ts'
import type { Ask } from './source.ts'
import { verifyPackage } from './verify.ts'

const operator = { authorization: 'Bearer operator-of-the-verify-test' }
const makeSigner = () =>
  readSigner(generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(), {
    from: null,
    until: null,
  })
const [signer, newer] = [makeSigner(), makeSigner()]
const keys = [signer.published]

let ask: Ask
let folder: string
const folders: string[] = []
const makeFolder = (): string => {
  folders.push(mkdtempSync(join(tmpdir(), 'tributary-verify-')))
  return folders.at(-1)!
}

beforeAll(async () => {
  const stores = createTestStores()
  const made = fixture({ stores, adminToken: 'operator-of-the-verify-test' })
  const { userId } = await made.signIn('ann@example.com')
  await seedTraces(stores.client, userId, [...makeTraces(5, 'ann', 0, { details: '{"outcome":{"status":"success"}}' })])
  ask = async (path) => (await made.service.fetch(new Request(`http://127.0.0.1:8787${path}`, { headers: operator })))!
})
afterAll(() => folders.forEach((path) => rmSync(path, { recursive: true })))

const exportTo = (out: string, format: Manifest['format'] = 'documents', isSigned = true) =>
  exportDataset({
    ask,
    selection: { filter: '' },
    format,
    out,
    license: 'other',
    shardTraces: 100,
    signer: isSigned ? signer : null,
  })
const path = (name: string): string => join(folder, name)
const manifest = (): Manifest => JSON.parse(readFileSync(path('manifest.json'), 'utf8')) as Manifest
const verify = () => verifyPackage(folder, keys)
/** Writes and signs the text of the manifest. */
function sign(text: string): void {
  writeFileSync(path('manifest.json'), text)
  writeFileSync(path('manifest.json.sig'), signManifest(text, signer))
}
/** Changes the manifest, and signs it again. */
const resign = (more: Partial<Manifest>): void => sign(JSON.stringify({ ...manifest(), ...more }))
/** Writes a file and a matching manifest, which is signed again. */
function forgeFile(name: string, text: string, more: Partial<Manifest> = {}): void {
  writeFileSync(path(name), text)
  const sha256 = createHash('sha256').update(text).digest('hex')
  const files = manifest().files.map((file) =>
    file.path === name ? { path: name, bytes: Buffer.byteLength(text), sha256 } : file,
  )
  resign({ files, ...more })
}
/** Writes the data file of every format except `sts` and `parquet`, as `forgeFile` does. */
const forge = (data: string, more: Partial<Manifest> = {}): void => forgeFile('data/00000.jsonl', data, more)

/** The counts that each format contains. */
const all = ['traces', 'tokens', 'scrubVersions', 'sources', 'models', 'outcomes', 'firstCreatedAt', 'lastCreatedAt']
const withoutTokens = all.filter((name) => name !== 'tokens')
const countedNames = {
  documents: all,
  messages: withoutTokens,
  sts: ['traces', 'outcomes'],
  atif: withoutTokens,
  parquet: all,
} as const
const formats = Object.keys(countedNames) as (keyof typeof countedNames)[]

beforeEach(async () => {
  folder = makeFolder()
  await exportTo(folder)
})

describe('verifyPackage', () => {
  test.each(formats)('accepts a package of %s', async (format) => {
    folder = makeFolder()
    await exportTo(folder, format)
    expect(await verify()).toMatchObject({
      manifest: { traces: 5 },
      signer: { kid: signer.published.kid },
      counts: countedNames[format],
    })
  })

  test.each(formats)('refuses a package of %s if a count of its manifest differs from its files', async (format) => {
    folder = makeFolder()
    await exportTo(folder, format)
    const right = manifest()
    for (const name of countedNames[format]) {
      const stated = right[name as 'traces']
      const wrong =
        typeof stated === 'number' ? stated + 1 : typeof stated === 'string' ? '2020-01-01T00:00:00.000Z' : { x: 5 }
      const sums = { x: { traces: right.traces, tokens: right.tokens, [name]: wrong } }
      resign({ ...right, termsVersions: sums, countries: sums, [name]: wrong })
      await expect(verify(), name).rejects.toThrow(
        `${name}: the files have ${JSON.stringify(stated)}, the manifest says ${JSON.stringify(wrong)}`,
      )
    }
  })

  test('names a file that does not belong to the package, but ignores hidden files outside of the data folder', async () => {
    for (const name of ['notes.txt', 'data/.hidden', 'old/00000.jsonl']) {
      mkdirSync(path('old'), { recursive: true })
      writeFileSync(path(name), '')
      await expect(verify()).rejects.toThrow(`${name}: is not in manifest.json`)
      rmSync(path(name))
    }
    writeFileSync(path('.gitattributes'), '')
    await verify()
  })

  test('accepts a package that was signed with a replaced key only while this key is listed', async () => {
    expect(await verifyPackage(folder, [newer.published, ...keys])).toMatchObject({ signer: signer.published })
    await expect(verifyPackage(folder, [newer.published])).rejects.toThrow('not by a known key')
  })

  test('refuses a package that is dated after its key was replaced', async () => {
    const { date } = manifest()
    const verifyUntil = (until: string) => verifyPackage(folder, [{ ...signer.published, until }])
    await verifyUntil(`${date}T00:00:00.000Z`)
    await expect(verifyUntil('2020-01-01T00:00:00.000Z')).rejects.toThrow(
      `manifest.json: is dated ${date}, its key ${signer.published.kid} was replaced on 2020-01-01`,
    )
  })

  test('refuses a manifest with one byte changed', async () => {
    const bytes = readFileSync(path('manifest.json'))
    bytes[bytes.indexOf('"traces": 5') + 10] = '6'.charCodeAt(0)
    writeFileSync(path('manifest.json'), bytes)
    await expect(verify()).rejects.toThrow('manifest.json: the signature is not')
  })

  test('refuses an unsigned package if keys are given, and checks everything else without keys', async () => {
    folder = makeFolder()
    await exportTo(folder, 'documents', false)
    await expect(verify()).rejects.toThrow('manifest.json.sig: is missing')
    expect(await verifyPackage(folder, null)).toMatchObject({ signer: null, manifest: { traces: 5 } })
  })

  test('refuses a package whose signature was removed, even if no keys are given', async () => {
    rmSync(path('manifest.json.sig'))
    await expect(verifyPackage(folder, null)).rejects.toThrow(
      `manifest.json.sig: is missing, manifest.json is signed by the key ${signer.published.kid}`,
    )
  })

  test.each(['README.md', 'croissant.json', 'provenance.json'])(
    'names %s if it was changed or is not listed',
    async (name) => {
      writeFileSync(path(name), `${readFileSync(path(name), 'utf8')} `)
      await expect(verify()).rejects.toThrow(`${name}: has`)
      const files = manifest().files.filter((file) => file.path !== name)
      forge(readFileSync(path('data/00000.jsonl'), 'utf8'), { files })
      await expect(verify()).rejects.toThrow(`${name}: is not in manifest.json`)
    },
  )

  test('names a file that is missing, added, shorter or changed', async () => {
    const data = readFileSync(path('data/00000.jsonl'), 'utf8')
    writeFileSync(path('data/more.jsonl'), '')
    await expect(verify()).rejects.toThrow('data/more.jsonl: is not in manifest.json')
    writeFileSync(path('data/00000.jsonl'), data.slice(data.indexOf('\n') + 1))
    await expect(verify()).rejects.toThrow(/^data\/00000.jsonl: has \d+ bytes/)
    writeFileSync(path('data/00000.jsonl'), data.replace('user', 'USER'))
    await expect(verify()).rejects.toThrow('data/00000.jsonl: its SHA-256 differs')
    rmSync(path('data/00000.jsonl'))
    await expect(verify()).rejects.toThrow('data/00000.jsonl: is missing')
  })

  test('names the first field of the manifest that does not match its schema', async () => {
    const data = readFileSync(path('data/00000.jsonl'), 'utf8')
    const right = manifest()
    for (const [wrong, mistake] of [
      [null, 'the file: '],
      [[], 'the file: '],
      [{ ...right, schemaVersion: 2 }, 'schemaVersion: '],
      [{ ...right, format: 'zip' }, 'format: '],
      [{ ...right, format: 'constructor' }, 'format: '],
      [{ ...right, files: [null] }, 'files.0: '],
      [{ ...right, files: [{ path: 1, bytes: 0, sha256: '' }] }, 'files.0.path: '],
      [{ ...right, files: [{ path: 'data', bytes: -1, sha256: '' }] }, 'files.0.bytes: '],
      [{ ...right, termsVersions: { x: null } }, 'termsVersions.x: '],
      [{ ...right, countries: null }, 'countries: '],
      [{ ...right, models: { x: 'many' } }, 'models.x: '],
      [{ ...right, signature: {} }, 'signature.algorithm: '],
    ] as const) {
      sign(JSON.stringify(wrong))
      await expect(verify()).rejects.toThrow(`manifest.json: does not match its schema: ${mistake}`)
    }
    sign('{')
    await expect(verify()).rejects.toThrow('manifest.json: does not match its schema: the file: ')
    sign(JSON.stringify({ ...right, termsVersions: JSON.parse('{"__proto__":null}') as object }))
    await expect(verify()).rejects.toThrow('termsVersions: sum up to NaN traces, the manifest says 5')
    forge(data, { files: [{ path: 'data/folder', bytes: 0, sha256: '' }] })
    mkdirSync(path('data/folder'))
    await expect(verify()).rejects.toThrow('data/folder: is missing')
  })

  test.each(['provenance.json', 'croissant.json'])('names %s if it does not match its schema', async (name) => {
    const right = JSON.parse(readFileSync(path(name), 'utf8')) as Record<string, unknown>
    const refuses = async (text: string, mistake: string) => {
      forgeFile(name, text)
      await expect(verify(), text).rejects.toThrow(`${name}: does not match its schema: ${mistake}`)
    }
    await refuses('{}', name === 'provenance.json' ? '$schema: ' : '@context: ')
    for (const text of ['not JSON', '', '[]', 'null']) await refuses(text, 'the file: ')
    const change = (more: object): string => JSON.stringify({ ...right, ...more })
    await refuses(change({ email: 'jane@corp.com' }), 'the file: Unrecognized key: "email"')
    for (const [part, value] of Object.entries(right)) {
      await refuses(change({ [part]: undefined }), `${part}: `)
      if (typeof value === 'object' && !Array.isArray(value) && part !== '@context')
        await refuses(change({ [part]: { ...value, email: 'jane@corp.com' } }), `${part}: `)
    }
    forgeFile(name, JSON.stringify(right))
    await verify()
  })

  test.each(['provenance.json', 'croissant.json'])('names %s if the package does not have it', async (name) => {
    rmSync(path(name))
    resign({ files: manifest().files.filter((file) => file.path !== name) })
    await expect(verify()).rejects.toThrow(`${name}: is missing`)
  })

  test('names a count, a line or a path that is wrong, even if hash and signature are right', async () => {
    const data = readFileSync(path('data/00000.jsonl'), 'utf8')
    forge(data.slice(data.indexOf('\n') + 1))
    await expect(verify()).rejects.toThrow('traces: the files have 4, the manifest says 5')
    forge(data.replace('"position":0', '"position":"first"'))
    await expect(verify()).rejects.toThrow('data/00000.jsonl: line 1 does not match its schema: messages.0.position')
    forge(data, { countries: { US: { traces: 4, tokens: 10 } } })
    await expect(verify()).rejects.toThrow('countries: sum up to 4 traces, the manifest says 5')
    forge(data, { files: [{ path: 'data/../../x', bytes: 0, sha256: '' }] })
    await expect(verify()).rejects.toThrow('is not a path below data')
  })

  test.each(['documents', 'messages', 'atif'] as const)(
    'names the line of %s that has an unknown field',
    async (format) => {
      folder = makeFolder()
      await exportTo(folder, format)
      forge(readFileSync(path('data/00000.jsonl'), 'utf8').replace('{', '{"email":"jane@corp.com",'))
      await expect(verify()).rejects.toThrow(
        'data/00000.jsonl: line 1 does not match its schema: the line: Unrecognized key: "email"',
      )
    },
  )

  test('names the line of an sts file that is not a session followed by messages', async () => {
    folder = makeFolder()
    await exportTo(folder, 'sts')
    const { path: name } = dataFiles(manifest())[0]!
    const [session, ...messages] = readFileSync(path(name), 'utf8').trimEnd().split('\n') as [string, ...string[]]
    const refuses = async (lines: readonly string[], mistake: string) => {
      forgeFile(name, lines.map((line) => `${line}\n`).join(''))
      await expect(verify(), mistake).rejects.toThrow(`${name}: ${mistake}`)
    }
    await refuses([session, ...messages, session], `line ${messages.length + 2} is a session, expected a message`)
    await refuses([...messages, session], 'line 1 is a message, expected a session')
    await refuses([session], 'has no message')
    await refuses([], 'has no message')
    await refuses(
      [session.replace('{', '{"email":"jane@corp.com",'), ...messages],
      'line 1 does not match its schema: the line: Unrecognized key: "email"',
    )
    forgeFile(name, [session, ...messages, ''].join('\n'))
    await verify()
  })
})

describe('loadLineCheck', () => {
  const message = { position: 0, tokenCount: 1, createdAt: '2026-10-01T00:00:00.000Z', truncated: true }
  const call = formatMessageBlock({ type: 'tool_call', id: 'call_1', name: 'Bash', arguments: '{"command":"ls"}' })
  const document: TraceDocument = {
    id: '0199d3f0-6f5a-7c1e-8a4b-3f2d1c0b9a87',
    source: 'unknown',
    sourceId: 'session-1',
    title: 'List files',
    model: 'claude',
    createdAt: '2026-10-01T00:00:00.000Z',
    parentTraceId: null,
    segmentIndex: null,
    contentHash: '0'.repeat(64),
    scrub: { version: '1', redactions: { email: 1 } },
    agent: { name: 'claude-code', version: '2.1.0' },
    tools: [{ name: 'Bash', description: 'Runs a command', parameters: { type: 'object' } }],
    usage: { inputTokens: 100, outputTokens: 20, cacheReadTokens: 60, cacheWriteTokens: 5, costUsd: 0.25 },
    outcome: { status: 'success', testsPassed: 3 },
    messages: [
      { ...message, role: 'user', content: 'List the files' },
      { ...message, role: 'assistant', content: call },
      { ...message, role: 'tool', content: formatMessageBlock({ type: 'tool_result', id: 'call_1', text: 'a.ts' }) },
    ],
  }

  test.each(['documents', 'messages', 'sts', 'atif'] as const)(
    'refuses an unknown field in every object of %s that the published schema closes',
    async (format) => {
      const published = readFileSync(new URL(`../../../../docs/schemas/${format}.json`, import.meta.url), 'utf8')
      const matches = new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(published) as object)
      const findMistake = await loadLineCheck(format)
      for (const text of formatTraceDocument(document, format).split('\n')) {
        const line = JSON.parse(text) as object
        expect(findMistake(line)).toBeNull()
        for (const object of listObjects(line)) {
          Object.assign(object, { email: 'jane@corp.com' })
          expect(findMistake(line) === null, JSON.stringify(object)).toBe(matches(line))
          delete (object as { email?: string }).email
        }
      }
    },
  )
})

/** Returns the objects in a JSON value, without lists. */
const listObjects = (value: unknown): object[] =>
  typeof value !== 'object' || value === null
    ? []
    : [...(Array.isArray(value) ? [] : [value]), ...Object.values(value).flatMap(listObjects)]

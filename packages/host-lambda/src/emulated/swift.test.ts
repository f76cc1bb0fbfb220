import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3'
import { migrate } from '@tributary/core/libsql'
import { openLocal } from '@tributary/host-node'
import { makeTraces, runBlobsContract, seedTraces } from '@tributary/test-kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { s3Blobs } from '../aws.ts'
import { createS3Client, type Emulator } from './aws.fixture.ts'
import { isSwiftInstalled, startSwift, swiftCredentials } from './swift.fixture.ts'

const packages = 'swift-proxy swift-account swift-container swift-object'

describe.skipIf(!isSwiftInstalled)(`on OpenStack Swift's S3 API (Debian: apt-get install ${packages})`, () => {
  let swift: Emulator<S3Client>
  let second: S3Client
  beforeAll(async () => {
    swift = await startSwift()
    second = createS3Client(swift.url, { credentials: swiftCredentials })
  })
  afterAll(async () => {
    second.destroy()
    await swift.close()
  })
  async function listKeys(prefix: string): Promise<string[]> {
    const { Contents: found = [] } = await second.send(new ListObjectsV2Command({ Bucket: 'uploads', Prefix: prefix }))
    return found.map(({ Key }) => Key!)
  }

  let places = 0
  runBlobsContract('OpenStack Swift', async () => {
    const prefix = `in-${++places}/`
    const open = (client: S3Client) => s3Blobs({ bucket: 'uploads', client, prefix })
    return { blobs: [open(swift.client), open(second)], close: async () => {} }
  })

  describe('s3Blobs.presign', () => {
    const [key, bytes] = ['put/a', 11]
    const put = async (body: string, change: (headers: Record<string, string>) => object = (headers) => headers) => {
      const { url, headers } = await s3Blobs({ bucket: 'uploads', client: second }).presign!(
        key,
        bytes,
        Date.now() + 3_600_000,
      )
      return fetch(url, { method: 'PUT', body, headers: change(headers) as Record<string, string> })
    }

    test('returns a URL that accepts only an upload of the announced length with the given headers', async () => {
      expect((await put('a'.repeat(bytes))).status).toBe(200)
      expect(await s3Blobs({ bucket: 'uploads', client: second }).get(key)).toHaveLength(bytes)
    })

    test('returns a URL that refuses an upload of another length or without encryption', async () => {
      expect((await put('a'.repeat(bytes + 1))).status).toBe(403)
      expect((await put('a'.repeat(bytes), ({ 'content-type': type }) => ({ 'content-type': type }))).status).toBe(403)
    })
  })

  describe('s3Blobs.publish', () => {
    test('joins the parts in their order, deletes them, and returns the URL of one file', async () => {
      const blobs = s3Blobs({ bucket: 'uploads', client: second })
      const [size, keys] = [5 * 1024 * 1024, ['export/p/0', 'export/p/1', 'export/p/2']]
      const whole = Buffer.alloc(11 * 1024 * 1024, 'abc')
      for (const [index, part] of keys.entries())
        await blobs.put(part, whole.subarray(index * size, (index + 1) * size))
      const url = await blobs.publish!({
        key: 'export/whole',
        parts: keys,
        type: 'application/json',
        filename: 'tributary-account.json',
        expiresAt: Date.now() + 3_600_000,
      })
      const answer = await fetch(url)
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename="tributary-account.json"')
      expect(Buffer.from(await answer.arrayBuffer()).equals(whole)).toBe(true)
      expect(await listKeys('export/')).toEqual(['export/whole'])
    })
  })

  describe('tributary contents move', () => {
    const count = 60
    const cli = fileURLToPath(new URL('../../../host-node/dist/cli.js', import.meta.url))
    const folder = mkdtempSync(join(tmpdir(), 'tributary-contents-s3-'))
    const database = join(folder, 'tributary.db')
    const place = ['--database', database, '--blobs', 's3:uploads/moved', '--secret', 'secret-of-these-tests-only']
    beforeAll(async () => {
      const local = openLocal(database)
      await migrate(local)
      await seedTraces(local, 'ann', makeTraces(count, 'ann'))
      local.close()
    })
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    function start(args: readonly string[]) {
      const child = spawn(process.execPath, [cli, ...args, ...place, '--json'], {
        env: {
          PATH: process.env['PATH'],
          AWS_ENDPOINT_URL_S3: swift.url,
          AWS_REGION: 'us-east-1',
          AWS_ACCESS_KEY_ID: swiftCredentials.accessKeyId,
          AWS_SECRET_ACCESS_KEY: swiftCredentials.secretAccessKey,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let [out, err] = ['', '']
      child.stdout.on('data', (data) => (out += String(data)))
      child.stderr.on('data', (data) => (err += String(data)))
      return { child, ended: new Promise<string>((resolve) => child.on('close', () => resolve(out || err))) }
    }
    const move = async (to: string): Promise<{ moved: number }> =>
      JSON.parse(await start(['contents', 'move', '--to', to, '--content-bytes', '0']).ended)
    /** Kills a move when about `after` contents are in the bucket, or when only `after` are left there. */
    async function killMove(to: 'blobs' | 'database', after: number): Promise<void> {
      const { child, ended } = start(['contents', 'move', '--to', to, '--content-bytes', '0'])
      for (;;) {
        const found = (await listKeys('moved/')).length
        if (to === 'blobs' ? found >= after : found <= count - after) break
        expect(child.exitCode).toBeNull()
      }
      child.kill('SIGKILL')
      await ended
    }
    async function exportManifest(out: string): Promise<unknown> {
      await start(['dataset', 'export', '--filter', 'all', '--out', join(folder, out)]).ended
      return JSON.parse(readFileSync(join(folder, out, 'manifest.json'), 'utf8'))
    }

    test('moves all content out of the old place and keeps the export unchanged, even if it is killed in either direction', async () => {
      const manifest = await exportManifest('before')
      await killMove('blobs', 15)
      expect(await exportManifest('killed')).toEqual(manifest)
      await killMove('blobs', 35)
      const { moved } = await move('blobs')
      expect(moved).toBeGreaterThan(0)
      expect(moved).toBeLessThan(count)
      // A blob that was written before a kill, and to which no content refers yet, is deleted two hours later.
      expect((await listKeys('moved/content/')).length - count).toBeLessThanOrEqual(2)
      expect(await exportManifest('in-blobs')).toEqual(manifest)
      await killMove('database', 20)
      expect(await exportManifest('killed-on-the-way-back')).toEqual(manifest)
      await move('database')
      expect((await listKeys('moved/content/')).length).toBeLessThanOrEqual(2)
      expect(await exportManifest('after')).toEqual(manifest)
    }, 180_000)
  })
})

import { createMemoryBlobs, seededRandom } from '@tributary/test-kit'
import { createHash } from 'node:crypto'
import { describe, expect, test, vi } from 'vitest'
import { silentLogger } from '../system.ts'
import { encryptedBlobs } from './encryption.ts'

const secret = 'obviously-fake-'.repeat(2)
const mebibyte = 1024 * 1024
const makeBytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) % 251)

/** Returns a copy with one bit of a byte changed. */
function flipBit(bytes: Uint8Array, at: number): Uint8Array {
  const copy = bytes.slice()
  copy[at]! ^= 1
  return copy
}

function open(secrets: readonly string[] = [secret], blobs = createMemoryBlobs()) {
  const readStoredSecret = () => 'the-secret-in-the-database'
  return {
    blobs,
    upload: encryptedBlobs({
      blobs,
      secrets,
      storedSecret: readStoredSecret,
      random: seededRandom(7),
      logger: silentLogger,
    }),
  }
}

describe('encryptedBlobs', () => {
  test.each([0, 1, 1000, mebibyte - 1, mebibyte, mebibyte + 1, 3 * mebibyte + 5])(
    'get returns the %i bytes that were put, and stores none of them unencrypted',
    async (length) => {
      const { blobs, upload } = open()
      const bytes = makeBytes(length)
      await upload.put('upload/a/0', bytes)
      expect(Buffer.from((await upload.get('upload/a/0'))!).equals(bytes)).toBe(true)
      const kept = Buffer.from((await blobs.get('upload/a/0'))!)
      for (let at = 0; at + 16 <= length; at += 50_000)
        expect(kept.includes(Buffer.from(bytes.subarray(at, at + 16)))).toBe(false)
      expect(await upload.get('upload/b/0')).toBeNull()
    },
  )

  test('put stores an upload in a form that never changes, so that later versions can read it', async () => {
    const { blobs, upload } = open()
    await upload.put('upload/a/0', makeBytes(mebibyte + 1))
    const kept = (await blobs.get('upload/a/0'))!
    expect(kept).toHaveLength(8 + 12 + 32 + 16 + (mebibyte + 16) + (1 + 16))
    expect(createHash('sha256').update(kept).digest('hex')).toBe(
      'afa0ff7bb12f4f5d68ea47d5813e1efe6ec9b87ee7247425e8901fa04873221d',
    )
  })

  // promise: codes-hashed-raw-uploads
  test('put encrypts the same bytes differently each time', async () => {
    const { blobs, upload } = open()
    for (const key of ['a', 'b']) await upload.put(key, makeBytes(100))
    expect(Buffer.from((await blobs.get('a'))!).equals((await blobs.get('b'))!)).toBe(false)
  })

  test('get decrypts with an older secret, and throws UploadUnreadable without it', async () => {
    const { blobs, upload } = open()
    await upload.put('a', makeBytes(100))
    const rotated = open(['another-secret-of-the-test', secret], blobs).upload
    expect(await rotated.get('a')).toEqual(makeBytes(100))
    await rotated.put('a', makeBytes(50))
    for (const secrets of [[secret], ['a-third-secret-of-the-test'], []]) {
      await expect(open(secrets, blobs).upload.get('a')).rejects.toMatchObject({
        name: 'UploadUnreadable',
        isDamaged: false,
        message: expect.stringContaining('NEW,OLD'),
      })
    }
  })

  test('get throws UploadUnreadable for bytes that were changed, cut off, reordered or moved to another key', async () => {
    const { blobs, upload } = open()
    await upload.put('a', makeBytes(3 * mebibyte))
    const kept = (await blobs.get('a'))!
    const frame = mebibyte + 16
    const head = kept.length - 3 * frame
    const changes: Record<string, Uint8Array> = {
      'a byte of the wrapped key': flipBit(kept, 30),
      'a byte of a frame': flipBit(kept, head + 5),
      'no last frame': kept.slice(0, head + 2 * frame),
      'half a frame': kept.slice(0, head + frame / 2),
      'no frame': kept.slice(0, head),
      'two frames in the other order': Buffer.concat([
        kept.slice(0, head),
        kept.slice(head + frame, head + 2 * frame),
        kept.slice(head, head + frame),
        kept.slice(head + 2 * frame),
      ]),
    }
    for (const [change, bytes] of Object.entries(changes)) {
      await blobs.put('a', bytes)
      // A wrapped key that cannot be decrypted may belong to another secret.
      const isDamaged = change !== 'a byte of the wrapped key'
      await expect(upload.get('a'), change).rejects.toMatchObject({ name: 'UploadUnreadable', isDamaged })
    }
    await blobs.put('b', kept)
    await expect(upload.get('b')).rejects.toMatchObject({ name: 'UploadUnreadable', isDamaged: false })
  })

  test('put uses a stored secret if no secret is configured, and get still decrypts after a secret is configured', async () => {
    const { blobs, upload } = open([])
    await upload.put('a', makeBytes(100))
    expect(Buffer.from((await blobs.get('a'))!).includes(Buffer.from(makeBytes(100).subarray(0, 16)))).toBe(false)
    expect(await upload.get('a')).toEqual(makeBytes(100))
    expect(await open([secret], blobs).upload.get('a')).toEqual(makeBytes(100))
  })

  test('get returns bytes that were stored unencrypted', async () => {
    const { blobs, upload } = open()
    await upload.put('encrypted', makeBytes(1))
    const head = (await blobs.get('encrypted'))!.slice(0, 67)
    for (const [key, bytes] of Object.entries({ long: makeBytes(1000), short: makeBytes(3), head })) {
      await blobs.put(key, bytes)
      expect(await upload.get(key), key).toEqual(bytes)
    }
  })
  test('warns when uploads are encrypted with the secret in the database only', () => {
    const openWith = (secrets: readonly string[]) => {
      const warn = vi.fn()
      encryptedBlobs({
        blobs: createMemoryBlobs(),
        secrets,
        storedSecret: () => 'the-secret-in-the-database',
        random: seededRandom(7),
        logger: { ...silentLogger, warn },
      })
      return warn.mock.calls.map(([, message]) => message)
    }
    expect([openWith([]), openWith([secret])]).toEqual([['ingest.upload.secret_in_database'], []])
  })
})

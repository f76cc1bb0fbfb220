import type { GetObjectCommandOutput, S3Client } from '@aws-sdk/client-s3'
import { Unavailable, type Blobs } from '@tributary/core'
import { checkOptionNames, within } from '@tributary/core/adapter'

type Sdk = typeof import('@aws-sdk/client-s3')

export interface S3BlobsOptions {
  readonly bucket: string
  /** The prefix of every key, such as `tributary/`. Default: none. */
  readonly prefix?: string
  /**
   * The key of KMS with which blobs are encrypted. Default: S3's own keys (AES-256). Encryption cannot be turned off.
   */
  readonly kmsKeyId?: string
  /** Default: a client from the environment, which is created on first use. */
  readonly client?: S3Client
  /** Milliseconds for one call, including the SDK's retries and the whole body. Default: 8,000. */
  readonly deadlineMs?: number
}

/**
 * Implements the `Blobs` port over S3: private objects, encrypted at rest, read as a stream. Clients PUT large uploads
 * themselves to a presigned URL, which is valid for one key, one length and one hour, and GET prepared exports from a
 * presigned URL. Throws `Unavailable` when S3 does not answer, asks to slow down or disconnects. All other errors (no
 * such bucket, no permission, no encryption at rest) are those of the SDK.
 *
 * The bucket must block public access and must not keep versions, because a deletion must be final. Rules may expire
 * objects below `upload/`, `put/` and `export/` after two days; the service itself deletes these earlier. Rules must
 * never expire objects below `content/`, which are the messages of stored traces if the option `contents` is `blobs`.
 * The service encrypts its objects before it stores them. Until `POST /api/ingest` reads them, uploads that clients PUT
 * themselves are encrypted only by S3, as the upload URL requires (`x-amz-server-side-encryption`).
 *
 * ```ts
 * const blobs = s3Blobs({ bucket: process.env['BUCKET']! })
 * ```
 */
export function s3Blobs(options: S3BlobsOptions): Blobs {
  checkOptionNames(options, { bucket: true, prefix: true, kmsKeyId: true, client: true, deadlineMs: true })
  const { bucket, prefix = '', kmsKeyId, client: given, deadlineMs = 8_000 } = options
  let made: Promise<{ sdk: Sdk; client: S3Client }> | null = null
  // The module is loaded on first use, because loading the SDK takes longer than a request.
  const open = (): NonNullable<typeof made> =>
    (made ??= import('@aws-sdk/client-s3').then((sdk) => ({
      // WHEN_REQUIRED: otherwise a presigned URL would contain the checksum of the empty body with which it was signed.
      sdk,
      client:
        given ??
        new sdk.S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED', responseChecksumValidation: 'WHEN_REQUIRED' }),
    })))
  const toObjectAddress = (key: string): { Bucket: string; Key: string } => ({
    Bucket: bucket,
    Key: prefix + checkKey(key),
  })
  const encryption =
    kmsKeyId === undefined
      ? { ServerSideEncryption: 'AES256' as const }
      : { ServerSideEncryption: 'aws:kms' as const, SSEKMSKeyId: kmsKeyId }

  const callWithDeadline = <T>(call: (withSignal: { abortSignal: AbortSignal }) => Promise<T>): Promise<T> =>
    mapOutages(() => within(deadlineMs, (abortSignal) => call({ abortSignal })))

  return {
    put: (key, bytes) =>
      callWithDeadline(async (withSignal) => {
        const { sdk, client } = await open()
        // A copy is sent, because the caller may change its array while the SDK retries.
        await client.send(
          new sdk.PutObjectCommand({
            ...toObjectAddress(key),
            Body: bytes.slice(),
            ContentLength: bytes.length,
            ...encryption,
          }),
          withSignal,
        )
      }),

    get: (key) =>
      callWithDeadline(async (withSignal) => {
        const { sdk, client } = await open()
        try {
          return await readObject(await client.send(new sdk.GetObjectCommand(toObjectAddress(key)), withSignal))
        } catch (error) {
          if (hasName(error, 'NoSuchKey') || hasName(error, 'NotFound')) return null
          throw error
        }
      }),

    delete: (key) =>
      callWithDeadline(async (withSignal) => {
        const { sdk, client } = await open()
        await client.send(new sdk.DeleteObjectCommand(toObjectAddress(key)), withSignal)
      }),

    stale: (before, limit, after) =>
      callWithDeadline(async (withSignal) => {
        const { sdk, client } = await open()
        const keys: string[] = []
        for (let last = after; ;) {
          const page = await client.send(
            new sdk.ListObjectsV2Command({
              Bucket: bucket,
              Prefix: prefix,
              ...(last === '' ? {} : { StartAfter: prefix + last }),
              MaxKeys: 1000,
            }),
            withSignal,
          )
          const found = page.Contents ?? []
          for (const { Key = '', LastModified } of found) {
            if (LastModified && LastModified.getTime() < before && Key.length > prefix.length)
              keys.push(Key.slice(prefix.length))
            if (keys.length >= limit) return keys
          }
          if (page.IsTruncated !== true || found.length === 0) return keys
          last = found.at(-1)!.Key!.slice(prefix.length)
        }
      }),

    async presign(key, bytes, expiresAt) {
      const [{ sdk, client }, { getSignedUrl }] = await Promise.all([open(), import('@aws-sdk/s3-request-presigner')])
      const headers: Record<string, string> = {
        'content-type': 'application/json',
        'x-amz-server-side-encryption': encryption.ServerSideEncryption,
        ...(kmsKeyId === undefined ? {} : { 'x-amz-server-side-encryption-aws-kms-key-id': kmsKeyId }),
      }
      const command = new sdk.PutObjectCommand({
        ...toObjectAddress(key),
        ContentLength: bytes,
        ContentType: 'application/json',
        ...encryption,
      })
      // S3 rejects a request whose signed headers are different, such as another length or no encryption.
      const signed = new Set(['host', 'content-length', ...Object.keys(headers)])
      const url = await getSignedUrl(client, command, {
        expiresIn: Math.max(1, Math.floor((expiresAt - Date.now()) / 1000)),
        signableHeaders: signed,
        unhoistableHeaders: signed,
      })
      return { url, headers }
    },

    async publish({ key, parts, type, filename, expiresAt }) {
      const { sdk, client } = await open()
      const { UploadId } = await callWithDeadline((signal) =>
        client.send(
          new sdk.CreateMultipartUploadCommand({ ...toObjectAddress(key), ContentType: type, ...encryption }),
          signal,
        ),
      )
      const upload = { ...toObjectAddress(key), UploadId }
      try {
        const Parts: { PartNumber: number; ETag: string | undefined }[] = []
        for (const [number, part] of parts.entries()) {
          const { Bucket, Key } = toObjectAddress(part)
          const copied = { PartNumber: number + 1, CopySource: `${Bucket}/${Key}` }
          const { CopyPartResult } = await callWithDeadline((signal) =>
            client.send(new sdk.UploadPartCopyCommand({ ...upload, ...copied }), signal),
          )
          Parts.push({ PartNumber: copied.PartNumber, ETag: CopyPartResult?.ETag })
        }
        await callWithDeadline((signal) =>
          client.send(new sdk.CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }), signal),
        )
      } catch (error) {
        // An upload that is not aborted costs storage until a rule of the bucket aborts it.
        await callWithDeadline((signal) => client.send(new sdk.AbortMultipartUploadCommand(upload), signal)).catch(
          () => undefined,
        )
        throw error
      }
      for (const part of parts)
        await callWithDeadline((signal) => client.send(new sdk.DeleteObjectCommand(toObjectAddress(part)), signal))
      const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner')
      const command = new sdk.GetObjectCommand({
        ...toObjectAddress(key),
        ResponseContentType: type,
        ResponseContentDisposition: `attachment; filename="${filename}"`,
        ResponseCacheControl: 'private, no-store',
      })
      return getSignedUrl(client, command, { expiresIn: Math.max(1, Math.floor((expiresAt - Date.now()) / 1000)) })
    },
  }
}

function checkKey(key: string): string {
  if (!/^[a-z0-9-]+(?:\/[a-z0-9-]+)*$/.test(key) || key.length > 128) throw new TypeError('invalid blob key')
  return key
}

/** Reads the stream into one array as it arrives, so that the object is in memory once. */
async function readObject({ Body: body, ContentLength: length }: GetObjectCommandOutput): Promise<Uint8Array> {
  const bytes = new Uint8Array(length ?? 0)
  let size = 0
  for await (const part of body as AsyncIterable<Uint8Array>) {
    if (size + part.length > bytes.length)
      throw new Unavailable(new Error('S3 sent more bytes than its content-length'))
    bytes.set(part, size)
    size += part.length
  }
  if (size !== bytes.length)
    throw new Unavailable(new Error(`S3 closed the connection after ${size} of ${bytes.length} bytes`))
  return bytes
}

const hasName = (error: unknown, name: string): boolean => error instanceof Error && error.name === name

/**
 * Maps these errors to `Unavailable`: errors without a status (the request did not reach S3 or was cut off), and errors
 * of S3 itself.
 */
async function mapOutages<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (Unavailable.is(error) || error instanceof TypeError) throw error
    const { $metadata, name } = error as { $metadata?: { httpStatusCode?: number }; name?: string }
    const status = $metadata?.httpStatusCode
    // A server that does not support a feature, such as encryption at rest, always answers 501.
    const isRefused = status !== undefined && (status < 500 || status === 501)
    const away = !isRefused || status === 429 || status === 408 || name === 'SlowDown'
    throw away && name !== 'CredentialsProviderError' ? new Unavailable(error) : error
  }
}

import { gzipSync } from 'node:zlib'
import { check, type Check } from './check.ts'
import type { Context } from './context.ts'
import { madeId, makeMatcher, time } from './matchers.ts'
import { listOutcomes, makeTrace } from './stored-traces.ts'

const uploads = '/api/ingest/uploads'
const headersShape = makeMatcher(
  'headers to send',
  (value) =>
    typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string'),
)
const started = {
  ok: true,
  uploadId: madeId,
  url: makeMatcher('a URL', (value) => typeof value === 'string' && /^https?:\/\//.test(value)),
  headers: headersShape,
  expiresAt: time,
}

async function start({ ask, contributor }: Context, bytes: number) {
  return (await ask('POST', uploads, { as: (await contributor()).bearer, json: { bytes } }).is(200, started)).json
}

/**
 * Sends a PUT to the upload URL that the service returned. If it is a URL of the service, only its path is used;
 * otherwise it is the URL of a blob store.
 */
async function put(
  { ask, target }: Context,
  { url, headers }: { url: string; headers: Record<string, string> },
  body: Uint8Array,
): Promise<number> {
  const own = url.indexOf('/api/ingest/uploads/')
  if (own >= 0) return (await ask('PUT', url.slice(own), { body, headers, type: headers['content-type'] ?? '' })).status
  if (target.put) return target.put(url, headers, body)
  return (await fetch(url, { method: 'PUT', headers, body: body as Uint8Array<ArrayBuffer> })).status
}

const makeBatch = ({ stage }: Context, name: string): Uint8Array =>
  Buffer.from(JSON.stringify({ traces: [makeTrace(stage, name)] }))

/** Checks of batches that are sent to a separate upload URL. */
export const uploading: readonly Check[] = [
  check('host', 'an upload can be created, PUT, and submitted by its id', ['contributor'], async (context) => {
    const { ask, contributor, stage } = context
    const { bearer } = await contributor()
    const body = makeBatch(context, 'uploaded')
    const upload = await start(context, body.length)
    const status = await put(context, upload, body)
    const reply = await ask('POST', '/api/ingest', { as: bearer, json: { uploadId: upload.uploadId } })
    reply
      .must(status === 200, 'a PUT that is 200', `it was ${status}`)
      .is(202, { ok: true, jobId: madeId, status: 'queued' })
    const [outcome] = await listOutcomes(stage, reply.json.jobId)
    reply.must(outcome?.outcome === 'stored', 'a trace that is stored', `it is ${outcome?.outcome}`)
    await ask('POST', '/api/ingest', { as: bearer, json: { uploadId: upload.uploadId } }).is(409, {
      ok: false,
      error: 'upload_taken',
    })
    const own = upload.url.indexOf('/api/ingest/uploads/')
    if (own >= 0) await ask('PUT', upload.url.slice(own), { body }).is(409, { ok: false, error: 'upload_taken' })
  }),
  check('host', 'an upload can be compressed', ['contributor'], async (context) => {
    const { ask, contributor, stage } = context
    const body = gzipSync(makeBatch(context, 'uploaded-packed'))
    const upload = await start(context, body.length)
    await put(context, upload, body)
    const reply = await ask('POST', '/api/ingest', {
      as: (await contributor()).bearer,
      json: { uploadId: upload.uploadId },
    }).is(202, { ok: true, jobId: madeId, status: 'queued' })
    const [outcome] = await listOutcomes(stage, reply.json.jobId)
    reply.must(outcome?.outcome === 'stored', 'a trace that is stored', `it is ${outcome?.outcome}`)
  }),
  check('host', 'an upload that is unknown or was not PUT returns 404', ['contributor'], async (context) => {
    const { ask, contributor } = context
    const { uploadId } = await start(context, 100)
    for (const id of [uploadId, '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'])
      await ask('POST', '/api/ingest', { as: (await contributor()).bearer, json: { uploadId: id } }).is(404, {
        ok: false,
        error: 'upload_not_found',
      })
  }),
  check('host', "more bytes than declared are refused at the service's own URL", ['contributor'], async (context) => {
    const { ask, skip } = context
    const upload = await start(context, 20)
    if (!upload.url.includes('/api/ingest/uploads/')) skip('uploads go to a separate store here')
    const path = upload.url.slice(upload.url.indexOf('/api/ingest/uploads/'))
    const reply = await ask('PUT', path, { body: 'x'.repeat(21) })
    reply.is(413, { ok: false, error: 'body_too_large' }).has('x-body-limit', '20')
    await ask('PUT', path, { body: '{"traces":[]}' }).is(200, { ok: true })
  }),
  check('host', 'a PUT to an unknown upload URL returns 404', [], async ({ ask }) => {
    await ask('PUT', `/api/ingest/uploads/${'0'.repeat(64)}`, { body: '{}' }).is(404, { ok: false, error: 'not_found' })
  }),
  check('host', 'an uploaded batch is validated like every batch', ['contributor'], async (context) => {
    const { ask, contributor } = context
    const body = Buffer.from('{"traces":[{}]}')
    const upload = await start(context, body.length)
    await put(context, upload, body)
    const reply = await ask('POST', '/api/ingest', {
      as: (await contributor()).bearer,
      json: { uploadId: upload.uploadId },
    })
    reply.must(
      reply.status === 400 && reply.json.error === 'invalid_body' && reply.json.issues?.length > 0,
      '400 invalid_body with issues',
    )
  }),
  check(
    'host',
    'a size must be an integer of at least 1; above the limit the reply contains the limit',
    ['contributor'],
    async (context) => {
      const { ask, contributor } = context
      const { bearer } = await contributor()
      for (const bytes of [0, -1, 1.5, '1', null])
        await ask('POST', uploads, { as: bearer, json: { bytes } }).is(400, { ok: false, error: 'invalid_body' })
      const over = await ask('POST', uploads, { as: bearer, json: { bytes: 2 ** 52 } })
      over.is(413, { ok: false, error: 'body_too_large' })
      const limit = Number(over.header('x-body-limit'))
      await ask('POST', uploads, { as: bearer, json: { bytes: limit } }).is(200, started)
      ;(await ask('POST', uploads, { as: bearer, json: { bytes: limit + 1 } }).is(413)).has(
        'x-body-limit',
        String(limit),
      )
    },
  ),
  check(
    'E5',
    'a compressed batch is accepted up to the unpacked limit, and refused for one more byte',
    ['contributor'],
    async ({ ask, contributor, skip }) => {
      const { bearer } = await contributor()
      const limit = Number(
        (await ask('POST', uploads, { as: bearer, json: { bytes: 2 ** 52 } }).is(413)).header('x-body-limit'),
      )
      if (limit > 16 * 1024 * 1024)
        skip(
          `its limit is ${limit} bytes, more than this run makes a stranger's server unpack (serve with --ingest-limit 4194304 to try it)`,
        )
      const makeBodyOfSize = (bytes: number): string => '{"traces":[]}'.padEnd(bytes, ' ')
      await ask('POST', '/api/ingest', { as: bearer, body: makeBodyOfSize(limit), gzip: true }).is(202)
      const over = await ask('POST', '/api/ingest', { as: bearer, body: makeBodyOfSize(limit + 1), gzip: true })
      over.is(413, { ok: false, error: 'body_too_large' }).has('x-body-limit', String(limit))
    },
  ),
  check('host', 'an upload of another user returns 404', ['contributor', 'mailbox'], async (context) => {
    const { ask, own } = context
    const { uploadId } = await start(context, 100)
    const reply = await ask('POST', '/api/ingest', { as: (await own('stranger')).bearer, json: { uploadId } })
    reply.must(reply.status === 403 || reply.status === 404, '403, or 404 as if it did not exist')
  }),
]

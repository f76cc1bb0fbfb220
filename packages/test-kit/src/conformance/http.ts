import { gzipSync } from 'node:zlib'
import { check, type Check } from './check.ts'
import { boolean } from './matchers.ts'

const session = '/api/cli/session'
const telemetry = '/api/cli/telemetry'
const report = { schema: 1, deviceId: 'conformance' }
const taken = { ok: true, accepted: 0, forwarded: boolean }
const lost = { ok: false, error: 'not_found' }
const nobody = { ok: false, error: 'unauthorized' }

/** The checks that apply to every endpoint, run on one endpoint. */
export const http: readonly Check[] = [
  check('http', 'an unknown path returns 404', [], async ({ ask, target, skip }) => {
    const { status, headers } = await target.request('GET', `${target.prefix ?? ''}/api/nothing`)
    if (status === 404 && !headers.some(([name]) => name === 'x-request-id'))
      skip('what is not ours goes on to another app here')
    for (const path of ['/api/nothing', '/api', '/api/cli/session/', '/api/traces/a/b/c', '/API/cli/session'])
      await ask('GET', path).is(404, lost)
    await ask('POST', '/api/nothing', { json: {} }).is(404, lost)
  }),
  check('http', 'a valid request id of up to 128 characters is returned as sent', [], async ({ ask }) => {
    for (const id of ['a', 'My-id_1.2', 'x'.repeat(128)])
      (await ask('GET', session, { headers: { 'x-request-id': id } })).has('x-request-id', id)
  }),
  check('http', 'an invalid request id is replaced by a new one for each reply', [], async ({ ask }) => {
    const ids = new Set<string | null>()
    for (const id of ['x'.repeat(129), 'a b', 'a/b', '']) {
      const reply = await ask('GET', session, { headers: { 'x-request-id': id } })
      reply.must(reply.header('x-request-id') !== id, 'a new id')
      ids.add(reply.header('x-request-id'))
    }
    ;(await ask('GET', session)).must(ids.size === 4, 'four different ids', `they are ${[...ids].join(', ')}`)
  }),
  check('http', 'HEAD returns the headers of GET without a body', ['person'], async ({ ask, person }) => {
    const { bearer } = await person()
    for (const path of [session, '/api/traces/access', '/api/v1/policy', '/sign-in']) {
      const [get, head] = [await ask('GET', path, { as: bearer }), await ask('HEAD', path, { as: bearer })]
      head
        .is(get.status)
        .must(head.body.length === 0, 'no body')
        .has('content-type', get.header('content-type'))
    }
  }),
  check('http', 'a content type is accepted with parameters and in any case', ['person'], async ({ ask, person }) => {
    const { bearer } = await person()
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset=UTF-8'])
      await ask('POST', telemetry, { as: bearer, json: report, type }).is(200, taken)
  }),
  check('http', 'other content types, and a missing content type, return 415', ['person'], async ({ ask, person }) => {
    const { bearer } = await person()
    for (const type of ['application/x-www-form-urlencoded', 'text/json', 'application/jsonl', '']) {
      await ask('POST', telemetry, { as: bearer, json: report, type }).is(415, {
        ok: false,
        error: 'unsupported_content_type',
      })
    }
  }),
  check('http', 'a body compressed with gzip is accepted', ['person'], async ({ ask, person }) => {
    const { bearer } = await person()
    await ask('POST', telemetry, { as: bearer, json: report, gzip: true }).is(200, taken)
    await ask('POST', telemetry, {
      as: bearer,
      body: gzipSync(JSON.stringify(report)),
      headers: { 'content-encoding': 'GZIP' },
    }).is(200, taken)
  }),
  check('http', 'other content encodings return 415', ['person'], async ({ ask, person }) => {
    const { bearer } = await person()
    for (const encoding of ['br', 'deflate', 'zstd', 'gzip, gzip']) {
      await ask('POST', telemetry, { as: bearer, json: report, headers: { 'content-encoding': encoding } }).is(415, {
        ok: false,
        error: 'unsupported_content_type',
      })
    }
  }),
  check('http', 'a body that is not JSON returns 400 invalid_json', ['person'], async ({ ask, person }) => {
    const { bearer } = await person()
    const broken = Uint8Array.of(...Buffer.from('{"deviceId":"'), 0xff, 0xfe, ...Buffer.from('"}'))
    for (const body of ['', '{', '{"a":1,}', 'undefined', '{"a":1}{"b":2}', broken]) {
      await ask('POST', telemetry, { as: bearer, body }).is(400, { ok: false, error: 'invalid_json' })
    }
    await ask('POST', telemetry, { as: bearer, body: 'no gzip', headers: { 'content-encoding': 'gzip' } }).is(400, {
      ok: false,
      error: 'invalid_json',
    })
    await ask('POST', telemetry, {
      as: bearer,
      body: gzipSync(JSON.stringify(report)).subarray(0, -6),
      headers: { 'content-encoding': 'gzip' },
    }).is(400, { ok: false, error: 'invalid_json' })
  }),
  check('http', 'JSON of the wrong type returns 400 invalid_body', ['person'], async ({ ask, person }) => {
    const { bearer } = await person()
    for (const body of ['null', '[]', '"text"', '1', '{}'])
      await ask('POST', telemetry, { as: bearer, body }).is(400, { ok: false, error: 'invalid_body' })
  }),
  ...['__proto__', 'constructor', 'prototype'].map((key) =>
    check('http', `the key ${key} returns 400 at any depth`, ['person'], async ({ ask, person }) => {
      const { bearer } = await person()
      for (const body of [
        `{"schema":1,"deviceId":"d","${key}":{}}`,
        `{"schema":1,"deviceId":"d","events":[{"name":"n","properties":{"a":[{"${key}":1}]}}]}`,
      ]) {
        await ask('POST', telemetry, { as: bearer, body }).is(400, { ok: false, error: 'invalid_body' })
      }
    }),
  ),
  check('http', 'a deeply nested body returns 400', ['person'], async ({ ask, person }) => {
    const { bearer } = await person()
    const deep = `${'[{"a":'.repeat(5000)}1${'}]'.repeat(5000)}`
    await ask('POST', telemetry, {
      as: bearer,
      body: `{"schema":1,"deviceId":"d","events":[{"name":"n","properties":{"a":${deep}}}]}`,
    }).is(400, { ok: false, error: 'invalid_body' })
  }),
  check('http', 'unknown keys are ignored', ['person'], async ({ ask, person }) => {
    await ask('POST', telemetry, {
      as: (await person()).bearer,
      json: { ...report, surprise: { deep: [1] }, __more: 'x' },
    }).is(200, taken)
  }),
  check(
    'http',
    'a body of 256 KiB is accepted, and one more byte returns 413, compressed or not',
    ['person'],
    async ({ ask, person }) => {
      const { bearer } = await person()
      const limit = 256 * 1024
      const makeBodyOfSize = (bytes: number): string => JSON.stringify(report).padEnd(bytes, ' ')
      await ask('POST', telemetry, { as: bearer, body: makeBodyOfSize(limit) }).is(200, taken)
      await ask('POST', telemetry, { as: bearer, body: makeBodyOfSize(limit), gzip: true }).is(200, taken)
      for (const gzip of [false, true]) {
        const reply = await ask('POST', telemetry, { as: bearer, body: makeBodyOfSize(limit + 1), gzip })
        reply.is(413, { ok: false, error: 'body_too_large' }).has('x-body-limit', String(limit))
      }
    },
  ),
  check('http', 'replies have no CORS headers for other origins', ['person'], async ({ ask, person }) => {
    const headers = {
      'origin': 'https://evil.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization',
    }
    for (const [method, status] of [
      ['GET', 200],
      ['OPTIONS', 405],
    ] as const) {
      const reply = await ask(method, session, { as: (await person()).bearer, headers })
      if (status === 405) reply.is(405, { ok: false, error: 'method_not_allowed' })
      reply.is(status).has('access-control-allow-origin', null).has('access-control-allow-credentials', null)
    }
  }),
  check('http', 'forwarded headers do not change links', ['person'], async ({ ask, person }) => {
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'gopher',
      'forwarded': 'host=evil.example;proto=gopher',
    }
    const reply = await ask('GET', '/api/traces/upload-policy', { as: (await person()).bearer, headers }).is(200)
    reply.must(!/evil|gopher/.test(reply.text), 'links of the configured base address')
  }),
  check(
    'sign-in',
    'a scheme other than Bearer returns 401, and Bearer is accepted in upper or lower case',
    ['person'],
    async ({ ask, person }) => {
      const { bearer, userId } = await person()
      const token = bearer['authorization']!.slice(7)
      for (const authorization of [`bearer ${token}`, `BEARER ${token}`])
        await ask('GET', session, { headers: { authorization } }).is(200, { ok: true, userId })
      for (const authorization of [
        `Basic ${token}`,
        token,
        `Bearer ${token} x`,
        `Bearer ${token}x`,
        'Bearer',
        `Token ${token}`,
      ])
        await ask('GET', session, { headers: { authorization } }).is(401, nobody)
    },
  ),
]

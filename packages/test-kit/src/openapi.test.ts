import { isDeepStrictEqual } from 'node:util'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import type { LoadedRoute } from '@tributary/core/adapter'
import { openapi } from '@tributary/core/documents'
import openapiTypes, { astToString } from 'openapi-typescript'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { createTestStores } from './fixtures/database.ts'
import { fixture } from './fixtures/service.ts'

const routes = await fixture({ stores: createTestStores(), adminToken: 'only-for-the-document' }).service.routes()
const text = JSON.stringify(openapi(routes, { baseUrl: 'https://tributary.test' }))
const document = JSON.parse(text) as {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: {
    readonly schemas: Record<string, object>
    readonly responses: Record<string, Response>
    readonly parameters: Record<string, Parameter>
  }
}

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly example: string
}
interface Media {
  readonly schema: object
  readonly example?: unknown
}
interface Response {
  readonly $ref?: string
  readonly content?: Record<string, Media>
}
interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Record<string, Media> }
  readonly responses: Record<string, Response>
}

const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
const cases = operations.map((operation) => [operation.operationId, operation] as const)
const findRoute = (name: string): LoadedRoute => routes.find((one) => one.name === name)!.route

describe('GET /openapi.json', () => {
  test('describes every route in at most 424 KB', () => {
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(routes.map(({ name }) => name).sort())
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(424 * 1024)
  })

  test('names the schemas and parameters that several operations share', () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(['Trace', 'TraceInput', 'TraceDocument', 'Job', 'UploadPolicy', 'Campaign', 'Error']),
    )
    expect(Object.keys(document.components.parameters)).toEqual(expect.arrayContaining(['id', 'q', 'limit', 'cursor']))
  })

  test('requires the parameters without which a token is never issued', () => {
    const { requestBody } = operations.find(({ operationId }) => operationId === 'issueOAuthToken')!
    const [{ schema }] = Object.values(requestBody!.content) as [Media]
    expect(schema).toMatchObject({ required: ['grant_type', 'client_id', 'device_code'] })
  })

  // The tests below check in every run that each example matches its route.
  test('passes the recommended rules of Redocly, examples included', { tags: 'long' }, async () => {
    const config = await createConfig({
      extends: ['recommended'],
      rules: {
        // The interface has both `/api/traces/bulk` and `/api/traces/{id}`. The literal segment takes precedence.
        'no-ambiguous-paths': 'off',
        // This rule does not follow the references of `x-line-schema`.
        'no-unused-components': 'off',
        // Forms answer with a redirect instead of a 2xx status. Redirects and style sheets have no 4xx failure.
        'operation-2xx-response': 'off',
        'operation-4xx-response': 'off',
        'no-invalid-media-type-examples': { severity: 'error', allowAdditionalProperties: false },
        'no-invalid-parameter-examples': 'error',
      },
    })
    const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
    expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([])
  })

  test.each(cases)('%s has a schema and an example for every request and reply', (_, operation) => {
    const responses = Object.values(operation.responses).map(({ $ref, ...response }) =>
      $ref ? document.components.responses[$ref.replace('#/components/responses/', '')]! : response,
    )
    for (const content of [operation.requestBody?.content, ...responses.map((response: Response) => response.content)])
      for (const { schema, example } of Object.values(content ?? {})) {
        expect(Object.keys(schema)).not.toEqual([])
        expect(example).toBeDefined()
        expect(JSON.stringify(example)).not.toMatch(/"<\w*>"/)
      }
  })

  test.each(cases)('%s has only examples that its route accepts and sends', (name, operation) => {
    const route = findRoute(name)
    const parse = (schema: LoadedRoute['body'], example: unknown) => schema?.safeParse(example).error?.message
    const readExamples = (place: string) =>
      Object.fromEntries(
        (operation.parameters ?? []).flatMap(({ $ref, ...own }) => {
          const one = $ref ? document.components.parameters[$ref.replace('#/components/parameters/', '')]! : own
          return one.in === place && one.example !== undefined ? [[one.name, String(one.example)]] : []
        }),
      )
    expect(parse(route.params, readExamples('path'))).toBeUndefined()
    expect(parse(route.query, readExamples('query'))).toBeUndefined()
    const sent = Object.values(operation.requestBody?.content ?? {})[0]?.example
    expect(parse(route.body ?? route.form, sent)).toBeUndefined()
    const reply = route.content ?? (typeof route.reply === 'string' ? undefined : route.reply)
    for (const status of reply ? (route.success ?? [200]) : []) {
      const { content } = operation.responses[status]!
      // An MCP notification has no reply.
      if (!content && route.envelope === 'rpc') continue
      const [example] = Object.values(content!).map((media) => media.example)
      const value: unknown = route.media === 'application/jsonl' ? JSON.parse(String(example)) : example
      const parsed = reply!.safeParse(value)
      expect(parsed.error?.message).toBeUndefined()
      expect(isDeepStrictEqual(parsed.data, value)).toBe(true)
    }
  })

  test(
    'generates types with openapi-typescript that compile and contain ingest, updateTrace and downloadTrace',
    { tags: 'long' },
    async () => {
      const types = astToString(await openapiTypes(text))
      const use = `
type Body = operations['ingest']['requestBody']['content']['application/json']
const body: Body = { traces: [{ sourceId: 's', createdAt: '2026-11-20T12:00:00Z', messages: [{ content: 'hi' }] }] }
const error: operations['updateTrace']['responses']['409']['content']['application/json']['error'] = 'already_sold'
const text = (trace: operations['downloadTrace']['responses']['200']['content']['application/json']): string =>
  trace.messages[0]!.content
const status = (job: components['schemas']['Job']): 'queued' | 'parsing' | 'ingesting' | 'done' | 'failed' => job.status
// @ts-expect-error messages are not text
const wrong: Body = { traces: [{ sourceId: 's', createdAt: '', messages: 'hi' }] }
`
      const file = 'service.ts'
      // The compilation takes a tenth of the time without the types of browsers and without checks of declaration files.
      const lib = { target: ts.ScriptTarget.ES2022, lib: ['lib.es2022.d.ts'], skipLibCheck: true }
      const options = { strict: true, noEmit: true, types: [], ...lib }
      const host = ts.createCompilerHost(options)
      const { getSourceFile } = host
      host.getSourceFile = (path, language) =>
        path === file ? ts.createSourceFile(path, types + use, language) : getSourceFile(path, language)
      const program = ts.createProgram([file], options, host)
      const errors = ts.getPreEmitDiagnostics(program)
      expect(errors.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([])
    },
  )
})

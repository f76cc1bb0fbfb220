import { createService } from '@tributary/core'
import { describe, expect, test } from 'vitest'
import { createTestStores } from './fixtures/database.ts'
import { checkFeedbackProtocol, feedbackProtocolCommand, overFetch, type Report, type Target } from './conformance.ts'

const openService = (): Target['request'] =>
  overFetch(createService({ baseUrl: 'http://127.0.0.1:8787', stores: createTestStores(), rates: 'off' }))

const listFailures = ({ results }: Report): string[] =>
  results.filter(({ outcome }) => outcome === 'failed').map(({ name, detail }) => `${name}\n${detail}`)

/** Serves the protocol like another server: at different paths, and without the headers that only Tributary has. */
function moveEndpoints(request: Target['request']): Target['request'] {
  const moved = [
    ['/api/v1/feedback/', '/fb/reports/'],
    ['/api/v1/feedback', '/fb/reports'],
    ['/api/v1/policy', '/fb/policy'],
    ['/api/v1/observations', '/fb/seen'],
    ['/api/v1/receipts/', '/fb/receipts/'],
  ] as const
  return async (method, path, headers, body) => {
    const found = moved.find(([, to]) => (to.endsWith('/') ? path.startsWith(to) : path === to))
    if (!found && !path.startsWith('/.well-known/')) return { status: 404, headers: [], body: new Uint8Array() }
    const reply = await request(method, found ? path.replace(found[1], found[0]) : path, headers, body)
    const text = moved.reduce((all, [from, to]) => all.replaceAll(from, to), new TextDecoder().decode(reply.body))
    return {
      ...reply,
      headers: reply.headers.filter(([name]) => ['content-type', 'x-body-limit', 'retry-after'].includes(name)),
      body: path.startsWith('/.well-known/') ? new TextEncoder().encode(text) : reply.body,
    }
  }
}

describe('checkFeedbackProtocol', () => {
  test('passes for this service', async () => {
    const report = await checkFeedbackProtocol({ request: openService() })
    expect(listFailures(report)).toEqual([])
    expect(report.passed).toBeGreaterThan(25)
  })

  test('passes for a server with different paths in its discovery document', async () => {
    const report = await checkFeedbackProtocol({ request: moveEndpoints(openService()) })
    expect(listFailures(report)).toEqual([])
    expect([report.failed, report.skipped]).toEqual([0, 0])
  })

  test.each([
    [
      'stores a repeated report again',
      (status: number) => (status === 200 ? 201 : status),
      'the same key and report return 200 with the same receipt, in any spelling of the key',
    ],
    [
      'answers 400 for a report that is too large',
      (status: number) => (status === 413 ? 400 : status),
      'a report of 32 KiB is accepted, and one byte more returns 413',
    ],
  ])('reports the failed check for a server that %s', async (_, alter, name) => {
    const report = await checkFeedbackProtocol(
      { request: openService() },
      {
        only: [name],
        alter: (reply, { sent }) => (sent.method === 'POST' ? { ...reply, status: alter(reply.status) } : reply),
      },
    )
    expect(report.results.filter(({ outcome }) => outcome === 'failed').map((one) => one.name)).toEqual([name])
  })

  test('throws for a server without a discovery document', async () => {
    const request: Target['request'] = async () => ({ status: 404, headers: [], body: new Uint8Array() })
    await expect(checkFeedbackProtocol({ request })).rejects.toThrow('/.well-known/agent-feedback.json answers 404')
  })
})

test.each([
  [['--help'], 0, 'npm run check -- feedback-protocol ADDRESS'],
  [[], 1, 'Expected one URL'],
  [['ftp://example.com'], 1, 'is not a URL'],
  [['http://127.0.0.1:9', '--json'], 1, 'ECONNREFUSED'],
])('feedbackProtocolCommand with %j exits with %i', async (argv, code, said) => {
  const written: string[] = []
  const write = (text: string): void => void written.push(text)
  expect(await feedbackProtocolCommand(argv, { out: write, error: write, env: {} })).toBe(code)
  expect(written.join('')).toContain(said)
})

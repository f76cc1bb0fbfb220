import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeTelemetryReport } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Fetch } from '../ports.ts'
import { logsRequest, otlpSink } from './otlp.ts'

let answer: (request: IncomingMessage, response: ServerResponse) => void
let got: { headers: IncomingMessage['headers']; body: string }[]
let url: string
let close: () => void
beforeEach(async () => {
  got = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    got.push({ headers: request.headers, body })
    answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/logs`
  close = () => {
    server.closeAllConnections()
    server.close()
  }
})
afterEach(() => close())

const createSink = (options: { timeoutMs?: number } = {}) =>
  otlpSink({ url, fetch: fetch as unknown as Fetch, headers: { 'x-key': 'k' }, ...options })
    .take([makeTelemetryReport()])
    .then(
      () => 'taken',
      (error: unknown) => error,
    )

describe('OTLP export over HTTP', () => {
  test("sends JSON with the collector's credential", async () => {
    answer = (_, response) => response.end('{}')
    expect(await createSink()).toBe('taken')
    expect(got[0]!.headers).toMatchObject({ 'content-type': 'application/json', 'x-key': 'k' })
    expect(JSON.parse(got[0]!.body)).toHaveProperty('resourceLogs')
  })

  test('does not resend records that the collector accepted', async () => {
    answer = (_, response) => response.end('{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"old"}}')
    expect(await createSink()).toBe('taken')
  })

  test.each([
    [429, false],
    [502, false],
    [503, false],
    [504, false],
    [400, true],
    [401, true],
    [404, true],
    [302, true],
    [500, true],
  ])('treats status %i as permanent: %s', async (status, permanent) => {
    answer = (_, response) => response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end()
    const error = await createSink()
    expect(error).toMatchObject({ message: `the collector answered ${status}` })
    expect((error as { permanent?: boolean }).permanent === true).toBe(permanent)
  })

  test('is retried when the collector does not answer, or answers too late', async () => {
    answer = () => undefined
    expect(await createSink({ timeoutMs: 50 })).toMatchObject({ message: expect.stringContaining('50 ms') })
    close()
    const error = await createSink()
    expect(error).toBeInstanceOf(Error)
    expect(error).not.toHaveProperty('permanent')
  })
})

test('a report has one log record for each diagnostics item and event, in the JSON encoding of protobuf', () => {
  const report = makeTelemetryReport({
    id: 'r1',
    deviceId: 'd',
    cliVersion: '1.0.0',
    platform: null,
    arch: null,
    command: null,
    sentAt: null,
    receivedAt: 1_763_640_000_123,
    diagnostics: [{ adapter: 'a', totalEntries: 5, emptyParse: true, unhandledTypes: ['x'] }],
    events: [{ name: 'e', properties: { ratio: 0.5, big: 2 ** 53, nested: { list: [null, 'y'] }, none: null } }],
  })
  const [{ resource, scopeLogs }] = (
    logsRequest([report]) as {
      resourceLogs: [{ resource: object; scopeLogs: [{ logRecords: { attributes: object[]; body: object }[] }] }]
    }
  ).resourceLogs
  expect(resource).toEqual({ attributes: [{ key: 'service.name', value: { stringValue: 'tributary' } }] })
  const records = scopeLogs[0].logRecords
  expect(records).toHaveLength(2)
  expect(records[0]).toMatchObject({
    timeUnixNano: '1763640000123000000',
    severityNumber: 9,
    body: { stringValue: 'diagnostics of a' },
  })
  expect(records[0]!.attributes).toEqual([
    { key: 'tributary.report.id', value: { stringValue: 'r1' } },
    { key: 'device.id', value: { stringValue: 'd' } },
    { key: 'service.client.version', value: { stringValue: '1.0.0' } },
    { key: 'adapter', value: { stringValue: 'a' } },
    { key: 'totalEntries', value: { intValue: '5' } },
    { key: 'emptyParse', value: { boolValue: true } },
    { key: 'unhandledTypes', value: { arrayValue: { values: [{ stringValue: 'x' }] } } },
  ])
  expect(records[1]!.attributes.at(-1)).toEqual({
    key: 'properties',
    value: {
      kvlistValue: {
        values: [
          { key: 'ratio', value: { doubleValue: 0.5 } },
          { key: 'big', value: { doubleValue: 2 ** 53 } },
          {
            key: 'nested',
            value: {
              kvlistValue: {
                values: [
                  { key: 'list', value: { arrayValue: { values: [{ stringValue: '' }, { stringValue: 'y' }] } } },
                ],
              },
            },
          },
        ],
      },
    },
  })
})

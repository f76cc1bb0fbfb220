import { createTestStores, fixture } from '@tributary/test-kit'
import { afterEach, describe, expect, test } from 'vitest'
import { emfMeter, jsonLogger, toLambdaHandler } from './index.ts'
import { xrayFields, xrayTraceparent } from './xray.ts'

const makeEvent = (path: string, headers: Record<string, string> = {}) => ({
  version: '2.0',
  rawPath: path,
  rawQueryString: '',
  headers,
  requestContext: { http: { method: 'GET', sourceIp: '192.0.2.1' } },
  isBase64Encoded: false,
})

const header = 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1'
afterEach(() => void delete process.env['_X_AMZN_TRACE_ID'])

describe('emfMeter', () => {
  test('writes the metrics of an invocation at its end, in the embedded metric format', async () => {
    const lines: Record<string, unknown>[] = []
    const meter = emfMeter({ write: (line) => lines.push(JSON.parse(line)), clock: () => 1_795_348_800_000 })
    const { service } = fixture({ stores: createTestStores() })
    service.measure(meter)
    await toLambdaHandler(service, { meter })(makeEvent('/api/cli/session') as never)
    expect(lines.find((line) => 'tributary_requests_total' in line)).toEqual({
      _aws: {
        Timestamp: 1_795_348_800_000,
        CloudWatchMetrics: [
          {
            Namespace: 'Tributary',
            Dimensions: [['status']],
            Metrics: [{ Name: 'tributary_requests_total', Unit: 'Count' }],
          },
        ],
      },
      route: '/api/cli/session',
      method: 'GET',
      status: '401',
      tributary_requests_total: 1,
    })
    const duration = lines.find((line) => 'tributary_request_seconds' in line)
    expect(duration).toMatchObject({ tributary_request_seconds: [expect.any(Number)], route: '/api/cli/session' })
    lines.length = 0
    meter.flush()
    expect(lines).toEqual([])
  })

  test('writes at most 100 values of a metric in one line', () => {
    const lines: { tributary_scrub_seconds: number[] }[] = []
    const meter = emfMeter({ write: (line) => lines.push(JSON.parse(line)) })
    for (let count = 0; count < 250; count++) meter.take({ name: 'tributary_scrub_seconds', labels: {}, seconds: 0.01 })
    meter.flush()
    expect(lines.map(({ tributary_scrub_seconds: values }) => values.length)).toEqual([100, 100, 50])
  })
})

describe('the X-Ray trace of an invocation', () => {
  test('is a traceparent and a field of each log line', () => {
    expect(xrayTraceparent(header)).toBe('00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01')
    expect(xrayTraceparent(header.replace('Sampled=1', 'Sampled=0'))).toMatch(/-00$/)
    for (const none of ['', 'Root=1-5759e988-bd862e3fe1be46a994272793', 'junk']) {
      expect(xrayTraceparent(none)).toBeUndefined()
    }
    expect(xrayFields('')).toEqual({})
    process.env['_X_AMZN_TRACE_ID'] = header
    const lines: string[] = []
    jsonLogger((line) => lines.push(line)).info({ requestId: 'r' }, 'http.request')
    expect(JSON.parse(lines[0]!)).toMatchObject({ xrayTraceId: '1-5759e988-bd862e3fe1be46a994272793', requestId: 'r' })
  })

  test('reaches the service unless the request has its own trace', async () => {
    process.env['_X_AMZN_TRACE_ID'] = header
    const { service } = fixture({ stores: createTestStores() })
    const seen: (string | undefined)[] = []
    const handler = toLambdaHandler({
      ...service,
      handle: (request) => (seen.push(request.headers['traceparent']), service.handle(request)),
    })
    const own = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await handler(makeEvent('/healthz') as never)
    await handler(makeEvent('/healthz', { traceparent: own }) as never)
    expect(seen).toEqual([xrayTraceparent(header), own])
  })
})

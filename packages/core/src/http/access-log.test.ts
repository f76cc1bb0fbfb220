import { createTestStores } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { admin, signInContributor, openAutoApprovingService, makeTraceInput } from '../ingest/contributor.fixture.ts'

type Line = readonly [event: string, fields: Record<string, unknown>]

describe('the access log', () => {
  test('logs one http.request for each request, with the route instead of the path and without personal data', async () => {
    const lines: Line[] = []
    const log = (fields: Record<string, unknown>, event: string): void => void lines.push([event, fields])
    const made = openAutoApprovingService(createTestStores(), { logger: { info: log, warn: log, error: log } })
    const ann = await signInContributor(made)
    lines.length = 0
    const id = '018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71'
    const headers = { ...ann.bearer, 'x-request-id': 'request-1' }
    await made.ask('GET', `/api/traces/${id}`, { headers })
    await made.ask('PUT', '/api/traces', { headers })
    expect(lines).toEqual([
      ['http.request', { requestId: 'request-1', method: 'GET', route: '/api/traces/:id', status: 404, ms: 0 }],
      ['http.request', { requestId: 'request-1', method: 'PUT', route: '/api/traces', status: 405, ms: 0 }],
    ])
    expect(JSON.stringify(lines)).not.toMatch(new RegExp(`${id}|${ann.userId}|${ann.email}`))
  })

  test('logs one ingest.job.completed for each job', async () => {
    const lines: Line[] = []
    const log = (fields: Record<string, unknown>, event: string): void => void lines.push([event, fields])
    const made = openAutoApprovingService(createTestStores(), { logger: { info: log, warn: log, error: log } })
    const { bearer } = await signInContributor(made)
    const { jobId } = (
      await made.ask('POST', '/api/ingest', {
        headers: bearer,
        json: { traces: [makeTraceInput('one'), makeTraceInput('two')] },
      })
    ).json
    await made.service.work()
    expect(lines.filter(([event]) => event.startsWith('ingest.'))).toEqual([
      ['ingest.job.completed', { jobId, attempt: 1, traces: 2, ms: 0 }],
    ])
  })

  test('logs one event for each delivery to a webhook, as a warning when it is not accepted', async () => {
    const lines: (readonly [level: string, event: string, fields: Record<string, unknown>])[] = []
    const log =
      (level: string) =>
      (fields: Record<string, unknown>, event: string): void =>
        void lines.push([level, event, fields])
    let status = 204
    const made = openAutoApprovingService(createTestStores(), {
      logger: { info: log('info'), warn: log('warn'), error: log('error') },
      webhooks: { fetch: async () => ({ status, body: null }) },
    })
    const json = { url: 'https://hooks.example.com/secret-path' }
    const { webhook } = (await made.ask('POST', '/api/admin/webhooks', { headers: admin, json })).json
    lines.length = 0
    for (status of [204, 500]) {
      await made.ask('POST', `/api/admin/webhooks/${webhook.id}/test`, { headers: admin })
      await made.service.work()
    }
    const fields = { webhookId: webhook.id, eventId: expect.any(String), eventType: 'webhook.test', attempt: 1, ms: 0 }
    expect(lines.filter(([, event]) => event.startsWith('webhook.'))).toEqual([
      ['info', 'webhook.delivery.completed', { ...fields, status: 204 }],
      ['warn', 'webhook.delivery.failed', { ...fields, status: 500 }],
    ])
    expect(JSON.stringify(lines)).not.toContain('secret-path')
  })
})

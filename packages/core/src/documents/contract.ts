import * as z from 'zod'
import { True } from '../http/fields.ts'
import { route } from '../http/route.ts'

const open = { method: 'GET', auth: 'none', envelope: 'ok', failures: {} } as const

/** Probes, and the documents in which a service describes itself. */
export const documentsContract = {
  getHealth: route({
    ...open,
    path: '/healthz',
    summary: 'Check that the process runs',
    description: 'Touches no store.',
    reply: z.object({ ok: True }),
  }),
  getReadiness: route({
    ...open,
    path: '/readyz',
    summary: 'Check that the service is ready',
    description:
      'Answers 503 with a `reason` while the store does not answer (`store`) or the process stops (`draining`).',
    reply: z.object({ ok: True }),
  }),
  getOpenapi: route({
    ...open,
    auth: 'any',
    path: '/openapi.json',
    summary: 'Get the OpenAPI document',
    description:
      'Contains the routes of operators only if an operator requests it, with a token or in a signed-in browser.',
    reply: 'stream',
    media: 'application/json',
    content: z
      .looseObject({ openapi: z.literal('3.1.0'), paths: z.record(z.string(), z.unknown()) })
      .meta({ example: { openapi: '3.1.0', paths: {} } }),
  }),
  docsPage: route({ ...open, auth: 'optional', path: '/docs', summary: 'API reference page', reply: 'page' }),
  privacyPage: route({ ...open, auth: 'optional', path: '/privacy', summary: 'Privacy page', reply: 'page' }),
  getLlmsText: route({
    ...open,
    auth: 'any',
    path: '/llms.txt',
    summary: 'Get the API reference as text',
    description:
      'Markdown for language models (llmstxt.org). Contains the routes of operators only if an operator requests it.',
    reply: 'stream',
    media: 'text/plain',
  }),
}

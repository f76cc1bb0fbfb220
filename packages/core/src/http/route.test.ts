import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { route } from './route.ts'

const shared = { summary: '', method: 'POST', path: '/things', auth: 'none', envelope: 'ok', failures: {} } as const

describe('route', () => {
  test('keeps the schemas as they were written and marks a reply with a schema as JSON', () => {
    const body = z.object({ on: z.boolean() })
    const declared = route({ ...shared, body, reply: z.object({ ok: z.literal(true) }) })
    expect(declared.sends).toBe('json')
    expect(declared.body).toBe(body)
    expect(declared.reply.safeParse({ ok: false }).success).toBe(false)
  })

  test('marks a reply without a schema by its kind', () => {
    expect(route({ ...shared, reply: 'page' }).sends).toBe('page')
  })
})

import { expect, test, vi } from 'vitest'
import * as z from 'zod'
import { route } from './route.ts'

const given = { summary: '', method: 'POST', path: '/things', auth: 'none', envelope: 'ok', failures: {} } as const

test('a schema behind a function is built when it is first looked at, and once', () => {
  const body = vi.fn(() => z.object({ on: z.boolean() }))
  const made = route({ ...given, body, reply: () => z.object({ ok: z.literal(true) }) })
  expect([made.sends, made.path, Object.keys(made).includes('body'), 'form' in made]).toEqual([
    'json',
    '/things',
    true,
    false,
  ])
  expect(body).not.toHaveBeenCalled()
  expect(made.body.parse({ on: true })).toEqual({ on: true })
  expect(made.body).toBe(made.body)
  expect(body).toHaveBeenCalledTimes(1)
  expect(made.reply.safeParse({ ok: false }).success).toBe(false)
})

test('a schema may stand there as it is, and a reply may be none', () => {
  const query = z.object({ at: z.string() })
  const made = route({ ...given, query, reply: 'page' })
  expect([made.query === query, made.sends, made.reply]).toEqual([true, 'page', 'page'])
})

import * as z from 'zod'
import { Uuid } from '../../http/fields.ts'
import { route } from '../../http/route.ts'

const Ids = z.array(Uuid).max(500)
const action = z.enum(['exclude', 'include', 'delete'])
const Confirmed = z.literal('yes').optional()
const Digits = z
  .string()
  .regex(/^\d{1,6}$/)
  .meta({ examples: ['2'] })

/** The fields of the filter as a browser sends them. An invalid value counts as absent. */
const FilterFields = z.object({
  state: z.string().max(20).optional(),
  source: z.string().max(64).optional(),
  agent: z
    .string()
    .max(64)
    .meta({ examples: ['claude-code'] })
    .optional(),
  outcome: z.string().max(20).optional(),
  from: z
    .string()
    .max(40)
    .meta({ examples: ['2026-10-01'] })
    .optional(),
  to: z
    .string()
    .max(40)
    .meta({ examples: ['2026-10-31'] })
    .optional(),
  saleId: z.string().max(64).optional(),
  q: z
    .string()
    .max(100)
    .meta({ examples: ['parser'] })
    .optional(),
})

const Cursor = z
  .string()
  .regex(/^\d{0,15}$/)
  .optional()

const ById = z.object({ id: Uuid })
const page = { auth: 'page', envelope: 'ok', reply: 'page' } as const

export const tracePagesContract = {
  tracesPage: route({
    ...page,
    method: 'GET',
    path: '/traces',
    summary: 'Show the traces page',
    query: FilterFields.extend({
      cursor: Cursor,
      select: z
        .enum(['page', 'all', 'none'])
        .describe('`page` selects each trace on the page, `all` selects all traces that match')
        .optional(),
    }),
    failures: {},
  }),
  changeTraces: route({
    ...page,
    method: 'POST',
    path: '/traces',
    summary: 'Change the selected traces',
    description: 'Changes the selected traces, or with `all` the traces that match the filter, 5,000 at a time.',
    form: FilterFields.extend({
      ids: Ids.optional(),
      all: z.literal('yes').optional(),
      action,
      confirmed: Confirmed,
      cursor: Cursor,
    }),
    success: [200, 303],
    failures: {},
  }),
  tracePage: route({
    ...page,
    method: 'GET',
    path: '/traces/:id',
    summary: 'Show a trace',
    params: ById,
    query: z.object({ page: Digits.optional() }),
    failures: { not_found: 404 },
  }),
  changeTrace: route({
    ...page,
    method: 'POST',
    path: '/traces/:id',
    summary: 'Submit the form of a trace',
    params: ById,
    form: z.object({
      action: z.enum([...action.options, 'report', 'reportWrong']),
      confirmed: Confirmed,
      term: z.string().min(2).max(128).optional(),
      placeholder: z
        .string()
        .regex(/^[A-Z][A-Z0-9_]{0,49}$/)
        .describe('The placeholder of a redaction that is not personal, without its brackets')
        .meta({ examples: ['PERSON_1'] })
        .optional(),
    }),
    success: [200, 303],
    failures: { not_found: 404 },
  }),
} as const

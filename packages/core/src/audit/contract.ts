import * as z from 'zod'
import { DateTime, Page, True } from '../http/fields.ts'
import { route } from '../http/route.ts'
import { auditActions } from './actions.ts'

const State = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable()

export const AuditItem = z
  .object({
    id: z.string(),
    at: DateTime,
    actor: z.string().describe('name of the operator, or `buyer: ` and that of a buyer who downloaded'),
    action: z.enum(auditActions),
    target: z.string().describe('id of what was changed, or a country, or the name of an operator'),
    before: State.describe('null when it did not exist before'),
    after: State.describe('null when it was deleted'),
    requestId: z.string(),
    address: z.string().nullable().describe('IP address of the operator'),
  })
  .meta({ id: 'AuditEntry' })

/** The actions of operators. */
export const auditContract = {
  listAudit: route({
    method: 'GET',
    path: '/api/admin/audit',
    auth: 'admin',
    envelope: 'ok',
    tool: 'admin_list_audit',
    summary: 'List audit entries',
    description: 'Returns what operators changed, newest first.',
    query: Page.extend({
      cursor: z
        .string()
        .regex(/^\d{1,15}$/)
        .optional(),
      actor: z.string().min(1).max(320).optional(),
      action: z.enum(auditActions).optional(),
    }),
    reply: z.object({ ok: True, items: z.array(AuditItem), nextCursor: z.string().nullable() }),
    failures: {},
  }),
}

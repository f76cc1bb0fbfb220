import * as z from 'zod'
import { DateTime, True } from '../http/fields.ts'
import { ListQuery } from '../http/list.ts'
import { route } from '../http/route.ts'
import { auditActions } from './actions.ts'

const State = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullable()

export const AuditItem = z
  .object({
    id: z.string(),
    at: DateTime,
    actor: z.string().describe('name of the operator, or `buyer: NAME` for a download by a buyer'),
    action: z.enum(auditActions),
    target: z.string().describe('id of the changed item, or a country, or the name of an operator'),
    before: State.describe('null when it did not exist before'),
    after: State.describe('null when it was deleted'),
    requestId: z.string(),
    address: z.string().nullable().describe('IP address of the operator'),
  })
  .meta({ id: 'AuditEntry' })

/** The filter of the operator's list of audit entries. */
export const AuditQuery = ListQuery(['at', 'actor', 'action']).extend({
  actor: z.string().min(1).max(320).optional(),
  action: z.enum(auditActions).optional(),
  target: z.string().min(1).max(320).optional(),
})

/** The actions of operators. */
export const auditContract = {
  listAudit: route({
    method: 'GET',
    path: '/api/admin/audit',
    auth: 'admin',
    envelope: 'ok',
    tool: 'admin_list_audit',
    summary: 'List audit entries',
    description: 'Returns the changes by operators, newest first.',
    query: AuditQuery,
    reply: z.object({ ok: True, items: z.array(AuditItem), nextCursor: z.string().nullable() }),
    failures: {},
  }),
}

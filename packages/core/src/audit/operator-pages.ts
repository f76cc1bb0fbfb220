import * as z from 'zod'
import { auditActions } from './actions.ts'
import { AuditItem, AuditQuery } from './contract.ts'
import { html, type Html, messagesOf } from '../ui/html.ts'
import { auditMessages } from '../messages/admin/audit.ts'
import type { AdminSection, CapabilityHandler, List } from '../admin/contract.ts'
import { listSection } from '../ui/operator/list.ts'
import { listTable, message as shared, time } from '../ui/operator/pages.ts'
import type { Column } from '../ui/table.ts'
import { listDetails, describeEntry, type Entry, type TargetNames } from './entry-text.ts'

const message = messagesOf(auditMessages)

/** The page also accepts an e-mail address where the route accepts the ID of the changed item. */
const Query = AuditQuery.extend({ subject: z.string().trim().min(1).max(254).optional() })

export interface AuditSectionDeps {
  readonly list: CapabilityHandler<z.output<typeof Query>, List<Entry>>
  /** Returns the names of the targets of entries. */
  readonly findNames: (entries: readonly Entry[]) => Promise<TargetNames>
  /** The number of days after which entries are deleted. */
  readonly keptDays: number
}

/** Returns the section of the audit log. */
export function auditSection({ list, findNames, keptDays }: AuditSectionDeps): AdminSection {
  return {
    id: 'audit',
    filters: [],
    ...listSection({
      id: 'audit',
      query: Query,
      item: AuditItem,
      load: list,
      hint: message('audit.searchHint'),
      empty: () => message('audit.empty'),
      view: async ({ items }: List<Entry>, { prefix }) => ({
        above: html`<p>${message('audit.intro', { days: keptDays })}</p>`,
        fields: [
          { name: 'subject', label: message('audit.subject') },
          { name: 'actor', label: message('audit.operator') },
          {
            name: 'action',
            label: message('audit.action'),
            options: auditActions.map((name) => [name, message(`audit.action.${name}`)]),
          },
        ],
        columns: auditColumns(prefix, await findNames(items)),
      }),
    }),
    actions: {},
    notices: {},
  }
}

const auditColumns = (prefix: string, names: TargetNames): readonly Column<Entry>[] => [
  [
    message('audit.what'),
    (entry) => html`<span class="sentence">${describeEntry(prefix, entry, names)}</span>`,
    undefined,
    'action',
  ],
  [message('audit.when'), ({ at }) => time(at), undefined, 'at'],
  [message('audit.more'), (entry) => listDetails(entry, names), 'act'],
]

/** Renders the latest audit entries about something: what happened, when, and the details, which are collapsed. */
export function auditTable(
  prefix: string,
  { items, names }: { readonly items: readonly Entry[]; readonly names: TargetNames },
): Html {
  return listTable({
    caption: shared('admin.newestFirst'),
    empty: message('audit.empty'),
    items,
    next: null,
    columns: auditColumns(prefix, names),
  })
}

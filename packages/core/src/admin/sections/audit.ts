import { auditActions, type AuditAction } from '../../audit/actions.ts'
import { Failure } from '../../http/failures.ts'
import { html, type Html, messagesOf, notice } from '../../ui/html.ts'
import { auditMessages } from '../../messages/admin/audit.ts'
import type { AdminSection, Handed, List } from '../contract.ts'
import { listTable, message as shared, nextPage, sectionPath, time } from '../pages.ts'
import { detailsOf, sentenceOf, type Entry, type TargetNames } from './audit-entry.ts'

const message = messagesOf(auditMessages)

export interface AuditSectionDeps {
  readonly list: Handed<
    {
      action: AuditAction | undefined
      actor: string | undefined
      /** An e-mail address, or the ID of what an action changed. */
      subject: string | undefined
      cursor: string | undefined
      limit: number
    },
    List<Entry>
  >
  /** Returns what the targets of entries are called. */
  readonly findNames: (entries: readonly Entry[]) => Promise<TargetNames>
  /** Days after which entries are deleted. */
  readonly keptDays: number
}

/** Returns the section of the audit log. */
export function auditSection({ list, findNames, keptDays }: AuditSectionDeps): AdminSection {
  return {
    id: 'audit',
    filters: [],
    async show({ prefix, query, cursor }) {
      const action = auditActions.find((name) => name === query['action'])
      const actor = query['actor']?.trim().slice(0, 64) || undefined
      const subject = query['subject']?.trim().slice(0, 254) || undefined
      const page = await list({ action, actor, subject, cursor: cursor ?? undefined, limit: 50 }, 0)
      if (page instanceof Failure) return notice('error', shared('admin.notLoaded'))
      const names = await findNames(page.items)
      const next = nextPage(prefix, 'audit', { actor, action, subject }, page.nextCursor)
      const empty = message(actor || action || subject ? 'audit.noMatch' : 'audit.empty')
      return html`<p>${message('audit.intro', { days: keptDays })}</p>
        <form class="search" method="get" action="${prefix}/admin/audit">
          <label for="subject"
            >${message('audit.subject')}
            <input
              id="subject"
              name="subject"
              value="${subject}"
              maxlength="254"
              placeholder="${message('audit.subjectHint')}"
          /></label>
          <label for="actor"
            >${message('audit.operator')} <input id="actor" name="actor" value="${actor}" maxlength="320"
          /></label>
          <label for="action"
            >${message('audit.action')}
            <select id="action" name="action">
              <option value="">${message('audit.all')}</option>
              ${auditActions.map(
                (name) =>
                  html`<option value="${name}" ${name === action ? html` selected` : null}>
                    ${message(`audit.action.${name}`)}
                  </option>`,
              )}
            </select></label
          >
          <p class="actions">
            <button class="second">${shared('admin.filter')}</button>
            ${actor || action || subject ? html`<a href="${prefix}${sectionPath('audit')}">${shared('admin.clearFilter')}</a>` : null}
          </p>
        </form>
        ${auditTable(prefix, { items: page.items, next, names, empty })}`
    },
    actions: {},
    notices: {},
  }
}

/** Renders audit entries, newest first: what happened, when, and the details, which are folded. */
export function auditTable(
  prefix: string,
  {
    items,
    next,
    names,
    empty = message('audit.empty'),
  }: { items: readonly Entry[]; next: string | null; names: TargetNames; empty?: Html },
): Html {
  return listTable({
    caption: shared('admin.newestFirst'),
    empty,
    items,
    next,
    columns: [
      [message('audit.what'), (entry) => html`<span class="sentence">${sentenceOf(prefix, entry, names)}</span>`],
      [message('audit.when'), ({ at }) => time(at)],
      [message('audit.more'), (entry) => detailsOf(entry, names), 'act'],
    ],
  })
}

import { Failure } from '../../http/failures.ts'
import { html, notice } from '../../http/html.ts'
import type { Acted, FormSection, Handed, List } from '../contract.ts'
import { listTable, nextPage, sectionPath, status as tag } from '../pages.ts'
import type { Entry, TargetNames } from './audit-entry.ts'
import { contributorPage, pauseForm, type Contributor, type ContributorView, type LedgerRow } from './contributor.ts'

export interface ContributorsSectionDeps {
  readonly list: Handed<{ q: string | undefined; cursor: string | undefined; limit: number }, List<Contributor>>
  readonly find: Handed<{ userId: string }, ContributorView>
  /** Returns the latest entries of a contributor's ledger. */
  readonly listEntries: Handed<{ userId: string; limit: number }, List<LedgerRow>>
  /** Returns what the targets of entries of the audit are called. */
  readonly findNames: (entries: readonly Entry[]) => Promise<TargetNames>
  readonly pause: Acted<{ userId: string; paused: boolean }, unknown>
}

/** Returns the section of contributors with their status, to pause and resume them. */
export function contributorsSection({
  list,
  find,
  listEntries,
  findNames,
  pause,
}: ContributorsSectionDeps): FormSection<'contributors'> {
  return {
    id: 'contributors',
    filters: [],
    async showItem(userId, { prefix, now }) {
      const [found, entries] = await Promise.all([find({ userId }, now), listEntries({ userId, limit: 50 }, now)])
      if (found instanceof Failure || entries instanceof Failure) return null
      return contributorPage(prefix, found, entries.items, await findNames(found.audit))
    },
    async show({ prefix, query, cursor }) {
      const q = query['q']?.trim().slice(0, 128) || undefined
      const page = await list({ q, cursor: /^\d{1,15}$/.test(cursor ?? '') ? cursor! : undefined, limit: 50 }, 0)
      if (page instanceof Failure) return notice('error', 'Could not load this list.')
      return html`<form class="search" method="get" action="${prefix}/admin/contributors">
          <label for="q"
            >E-mail, company or user ID <input id="q" name="q" type="search" value="${q}" maxlength="128"
          /></label>
          <button class="second">Search</button>
        </form>
        ${listTable({
          caption: q ? `Contributors that match the search, newest first.` : 'All contributors, newest first.',
          empty: q ? 'No contributor matches the search.' : 'No contributors yet.',
          items: page.items,
          next: nextPage(prefix, 'contributors', { q }, page.nextCursor),
          columns: [
            [
              'Contributor',
              ({ companyName, email, userId }) =>
                html`<a href="${prefix}${sectionPath('contributors', userId)}"
                    ><bdi>${companyName ?? email ?? userId}</bdi></a
                  ><small>${companyName ? email : null}</small>`,
            ],
            ['Status', ({ status }) => tag(status)],
            [
              'Terms',
              ({ termsVersion, residencyConfirmed }) =>
                termsVersion === null
                  ? 'Not accepted'
                  : html`<span class="whole">${termsVersion}</span
                      >${residencyConfirmed ? null : html`<small>Residency not confirmed</small>`}`,
            ],
            ['Contact', ({ contactCompleted }) => (contactCompleted ? 'Complete' : 'Missing')],
            [
              'Paused by',
              ({ paused, operatorPaused }) =>
                [operatorPaused ? 'Operator' : '', paused ? 'Contributor' : ''].filter((by) => by !== '').join(', ') ||
                'Not paused',
            ],
            ['Actions', (contributor) => pauseForm(prefix, contributor)],
          ],
        })}`
    },
    actions: {
      async pause({ userId, paused }, audit) {
        const result = await pause({ userId, paused: paused === 'yes' }, audit)
        if (result instanceof Failure) return { done: result.code }
        return { done: paused === 'yes' ? 'paused' : 'resumed' }
      },
    },
    notices: {
      paused: {
        kind: 'done',
        text: () => 'Contributor paused. Their uploads are rejected until you resume them.',
      },
      resumed: { kind: 'done', text: () => 'Contributor resumed.' },
      not_found: { kind: 'error', text: () => 'Contributor not found.' },
    },
  }
}

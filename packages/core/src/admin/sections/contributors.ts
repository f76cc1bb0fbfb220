import { Failure } from '../../http/failures.ts'
import { html, notice } from '../../http/html.ts'
import type { Acted, FormSection, Handed, List } from '../contract.ts'
import { nextPage, status as tag, table } from '../pages.ts'

interface Contributor {
  readonly userId: string
  readonly status: string
  readonly companyName: string | null
  readonly email: string | null
  readonly termsVersion: string | null
  readonly residencyConfirmed: boolean
  readonly contactCompleted: boolean
  readonly paused: boolean
  readonly operatorPaused: boolean
}

export interface ContributorsSectionDeps {
  readonly list: Handed<{ cursor: string | undefined; limit: number }, List<Contributor>>
  readonly pause: Acted<{ userId: string; paused: boolean }, unknown>
}

/** Returns the section of contributors with their status, to pause and resume them. */
export function contributorsSection({ list, pause }: ContributorsSectionDeps): FormSection<'contributors'> {
  return {
    id: 'contributors',
    title: 'Contributors',
    filters: [],
    async show({ prefix, cursor }) {
      const page = await list({ cursor: cursor ?? undefined, limit: 50 }, 0)
      if (page instanceof Failure) return notice('error', 'Could not load this list.')
      return table({
        caption: 'All contributors, newest first.',
        empty: 'No contributors yet.',
        items: page.items,
        next: nextPage(prefix, 'contributors', {}, page.nextCursor),
        columns: [
          [
            'Contributor',
            ({ companyName, email, userId }) =>
              html`<bdi>${companyName ?? email ?? 'No name'}</bdi
                ><small>${companyName ? html`${email}<br />` : null}<code>${userId}</code></small>`,
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
          [
            'Actions',
            ({ userId, operatorPaused, companyName, email }) =>
              html`<form method="post" action="${prefix}/admin/contributors/pause">
                <input type="hidden" name="userId" value="${userId}" /><input
                  type="hidden"
                  name="paused"
                  value="${operatorPaused ? 'no' : 'yes'}"
                />
                <button
                  class="second small"
                  aria-label="${operatorPaused ? 'Resume' : 'Pause'} ${companyName ?? email ?? userId}"
                >
                  ${operatorPaused ? 'Resume' : 'Pause'}
                </button>
              </form>`,
          ],
        ],
      })
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

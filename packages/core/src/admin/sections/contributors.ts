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

export interface PeopleDeps {
  readonly list: Handed<{ cursor: string | undefined; limit: number }, List<Contributor>>
  readonly pause: Acted<{ userId: string; paused: boolean }, unknown>
}

/** Contributors: how each stands, and the operator's pause. */
export function peopleSection({ list, pause }: PeopleDeps): FormSection<'contributors'> {
  return {
    id: 'contributors',
    title: 'Contributors',
    filters: [],
    async show({ prefix, cursor }) {
      const found = await list({ cursor: cursor ?? undefined, limit: 50 }, 0)
      if (found instanceof Failure) return notice('error', 'This list cannot be shown.')
      return table({
        caption: 'Everyone who did anything about contributing, newest first.',
        empty: 'No contributors yet.',
        items: found.items,
        next: nextPage(prefix, 'contributors', null, found.nextCursor),
        columns: [
          [
            'Contributor',
            ({ companyName, email, userId }) =>
              html`<bdi>${companyName ?? email ?? 'no name yet'}</bdi
                ><small>${companyName ? html`${email}<br />` : null}<code>${userId}</code></small>`,
          ],
          ['Status', ({ status }) => tag(status)],
          [
            'Terms',
            ({ termsVersion, residencyConfirmed }) =>
              termsVersion === null
                ? 'not accepted'
                : html`<span class="whole">${termsVersion}</span
                    >${residencyConfirmed ? null : html`<small>residency not confirmed</small>`}`,
          ],
          ['Contact', ({ contactCompleted }) => (contactCompleted ? 'left' : 'none')],
          [
            'Pause',
            ({ paused, operatorPaused }) =>
              [operatorPaused ? 'by the operator' : '', paused ? 'by themselves' : '']
                .filter((by) => by !== '')
                .join(', ') || 'none',
          ],
          [
            'Change',
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
        const answer = await pause({ userId, paused: paused === 'yes' }, audit)
        if (answer instanceof Failure) return { done: answer.code }
        return { done: paused === 'yes' ? 'paused' : 'resumed' }
      },
    },
    notices: {
      paused: {
        kind: 'done',
        text: () => 'The contributor is paused: nothing of theirs is taken in until you resume them.',
      },
      resumed: { kind: 'done', text: () => 'Your pause is lifted.' },
      not_found: { kind: 'error', text: () => 'There is no such person any more.' },
    },
  }
}

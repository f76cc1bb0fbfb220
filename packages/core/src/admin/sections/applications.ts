import { Failure } from '../../http/failures.ts'
import { html, type Html, notice } from '../../http/html.ts'
import type { Acted, FormSection, Handed, List } from '../contract.ts'
import { kept, nextPage, status as tag, table, time } from '../pages.ts'

interface Application {
  readonly id: string
  readonly userId: string
  readonly companyName: string
  readonly incubatorBatch: string | null
  readonly website: string
  readonly directoryUrl: string | null
  readonly email: string
  readonly role: string
  readonly status: 'pending' | 'approved' | 'rejected'
  readonly submittedAt: string
  readonly reviewedAt: string | null
  readonly reviewReason: string | null
}

export interface ApplicationsDeps {
  readonly list: Handed<
    { status: Application['status'] | undefined; cursor: string | undefined; limit: number },
    List<Application>
  >
  readonly review: Acted<{ id: string; decision: 'approve' | 'reject'; reason: string | undefined }, unknown>
}

const statuses = ['pending', 'approved', 'rejected'] as const

/** Applications: approve or reject each, with a reason that the applicant reads. */
export function applicationsSection({ list, review }: ApplicationsDeps): FormSection<'applications'> {
  return {
    id: 'applications',
    title: 'Applications',
    filters: statuses,
    async show({ prefix, filter, cursor, problem }) {
      const found = await list(
        { status: statuses.find((one) => one === filter), cursor: cursor ?? undefined, limit: 50 },
        0,
      )
      if (found instanceof Failure) return notice('error', 'This list cannot be shown.')
      return html`${problem ? notice('error', 'The review was not taken: a reason has 2,000 characters at most.') : null}
      ${table({
        caption: 'Newest first. Times are UTC.',
        empty: 'No applications here.',
        items: found.items,
        next: nextPage(prefix, 'applications', filter, found.nextCursor),
        columns: [
          [
            'Company',
            ({ companyName, incubatorBatch, website, directoryUrl }) =>
              html`<bdi>${companyName}</bdi>${incubatorBatch ? html` (<bdi>${incubatorBatch}</bdi>)` : null}<small
                  >${link(website)}${directoryUrl ? html`<br />${link(directoryUrl)}` : null}</small
                >`,
          ],
          ['Applicant', ({ email, role }) => html`${email}<small>${role}</small>`],
          ['Sent', ({ submittedAt }) => time(submittedAt)],
          ['Status', ({ status }) => tag(status)],
          [
            'Review',
            (item) =>
              item.status === 'pending'
                ? form(prefix, filter, item)
                : html`${time(item.reviewedAt)}${item.reviewReason ? html`<small>${item.reviewReason}</small>` : null}`,
          ],
        ],
      })}`
    },
    actions: {
      async review({ id, decision, reason }, audit) {
        const answer = await review({ id, decision, reason }, audit)
        if (answer instanceof Failure) return { done: answer.code }
        return { done: decision === 'approve' ? 'approved' : 'rejected' }
      },
    },
    notices: {
      approved: { kind: 'done', text: () => 'The application is approved: the contributor may upload now.' },
      rejected: {
        kind: 'done',
        text: () => 'The application is rejected. The applicant sees the reason and may apply again.',
      },
      already_reviewed: {
        kind: 'error',
        text: () => 'Somebody had decided this application already; nothing was changed.',
      },
      not_found: { kind: 'error', text: () => 'There is no such application any more.' },
    },
  }
}

const link = (url: string): Html => html`<a href="${url}" rel="noopener noreferrer nofollow">${url}</a>`

function form(prefix: string, filter: string | null, { id, companyName }: Application): Html {
  return html`<form class="review" method="post" action="${prefix}/admin/applications/review">
    <input type="hidden" name="id" value="${id}" />${kept(filter)}
    <label for="reason-${id}"
      >Reason <span class="optional">(optional)</span
      ><input id="reason-${id}" name="reason" maxlength="2000" autocomplete="off"
    /></label>
    <button name="decision" value="approve" class="small" aria-label="Approve ${companyName}">Approve</button>
    <button name="decision" value="reject" class="danger small" aria-label="Reject ${companyName}">Reject</button>
  </form>`
}

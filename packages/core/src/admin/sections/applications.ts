import { Failure } from '../../http/failures.ts'
import { html, type Html, notice } from '../../http/html.ts'
import type { Acted, FormSection, Handed, List } from '../contract.ts'
import { filterField, nextPage, status as tag, table, time } from '../pages.ts'

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

/** Returns the section of applications, to approve or reject each with a reason that the applicant sees. */
export function applicationsSection({ list, review }: ApplicationsDeps): FormSection<'applications'> {
  return {
    id: 'applications',
    title: 'Applications',
    filters: statuses,
    async show({ prefix, filter, cursor, problem }) {
      const page = await list(
        { status: statuses.find((status) => status === filter), cursor: cursor ?? undefined, limit: 50 },
        0,
      )
      if (page instanceof Failure) return notice('error', 'Could not load this list.')
      return html`${problem ? notice('error', 'The application was not reviewed: a reason can have up to 2,000 characters.') : null}
      ${table({
        caption: 'Newest first. Times are UTC.',
        empty: 'No applications.',
        items: page.items,
        next: nextPage(prefix, 'applications', { filter }, page.nextCursor),
        columns: [
          [
            'Company',
            ({ companyName, incubatorBatch, website, directoryUrl }) =>
              html`<bdi>${companyName}</bdi>${incubatorBatch ? html` (<bdi>${incubatorBatch}</bdi>)` : null}<small
                  >${link(website)}${directoryUrl ? html`<br />${link(directoryUrl)}` : null}</small
                >`,
          ],
          ['Applicant', ({ email, role }) => html`${email}<small>${role}</small>`],
          ['Submitted', ({ submittedAt }) => time(submittedAt)],
          ['Status', ({ status }) => tag(status)],
          [
            'Review',
            (application) =>
              application.status === 'pending'
                ? reviewForm(prefix, filter, application)
                : html`${time(application.reviewedAt)}${application.reviewReason ? html`<small>${application.reviewReason}</small>` : null}`,
          ],
        ],
      })}`
    },
    actions: {
      async review({ id, decision, reason }, audit) {
        const result = await review({ id, decision, reason }, audit)
        if (result instanceof Failure) return { done: result.code }
        return { done: decision === 'approve' ? 'approved' : 'rejected' }
      },
    },
    notices: {
      approved: { kind: 'done', text: () => 'Application approved. The contributor can upload now.' },
      rejected: {
        kind: 'done',
        text: () => 'Application rejected. The applicant sees the reason and can apply again.',
      },
      already_reviewed: {
        kind: 'error',
        text: () => 'This application was already reviewed; nothing was changed.',
      },
      not_found: { kind: 'error', text: () => 'Application not found.' },
    },
  }
}

const link = (url: string): Html => html`<a href="${url}" rel="noopener noreferrer nofollow">${url}</a>`

function reviewForm(prefix: string, filter: string | null, { id, companyName }: Application): Html {
  return html`<form class="review" method="post" action="${prefix}/admin/applications/review">
    <input type="hidden" name="id" value="${id}" />${filterField(filter)}
    <label for="reason-${id}"
      >Reason <span class="optional">(optional)</span
      ><input id="reason-${id}" name="reason" maxlength="2000" autocomplete="off"
    /></label>
    <button name="decision" value="approve" class="small" aria-label="Approve ${companyName}">Approve</button>
    <button name="decision" value="reject" class="danger small" aria-label="Reject ${companyName}">Reject</button>
  </form>`
}

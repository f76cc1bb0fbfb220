import { Failure } from '../../http/failures.ts'
import { html, type Html, notice } from '../../http/html.ts'
import type { Acted, FormSection, Handed, List, Shown } from '../contract.ts'
import {
  addressText,
  contributorLink,
  filterField,
  listTable,
  nextPage,
  noFilter,
  status as tag,
  time,
} from '../pages.ts'

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
    filters: statuses,
    defaultFilter: 'pending',
    waitingFilter: 'pending',
    async show({ prefix, filter, cursor, problem }) {
      const page = await list(
        { status: statuses.find((status) => status === filter), cursor: cursor ?? undefined, limit: 50 },
        0,
      )
      if (page instanceof Failure) return notice('error', 'Could not load this list.')
      return html`${problem ? notice('error', 'The application was not reviewed. Correct the marked field.') : null}
      ${listTable({
        caption: 'Newest first. Times are UTC.',
        empty: filter === 'pending' ? 'No application is waiting for a review.' : 'No applications.',
        items: page.items,
        next: nextPage(prefix, 'applications', { filter: filter ?? noFilter }, page.nextCursor),
        columns: [
          [
            'Company',
            ({ companyName, incubatorBatch, website, directoryUrl }) =>
              html`<bdi>${companyName}</bdi>${incubatorBatch ? html` (<bdi>${incubatorBatch}</bdi>)` : null}<small
                  >${link(website)}${directoryUrl ? html`<br />${link(directoryUrl)}` : null}</small
                >`,
          ],
          [
            'Applicant',
            ({ userId, email, role }) => html`${contributorLink(prefix, userId, email)}<small>${role}</small>`,
          ],
          ['Submitted', ({ submittedAt }) => time(submittedAt)],
          ['Status', ({ status }) => tag(status)],
          [
            'Review',
            (application) =>
              application.status === 'pending'
                ? reviewForm(prefix, filter, application, problem)
                : html`${time(application.reviewedAt)}${application.reviewReason ? html`<small>${application.reviewReason}</small>` : null}`,
          ],
        ],
      })}`
    },
    actions: {
      async review({ id, decision, reason }, audit) {
        if (decision === 'reject' && reason === undefined)
          return {
            done: 'invalid',
            issues: [{ path: ['reason'], code: 'missing', message: 'A rejection needs a reason.' }],
          }
        const result = await review({ id, decision, reason }, audit)
        if (result instanceof Failure) return { done: result.code }
        return { done: decision === 'approve' ? 'approved' : 'rejected' }
      },
    },
    notices: {
      approved: { kind: 'done', text: () => 'Application approved. The contributor can upload now.' },
      rejected: {
        kind: 'done',
        text: () => 'Application rejected. The applicant sees your reason and can apply again.',
      },
      already_reviewed: {
        kind: 'error',
        text: () => 'This application was already reviewed; nothing was changed.',
      },
      not_found: { kind: 'error', text: () => 'Application not found.' },
    },
  }
}

const link = (url: string): Html => html`<a href="${url}" rel="noopener noreferrer nofollow">${addressText(url)}</a>`

function reviewForm(
  prefix: string,
  filter: string | null,
  { id, companyName }: Application,
  problem: Shown['problem'],
): Html {
  const sent = problem?.form.fields['id'] === id ? problem.form : null
  const reason = sent?.fields['reason']
  const error =
    sent && (reason === undefined ? 'Enter a reason. The applicant sees it.' : 'Enter up to 2,000 characters.')
  return html`<form class="review" method="post" action="${prefix}/admin/applications/review">
    <input type="hidden" name="id" value="${id}" />${filterField(filter)}
    <label for="reason-${id}"
      >Reason <span class="optional">(to reject)</span
      ><input
        id="reason-${id}"
        name="reason"
        value="${reason}"
        maxlength="2000"
        autocomplete="off"
        ${error ? html` aria-invalid="true" aria-describedby="reason-${id}-error"` : null}
    /></label>
    ${error ? html`<span class="error" id="reason-${id}-error">${error}</span>` : null}
    <button name="decision" value="approve" class="small" aria-label="Approve ${companyName}">Approve</button>
    <button name="decision" value="reject" class="danger small" aria-label="Reject ${companyName}">Reject</button>
  </form>`
}

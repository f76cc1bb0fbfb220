import { Failure } from '../../http/failures.ts'
import { html, type Html, messagesOf, notice } from '../../http/html.ts'
import { applicationsMessages } from '../../messages/admin/applications.ts'
import type { Acted, FormSection, Handed, List, Shown } from '../contract.ts'
import {
  addressText,
  contributorLink,
  filterField,
  listTable,
  message as shared,
  nextPage,
  noFilter,
  status as tag,
  time,
} from '../pages.ts'

const message = messagesOf(applicationsMessages)

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
      if (page instanceof Failure) return notice('error', shared('admin.notLoaded'))
      return html`${problem ? notice('error', message('applications.notReviewed')) : null}
      ${listTable({
        caption: shared('admin.newestFirst'),
        empty: message(filter === 'pending' ? 'applications.noneWaiting' : 'applications.none'),
        items: page.items,
        next: nextPage(prefix, 'applications', { filter: filter ?? noFilter }, page.nextCursor),
        columns: [
          [
            shared('admin.company'),
            ({ companyName, incubatorBatch, website, directoryUrl }) =>
              html`<bdi>${companyName}</bdi>${incubatorBatch ? html` (<bdi>${incubatorBatch}</bdi>)` : null}<small
                  >${link(website)}${directoryUrl ? html`<br />${link(directoryUrl)}` : null}</small
                >`,
          ],
          [
            shared('admin.applicant'),
            ({ userId, email, role }) => html`${contributorLink(prefix, userId, email)}<small>${role}</small>`,
          ],
          [shared('admin.submitted'), ({ submittedAt }) => time(submittedAt)],
          [shared('admin.status'), ({ status }) => tag(status)],
          [
            message('applications.review'),
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
      approved: { kind: 'done', text: () => message('applications.approved') },
      rejected: {
        kind: 'done',
        text: () => message('applications.rejected'),
      },
      already_reviewed: {
        kind: 'error',
        text: () => message('applications.already'),
      },
      not_found: { kind: 'error', text: () => message('applications.notFound') },
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
  const error = sent && message(reason === undefined ? 'applications.enterReason' : 'applications.tooLong')
  return html`<form class="review" method="post" action="${prefix}/admin/applications/review">
    <input type="hidden" name="id" value="${id}" />${filterField(filter)}
    <label for="reason-${id}"
      >${message('applications.reason')} <span class="optional">${message('applications.toReject')}</span
      ><input
        id="reason-${id}"
        name="reason"
        value="${reason}"
        maxlength="2000"
        autocomplete="off"
        ${error ? html` aria-invalid="true" aria-describedby="reason-${id}-error"` : null}
    /></label>
    ${error ? html`<span class="error" id="reason-${id}-error">${error}</span>` : null}
    <button
      name="decision"
      value="approve"
      class="small"
      aria-label="${message('applications.approveOne', { name: companyName })}"
    >
      ${message('applications.approve')}
    </button>
    <button
      name="decision"
      value="reject"
      class="danger small"
      aria-label="${message('applications.rejectOne', { name: companyName })}"
    >
      ${message('applications.reject')}
    </button>
  </form>`
}

import { Failure } from '../../http/failures.ts'
import { html, type Html, messagesOf } from '../html.ts'
import { applicationsMessages } from '../../messages/admin/applications.ts'
import type { AuditContext } from '../../http/route.ts'
import type { CapabilityAction, Notice, Outcome, SectionListParams } from '../../admin/contract.ts'

const message = messagesOf(applicationsMessages)

export type Review = CapabilityAction<
  { id: string; decision: 'approve' | 'reject'; reason: string | undefined; reconsider: boolean },
  unknown
>

interface ReviewFields {
  readonly id: string
  readonly decision: 'approve' | 'reject'
  readonly reason?: string | undefined
  readonly reconsider?: 'yes' | undefined
}

/** Approves or rejects an application; a rejection needs a reason. */
export async function reviewApplication(
  { id, decision, reason, reconsider }: ReviewFields,
  audit: AuditContext,
  review: Review,
): Promise<Outcome> {
  if (decision === 'reject' && reason === undefined)
    return {
      done: 'invalid',
      issues: [{ path: ['reason'], code: 'missing', message: 'A rejection needs a reason.' }],
    }
  const result = await review(
    { id, decision, reason, reconsider: decision === 'approve' && reconsider === 'yes' },
    audit,
  )
  if (result instanceof Failure) return { done: result.code }
  return { done: decision === 'approve' ? 'approved' : 'rejected', about: id }
}

/** Renders the company of the application that a notice is about, or words for an applicant without a company. */
export const nameOrApplicant = (name: string | null | undefined): Html =>
  name ? html`<bdi>${name}</bdi>` : message('applications.anApplicant')

/** The notices after a review. */
export const reviewNotices: Readonly<Record<'approved' | 'rejected' | 'already_reviewed', Notice>> = {
  approved: { kind: 'done', text: (_, name) => message('applications.approved', { name: nameOrApplicant(name) }) },
  rejected: { kind: 'done', text: (_, name) => message('applications.rejected', { name: nameOrApplicant(name) }) },
  already_reviewed: { kind: 'error', text: () => message('applications.already') },
}

/** Renders the form that approves a rejected application after all. */
export const reconsiderForm = (view: {
  readonly prefix: string
  readonly section: 'applications' | 'contributors'
  readonly hidden: Html
  readonly application: { readonly id: string; readonly companyName: string }
}): Html =>
  html`<form method="post" action="${view.prefix}/admin/${view.section}/review">
    <input type="hidden" name="id" value="${view.application.id}" />${view.hidden}
    <input type="hidden" name="reconsider" value="yes" />
    <button
      name="decision"
      value="approve"
      class="second small"
      aria-label="${message('applications.approveAfterAllOne', { name: view.application.companyName })}"
    >
      ${message('applications.approveAfterAll')}
    </button>
  </form>`

/**
 * Renders the forms that approve or reject an application. `hidden` holds further fields of the section. Approving and
 * rejecting are two forms, so that Enter in the field of the reason does not approve.
 */
export function reviewForm(view: {
  readonly prefix: string
  readonly section: 'applications' | 'contributors'
  readonly hidden: Html
  readonly application: { readonly id: string; readonly companyName: string }
  readonly problem: SectionListParams['problem']
}): Html {
  const { prefix, section, hidden, problem } = view
  const { id, companyName } = view.application
  const sent = problem?.action === 'review' && problem.form.fields['id'] === id ? problem.form : null
  const reason = sent?.fields['reason']
  const error = sent && message(reason === undefined ? 'applications.enterReason' : 'applications.tooLong')
  const form = (content: Html): Html =>
    html`<form class="review" method="post" action="${prefix}/admin/${section}/review">
      <input type="hidden" name="id" value="${id}" />${hidden}${content}
    </form>`
  return html`${form(
      html`<button
        name="decision"
        value="approve"
        class="small"
        aria-label="${message('applications.approveOne', { name: companyName })}"
      >
        ${message('applications.approve')}
      </button>`,
    )}
    <details ${error ? html` open` : null}>
      <summary>${message('applications.rejectAsk')}</summary>
      ${form(
        html`<label for="reason-${id}">${message('applications.reason')}</label>
          <span class="hint" id="reason-${id}-hint">${message('applications.reasonHint')}</span>
          ${error ? html`<span class="error" id="reason-${id}-error">${error}</span>` : null}
          <input
            id="reason-${id}"
            name="reason"
            value="${reason}"
            maxlength="2000"
            autocomplete="off"
            aria-describedby="reason-${id}-hint${error ? ` reason-${id}-error` : null}"
            ${error ? html` aria-invalid="true"` : null}
          />
          <button
            name="decision"
            value="reject"
            class="danger small"
            aria-label="${message('applications.rejectOne', { name: companyName })}"
          >
            ${message('applications.reject')}
          </button>`,
      )}
    </details>`
}

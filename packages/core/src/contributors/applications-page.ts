import type * as z from 'zod'
import { ApplicationsQuery, SubmittedApplication } from './contract.ts'
import type { Applicant } from './store.ts'
import { formError, html, type Html, messagesOf } from '../ui/html.ts'
import { applicationsMessages } from '../messages/admin/applications.ts'
import type { FindName, FormSection, CapabilityHandler, List } from '../admin/contract.ts'
import { listSection } from '../ui/operator/list.ts'
import {
  addressText,
  contributorLink,
  filterField,
  renderUnverifiedAddress,
  message as shared,
  sectionPath,
  status as tag,
  time,
} from '../ui/operator/pages.ts'
import {
  nameOrApplicant,
  reconsiderForm,
  reviewApplication,
  reviewForm,
  reviewNotices,
  type Review,
} from '../ui/operator/review-form.ts'

const message = messagesOf(applicationsMessages)

type Application = z.output<typeof SubmittedApplication>

export interface ApplicationsDeps {
  readonly list: CapabilityHandler<z.output<typeof ApplicationsQuery>, List<Application>>
  readonly review: Review
  readonly findName: FindName
  readonly findApplicants: (applicationIds: readonly string[]) => Promise<readonly Applicant[]>
  readonly sendsMail: boolean
}

const statuses = ['pending', 'approved', 'rejected'] as const

/**
 * Returns the section of applications. An operator approves or rejects each application there, with a reason that the
 * applicant sees.
 */
export function applicationsSection({
  list,
  review,
  findName,
  findApplicants,
  sendsMail,
}: ApplicationsDeps): FormSection<'applications'> {
  return {
    id: 'applications',
    filters: statuses,
    defaultFilter: 'pending',
    waitingFilter: 'pending',
    findName,
    ...listSection({
      id: 'applications',
      query: ApplicationsQuery,
      item: SubmittedApplication,
      load: list,
      filterQuery: (status) => ({ status }),
      hint: message('applications.searchHint'),
      empty: () => message('applications.none'),
      emptyFilters: { pending: message('applications.noneWaiting') },
      async view({ items }: List<Application>, { prefix, filter, problem }) {
        const open = items.filter(({ status }) => status !== 'approved').map(({ id }) => id)
        const found = open.length > 0 ? await findApplicants(open) : []
        const applicants = new Map(found.map((applicant) => [applicant.applicationId, applicant]))
        const refused = problem && items.find(({ id }) => id === problem.form.fields['id'])
        const name = nameOrApplicant(refused?.companyName)
        return {
          above: html`<p>
              ${message('applications.effect', { notified: message(sendsMail ? 'applications.mailed' : 'applications.notMailed') })}
            </p>
            ${problem ? formError(message('applications.notReviewed', { name })) : null}`,
          columns: [
            [
              shared('admin.company'),
              ({ companyName, incubatorBatch, website, directoryUrl }) =>
                html`<bdi>${companyName}</bdi
                  ><small>${message('applications.website', { url: link(website) })}</small>${
                    incubatorBatch &&
                    html`<small>${message('applications.batch', { batch: html`<bdi>${incubatorBatch}</bdi>` })}</small>`
                  }${
                    directoryUrl &&
                    html`<small>${message('applications.directory', { url: link(directoryUrl) })}</small>`
                  }`,
              undefined,
              'companyName',
            ],
            [
              shared('admin.applicant'),
              ({ userId, accountEmail, email, role }) =>
                html`${contributorLink(prefix, userId, accountEmail)}<small>${role}</small>${
                  email === accountEmail ? null : renderUnverifiedAddress(email)
                }`,
            ],
            [shared('admin.submitted'), ({ submittedAt }) => time(submittedAt), undefined, 'submittedAt'],
            [shared('admin.status'), ({ status }) => tag(status)],
            [
              message('applications.review'),
              (application) =>
                application.status === 'pending'
                  ? html`${rejectedBefore(applicants.get(application.id))}${reviewForm({
                      prefix,
                      section: 'applications',
                      hidden: filterField(filter),
                      application,
                      problem,
                    })}`
                  : html`${time(application.reviewedAt)}${
                      application.reviewReason ? html`<small>${application.reviewReason}</small>` : null
                    }${
                      application.status !== 'rejected'
                        ? null
                        : applicants.get(application.id)?.isLatest
                          ? reconsiderForm({
                              prefix,
                              section: 'applications',
                              hidden: filterField(filter),
                              application,
                            })
                          : html`<a href="${prefix}${sectionPath('contributors', application.userId)}"
                              >${message('applications.appliedAgain')}</a
                            >`
                    }`,
              'act',
            ],
          ],
        }
      },
    }),
    actions: {
      review: (fields, audit) => reviewApplication(fields, audit, review),
    },
    notices: {
      ...reviewNotices,
      not_found: { kind: 'error', text: () => message('applications.notFound') },
    },
  }
}

/** Renders a notice that the applicant's previous application was rejected, with the operator's reason, if any. */
function rejectedBefore(applicant: Applicant | undefined): Html | null {
  const reason = applicant?.earlierReason ?? null
  if (reason === null) return null
  const text =
    reason === ''
      ? message('applications.rejectedBeforeWithout')
      : message('applications.rejectedBefore', { reason: html`<bdi>${reason}</bdi>` })
  return html`<small>${text}</small>`
}

const link = (url: string): Html => html`<a href="${url}" rel="noopener noreferrer nofollow">${addressText(url)}</a>`

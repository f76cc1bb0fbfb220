import { formError, html, type Html, messagesOf, money, number, stats } from '../ui/html.ts'
import { sourceText } from '../ui/source-text.ts'
import { adminContributorsMessages } from '../messages/admin/contributors.ts'
import { earningsMessages } from '../messages/earnings.ts'
import { applicationsMessages } from '../messages/admin/applications.ts'
import type { SectionListParams } from '../admin/contract.ts'
import {
  auditLink,
  filterField,
  formatBalances,
  listPath,
  listTable,
  message as shared,
  sectionPath,
  status as tag,
  time,
} from '../ui/operator/pages.ts'
import { groupEntries } from '../ledger/pages.ts'
import { decimalsOf } from '../money.ts'
import { auditTable } from '../audit/operator-pages.ts'
import type { Entry, TargetNames } from '../audit/entry-text.ts'
import type * as z from 'zod'
import type { Contributor as ContributorShape } from './contract.ts'
import { contactRows, detailList, personAddress, type Contact, type DetailRow } from '../ui/operator/contact.ts'
import { nameOrApplicant, reconsiderForm, reviewForm } from '../ui/operator/review-form.ts'

const message = messagesOf(adminContributorsMessages)
const applicationMessage = messagesOf(applicationsMessages)
const earningsMessage = messagesOf(earningsMessages)

type Contributor = z.output<typeof ContributorShape>

/** The content of a contributor's page. */
export interface ContributorView extends Contributor {
  readonly application: {
    readonly id: string
    readonly companyName: string
    readonly incubatorBatch: string | null
    readonly website: string
    readonly directoryUrl: string | null
    readonly email: string
    readonly role: string
    readonly status: string
    readonly submittedAt: string
    readonly reviewedAt: string | null
    readonly reviewReason: string | null
  } | null
  readonly contact: Contact | null
  /** The versions of the terms that were accepted, oldest first. */
  readonly acceptedTerms: readonly { readonly version: string; readonly acceptedAt: string }[]
  readonly machines: readonly {
    readonly kind: string
    readonly label: string
    readonly createdAt: string
    readonly lastUsedAt: string | null
  }[]
  readonly traces: {
    readonly total: number
    readonly forSale: number
    readonly excluded: number
    readonly sold: number
    readonly tokens: number
  }
  readonly copiedTraces: number
  readonly copiedTokens: number
  readonly jobs: readonly {
    readonly id: string
    readonly source: string
    readonly status: string
    readonly traceCount: number
    readonly rejectedCount: number
    readonly errorMessage: string | null
    readonly enqueuedAt: string
  }[]
  readonly earnings: { readonly balanceUsd: number; readonly pendingUsd: number; readonly lifetimeUsd: number }
  readonly audit: readonly Entry[]
}

/** An entry of a contributor's ledger. */
export interface LedgerRow {
  readonly kind: 'sale' | 'impressions' | 'payout' | 'correction'
  readonly usd: number
  readonly at: string
  readonly availableAt: string
  readonly saleId?: string | undefined
  readonly traces?: number | undefined
  readonly deviceId?: string | undefined
  readonly reference?: string | undefined
}

/** An open payout request. */
export interface RequestedPayout {
  readonly usd: number
  readonly requestedAt: string
}

/** Renders the page of a contributor: totals, application, devices, jobs and the changes by operators. */
export function contributorPage(view: {
  readonly prefix: string
  readonly contributor: ContributorView
  readonly entries: readonly LedgerRow[]
  /** The entry of the last pause by an operator. */
  readonly pause: Entry | null
  readonly requested: RequestedPayout | null
  readonly names: TargetNames
  readonly problem: SectionListParams['problem']
  readonly now: number
}): { title: Html | string; body: Html } {
  const { prefix, contributor, entries, pause, requested, names, problem, now } = view
  const rows = groupEntries(entries)
  const decimals = decimalsOf(rows.map(totalOf))
  const { userId, email, companyName, status, traces, copiedTraces, copiedTokens, earnings, machines, jobs, audit } =
    contributor
  const balances = formatBalances(earnings)
  const pending = contributor.application?.status === 'pending' ? contributor.application : null
  const rejected = contributor.application?.status === 'rejected' ? contributor.application : null
  const name = nameOrApplicant(contributor.application?.companyName)
  const refused =
    problem?.action === 'review' ? formError(applicationMessage('applications.notReviewed', { name })) : null
  const application = html`<h2>${message(pending ? 'contributors.pendingApplication' : 'contributors.application')}</h2>
    ${refused} ${applicationDetails(contributor)}
    ${pending ? reviewForm({ prefix, section: 'contributors', hidden: itemField(userId), application: pending, problem }) : null}
    ${rejected ? reconsiderForm({ prefix, section: 'contributors', hidden: itemField(userId), application: rejected }) : null}`
  return {
    title: email ?? companyName ?? message('contributors.untitled'),
    body: html`<p class="facts">
        ${tag(status)} ${contributor.operatorPaused || contributor.paused ? tag('paused') : null}
        ${contributor.operatorPaused ? pausedSince(pause) : null}
        ${contributor.paused ? html`<span>${message('contributors.byContributor')}</span>` : null}
        ${companyName && email ? html`<bdi>${companyName}</bdi>` : null}
        <small>${message('contributors.userId', { id: html`<code>${userId}</code>` })}</small>
      </p>
      <div class="row">
        ${
          balances.available > 0
            ? html`<a class="button second small" href="${prefix}${sectionPath('payouts', userId)}"
                >${shared('admin.recordPayout')}</a
              >`
            : null
        }
        ${pauseForm(prefix, contributor, { item: userId })}
      </div>
      ${
        requested &&
        html`<p>
          ${message('contributors.payoutRequested', {
            amount: money(requested.usd, 2),
            time: time(requested.requestedAt),
            link: html`<a href="${listPath(prefix, 'payouts', { filter: 'requests', q: userId })}"
              >${message('contributors.toPayoutRequest')}</a
            >`,
          })}
        </p>`
      }
      ${pauseEffect(contributor)} ${pending ? application : null}
      ${stats([
        [message('contributors.traces'), number(traces.total)],
        [message('contributors.forSale'), number(traces.forSale), message('contributors.forSaleNote')],
        [message('contributors.excluded'), number(traces.excluded)],
        [message('contributors.sold'), number(traces.sold), message('contributors.soldNote')],
        [message('contributors.copies'), number(copiedTraces), message('contributors.copiesNote')],
        [message('contributors.copiedTokens'), number(copiedTokens)],
      ])}
      ${stats([
        [shared('admin.available'), money(balances.available)],
        [shared('admin.pending'), money(balances.pending)],
        [shared('admin.paidOut'), money(balances.paidOut)],
        [shared('admin.lifetime'), money(balances.total)],
      ])}
      ${pending ? null : application}
      <h2>${message('contributors.details')}</h2>
      ${detailList(contactAndTerms(contributor))}
      <h2>${message('contributors.devices')}</h2>
      ${machines.length === 0 ? null : signOutForm(prefix, userId)}
      ${listTable({
        caption: message('contributors.devicesCaption'),
        empty: message('contributors.noDevices'),
        items: machines,
        next: null,
        columns: [
          [message('contributors.name'), ({ label }) => html`<bdi>${label}</bdi>`],
          [
            message('contributors.kind'),
            ({ kind }) => message(kind === 'machine' ? 'contributors.device' : 'contributors.browser'),
          ],
          [message('contributors.signedIn'), ({ createdAt }) => time(createdAt)],
          [message('contributors.lastUsed'), ({ lastUsedAt }) => time(lastUsedAt) ?? message('contributors.never')],
        ],
      })}
      <h2>${message('contributors.earnings')}</h2>
      <p>
        <a class="button second small" href="${prefix}${sectionPath('payouts', userId)}#correct-usd"
          >${message('contributors.correct')}</a
        >
      </p>
      ${listTable({
        caption: html`${message('contributors.entriesCaption', { count: 50 })}
        ${balances.total === earnings.lifetimeUsd ? null : earningsMessage('earnings.rounded')}`,
        empty: message('contributors.noEntries'),
        items: rows,
        next: null,
        columns: [
          [message('contributors.entry'), ([entry, ...more]) => entryName(entry, more.length + 1, { prefix, now })],
          [message('contributors.amount'), (row) => money(totalOf(row), decimals), 'number'],
          [shared('admin.time'), ([{ at }]) => time(at)],
        ],
      })}
      <h2>${message('contributors.jobs')}</h2>
      ${listTable({
        caption: shared('admin.latestRows', { count: 50 }),
        empty: message('contributors.noJobs'),
        items: jobs,
        next: null,
        columns: [
          [
            message('contributors.job'),
            ({ id, source }) =>
              html`<a href="${prefix}${sectionPath('jobs', id)}">${sourceText(source)}</a
                ><small class="whole">${shared('admin.jobId', { id: html`<code>${id}</code>` })}</small>`,
          ],
          [
            shared('admin.status'),
            (job) => html`${tag(job.status)}${job.errorMessage ? html`<small>${job.errorMessage}</small>` : null}`,
          ],
          [shared('admin.stored'), ({ traceCount }) => number(traceCount), 'number'],
          [shared('admin.rejected'), ({ rejectedCount }) => number(rejectedCount), 'number'],
          [shared('admin.word.sent'), ({ enqueuedAt }) => time(enqueuedAt)],
        ],
      })}
      <h2>${message('contributors.changes')}</h2>
      ${auditTable(prefix, { items: audit, names })} ${auditLink(prefix, userId)}`,
  }
}

/** Says who paused a contributor, and since when. */
const pausedSince = (pause: Entry | null): Html | null =>
  pause &&
  html`<span
    >${message('contributors.pausedSince', { operator: html`<bdi>${pause.actor}</bdi>`, time: time(pause.at) })}</span
  >`

const totalOf = (row: readonly LedgerRow[]): number => row.reduce((sum, { usd }) => sum + usd, 0)

/** Describes a row of the ledger. The row represents `count` entries and shows the newest of them. */
function entryName(
  { kind, saleId, traces, deviceId, reference, availableAt, usd }: LedgerRow,
  count: number,
  { prefix, now }: { readonly prefix: string; readonly now: number },
): Html {
  if (kind === 'sale')
    return html`<a href="${prefix}${sectionPath('sales', saleId)}">${message('contributors.sale')}</a>${
        Date.parse(availableAt) > now
          ? html` <span class="tag quiet">${message('contributors.pendingUntil', { time: time(availableAt) })}</span>`
          : null
      }${traces === undefined ? null : html`<small>${message('contributors.saleTraces', { count: traces })}</small>`}`
  if (kind === 'impressions') {
    const details = count > 1 ? message('contributors.shares', { count }) : html`<bdi>${deviceId}</bdi>`
    return html`${message('contributors.impressions')}<small>${details}</small>`
  }
  const name = kind === 'payout' ? 'payout' : usd < 0 ? 'deduction' : 'correction'
  const text = message(`contributors.${name}`)
  const payouts = listPath(prefix, 'payouts', { filter: 'payouts', q: reference ?? null })
  return html`${kind === 'payout' ? html`<a href="${payouts}">${text}</a>` : text}<small
      ><bdi>${reference}</bdi></small
    >`
}

/** Renders the hidden field that makes the browser return to the page of an item after the form was submitted. */
const itemField = (item: string): Html => html`<input type="hidden" name="item" value="${item}" />`

/** Explains the effect of the button of `pauseForm`, unless the button resumes uploads or there is no button. */
const pauseEffect = ({ status, paused, operatorPaused }: Contributor): Html | null =>
  status === 'approved' && !operatorPaused
    ? html`<p>${message(paused ? 'contributors.blockEffect' : 'contributors.pauseEffect')}</p>`
    : null

/**
 * Renders the form that pauses or resumes a contributor. The browser then returns to the page of the `item`, or to the
 * list with the `filter`.
 */
export function pauseForm(
  prefix: string,
  { userId, status, paused, operatorPaused, email }: Contributor,
  back: { readonly item: string } | { readonly filter: string | null },
): Html | null {
  // A contributor who is not approved cannot upload anyway, so there is nothing to pause.
  if (status !== 'approved' && !operatorPaused) return null
  const verb = operatorPaused ? 'contributors.resume' : paused ? 'contributors.keepPaused' : 'contributors.pause'
  const name = email ?? userId
  return html`<form method="post" action="${prefix}/admin/contributors/pause">
    <input type="hidden" name="userId" value="${userId}" />
    <input type="hidden" name="paused" value="${operatorPaused ? 'no' : 'yes'}" />
    ${'item' in back ? itemField(back.item) : filterField(back.filter)}
    <button class="second small" aria-label="${message(`${verb}One`, { name })}">${message(verb)}</button>
  </form>`
}

function applicationDetails({ application, email }: ContributorView): Html {
  if (!application) return html`<p>${message('contributors.noApplication')}</p>`
  return detailList([
    [shared('admin.company'), html`<bdi>${application.companyName}</bdi>`],
    [message('contributors.batch'), application.incubatorBatch],
    [message('contributors.website'), link(application.website)],
    [message('contributors.directory'), application.directoryUrl && link(application.directoryUrl)],
    [shared('admin.applicant'), personAddress(application.email, email)],
    [message('contributors.role'), html`<bdi>${application.role}</bdi>`],
    [message('contributors.submittedAt'), time(application.submittedAt)],
    [message('contributors.reviewed'), time(application.reviewedAt)],
    [message('contributors.reason'), application.reviewReason && html`<bdi>${application.reviewReason}</bdi>`],
  ])
}

function contactAndTerms({ acceptedTerms, contact, email, residencyConfirmed }: ContributorView): readonly DetailRow[] {
  return [
    ...contactRows(contact, email),
    [
      message('contributors.terms'),
      acceptedTerms.length === 0
        ? message('contributors.notAccepted')
        : html`${acceptedTerms.map(
            ({ version, acceptedAt }) =>
              html`<div>
                ${message('contributors.acceptedTerms', { version: html`<bdi>${version}</bdi>`, time: time(acceptedAt) })}
              </div>`,
          )}`,
    ],
    [
      message('contributors.residency'),
      message(residencyConfirmed ? 'contributors.confirmed' : 'contributors.notConfirmed'),
    ],
  ]
}

const link = (url: string): Html => html`<a href="${url}" rel="noopener noreferrer nofollow">${url}</a>`

/** Renders the button that signs a contributor out of every browser and device. */
const signOutForm = (prefix: string, userId: string): Html =>
  html`<form method="post" action="${prefix}/admin/contributors/sign_out">
    <input type="hidden" name="userId" value="${userId}" />
    <p><button class="danger small">${message('contributors.signOut')}</button></p>
  </form>`

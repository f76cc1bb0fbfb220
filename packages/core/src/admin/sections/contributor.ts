import { counted, grouped } from '../../http/format.ts'
import { html, type Html, stats } from '../../http/html.ts'
import { listTable, sectionPath, status as tag, time } from '../pages.ts'
import { sourceName } from '../../sources.ts'
import { formatUsd } from '../../money.ts'
import { auditTable } from './audit.ts'
import type { Entry, TargetNames } from './audit-entry.ts'

/** A contributor as the list shows one. */
export interface Contributor {
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

/** What the page of a contributor shows. */
export interface ContributorView extends Contributor {
  readonly application: {
    readonly id: string
    readonly companyName: string
    readonly incubatorBatch: string | null
    readonly website: string
    readonly email: string
    readonly role: string
    readonly status: string
    readonly submittedAt: string
    readonly reviewedAt: string | null
    readonly reviewReason: string | null
  } | null
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
  readonly traces?: number | undefined
  readonly deviceId?: string | undefined
  readonly reference?: string | undefined
}

/** Renders the page of a contributor: totals, application, devices, jobs and what operators changed. */
export function contributorPage(
  prefix: string,
  contributor: ContributorView,
  entries: readonly LedgerRow[],
  names: TargetNames,
): { title: string; body: Html } {
  const { userId, email, companyName, status, traces, earnings, machines, jobs, audit } = contributor
  return {
    title: companyName ?? email ?? 'Contributor',
    body: html`<p>
        ${tag(status)} ${contributor.operatorPaused ? tag('paused') : null}
        ${email ? html`<bdi>${email}</bdi> · ` : null}<small>User ID <code>${userId}</code></small>
      </p>
      <div class="row">
        <a class="button second small" href="${prefix}${sectionPath('payouts', userId)}">Record payout</a>
        ${pauseForm(prefix, contributor, userId)}
      </div>
      ${stats([
        ['Traces', grouped(traces.total)],
        ['For sale', grouped(traces.forSale)],
        ['Excluded', grouped(traces.excluded)],
        ['Sold', grouped(traces.sold)],
        ['Available', formatUsd(earnings.balanceUsd)],
        ['Pending', formatUsd(earnings.pendingUsd)],
      ])}
      <h2>Application</h2>
      ${applicationDetails(contributor)}
      <h2>Devices and browsers</h2>
      ${listTable({
        caption: 'Latest first. Times are UTC.',
        empty: 'Not signed in anywhere.',
        items: machines,
        next: null,
        columns: [
          ['Name', ({ label }) => html`<bdi>${label}</bdi>`],
          ['Kind', ({ kind }) => (kind === 'machine' ? 'Device' : 'Browser')],
          ['Signed in', ({ createdAt }) => time(createdAt)],
          ['Last used', ({ lastUsedAt }) => time(lastUsedAt) ?? 'Never'],
        ],
      })}
      <h2>Jobs</h2>
      ${listTable({
        caption: 'The latest 50, newest first. Times are UTC.',
        empty: 'No uploads yet.',
        items: jobs,
        next: null,
        columns: [
          ['Upload', ({ id, source }) => html`${sourceName(source)}<small>Job <code>${id}</code></small>`],
          [
            'Status',
            (job) => html`${tag(job.status)}${job.errorMessage ? html`<small>${job.errorMessage}</small>` : null}`,
          ],
          ['Stored', ({ traceCount }) => traceCount, 'number'],
          ['Rejected', ({ rejectedCount }) => rejectedCount, 'number'],
          ['Submitted', ({ enqueuedAt }) => time(enqueuedAt)],
        ],
      })}
      <h2>Earnings and payouts</h2>
      ${listTable({
        caption: 'The latest 50 entries, newest first. Times are UTC.',
        empty: 'No earnings yet.',
        items: entries,
        next: null,
        columns: [
          ['Entry', entryName],
          ['Amount', ({ usd }) => formatUsd(usd), 'number'],
          ['Time', ({ at }) => time(at)],
        ],
      })}
      <h2>Changes by operators</h2>
      ${auditTable(prefix, { items: audit, next: null, names })}`,
  }
}

function entryName({ kind, traces, deviceId, reference }: LedgerRow): Html {
  if (kind === 'sale')
    return html`Sale${traces === undefined ? null : html`<small>${counted(traces, 'trace')}</small>`}`
  if (kind === 'impressions') return html`Impressions<small><bdi>${deviceId}</bdi></small>`
  return html`${kind === 'payout' ? 'Payout' : 'Correction'}<small><bdi>${reference}</bdi></small>`
}

/**
 * Renders the form that pauses or resumes a contributor. `item`: the page that the browser returns to; none: the list.
 */
export function pauseForm(
  prefix: string,
  { userId, operatorPaused, companyName, email }: Contributor,
  item: string | null = null,
): Html {
  const verb = operatorPaused ? 'Resume' : 'Pause'
  return html`<form method="post" action="${prefix}/admin/contributors/pause">
    <input type="hidden" name="userId" value="${userId}" />
    <input type="hidden" name="paused" value="${operatorPaused ? 'no' : 'yes'}" />
    ${item === null ? null : html`<input type="hidden" name="item" value="${item}" />`}
    <button class="second small" aria-label="${verb} ${companyName ?? email ?? userId}">${verb}</button>
  </form>`
}

function applicationDetails({
  application,
  termsVersion,
  residencyConfirmed,
  contactCompleted,
  paused,
}: ContributorView): Html {
  const rows: readonly (readonly [name: string, value: Html | string | null])[] = [
    ...(application
      ? ([
          ['Company', html`<bdi>${application.companyName}</bdi>`],
          ['Batch', application.incubatorBatch],
          [
            'Website',
            html`<a href="${application.website}" rel="noopener noreferrer nofollow">${application.website}</a>`,
          ],
          ['Applicant', html`${application.email}, ${application.role}`],
          ['Submitted', time(application.submittedAt)],
          ['Reviewed', time(application.reviewedAt)],
          ['Reason', application.reviewReason],
        ] as const)
      : []),
    ['Terms', termsVersion ?? 'Not accepted'],
    ['Residency', residencyConfirmed ? 'Confirmed' : 'Not confirmed'],
    ['Contact', contactCompleted ? 'Complete' : 'Missing'],
    ['Paused by', paused ? 'Contributor' : null],
  ]
  return html`${application ? null : html`<p>No application yet.</p>`}
    <dl>
      ${rows
        .filter(([, value]) => value)
        .map(
          ([name, value]) =>
            html`<dt>${name}</dt>
              <dd>${value}</dd>`,
        )}
    </dl>`
}

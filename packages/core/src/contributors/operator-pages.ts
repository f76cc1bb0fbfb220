import type { AuditContext } from '../audit/store.ts'
import type * as z from 'zod'
import { Failure } from '../http/failures.ts'
import { html, type Html, messagesOf, number } from '../ui/html.ts'
import { adminContributorsMessages } from '../messages/admin/contributors.ts'
import type { CapabilityAction, FindName, FormSection, CapabilityHandler, ItemPage, List } from '../admin/contract.ts'
import {
  Contributor as ContributorShape,
  contributorFilters,
  ContributorsQuery,
  Copier,
  CopiersQuery,
} from './contract.ts'
import { listSection } from '../ui/operator/list.ts'
import {
  contributorLink,
  message as shared,
  questionPage,
  sectionPath,
  status as tag,
  time,
} from '../ui/operator/pages.ts'
import type { Entry, TargetNames } from '../audit/entry-text.ts'
import {
  contributorPage,
  pauseForm,
  type ContributorView,
  type LedgerRow,
  type RequestedPayout,
} from './contributor-page.ts'
import { reviewApplication, reviewNotices, type Review } from '../ui/operator/review-form.ts'

const message = messagesOf(adminContributorsMessages)

type Contributor = z.output<typeof ContributorShape>

export interface ContributorsSectionDeps {
  readonly prefix: string
  readonly list: CapabilityHandler<z.output<typeof ContributorsQuery>, List<Contributor>>
  readonly find: CapabilityHandler<{ userId: string }, ContributorView>
  readonly listCopiers: CapabilityHandler<z.output<typeof CopiersQuery>, List<z.output<typeof Copier>>>
  /** Returns the latest entries of a contributor's ledger. */
  readonly listEntries: CapabilityHandler<{ userId: string; limit: number }, List<LedgerRow>>
  /** Returns the names of the targets of audit entries. */
  readonly findNames: (entries: readonly Entry[]) => Promise<TargetNames>
  readonly review: Review
  readonly findName: FindName
  readonly pause: CapabilityAction<{ userId: string; paused: boolean }, unknown>
  /** Returns the entry of the last pause of a contributor by an operator, or null. */
  readonly findPause: (userId: string) => Promise<Entry | null>
  /** Returns the open payout request of a contributor, or null. */
  readonly findPayoutRequest: (userId: string) => Promise<RequestedPayout | null>
  readonly signOut: (userId: string, audit: AuditContext) => Promise<number>
}

/**
 * Returns the section of contributors with their status. Operators review applications there, and pause and resume
 * contributors.
 */
export function contributorsSection(deps: ContributorsSectionDeps): FormSection<'contributors'> {
  const { list, find, listCopiers, listEntries, findNames, review, findName, pause: pauseContributor } = deps
  const section = listSection({
    id: 'contributors',
    query: ContributorsQuery,
    item: ContributorShape,
    load: list,
    filterQuery: (status) => ({ status }),
    hint: message('contributors.searchFor'),
    empty: () => message('contributors.none'),
    view: (_: List<Contributor>, { prefix, filter }) => ({
      above: html`${others(prefix)}
        <p>${message('contributors.pauseEffect')} ${message('contributors.blockEffect')}</p>`,
      columns: [
        [
          shared('admin.contributor'),
          ({ companyName, email, userId }) =>
            html`${contributorLink(prefix, userId, email)}${companyName ? html`<small><bdi>${companyName}</bdi></small>` : null}`,
          undefined,
          'email',
        ],
        [message('contributors.signedUpAt'), ({ signedUpAt }) => time(signedUpAt), undefined, 'signedUpAt'],
        [
          shared('admin.status'),
          ({ status, paused, operatorPaused }) => html`${tag(status)} ${pausedTag(operatorPaused, paused)}`,
        ],
        [
          message('contributors.termsVersion'),
          ({ termsVersion, residencyConfirmed }) =>
            termsVersion === null
              ? message('contributors.notAccepted')
              : html`<span class="whole">${termsVersion}</span
                  >${residencyConfirmed ? null : html`<small>${message('contributors.residencyMissing')}</small>`}`,
        ],
        [
          message('contributors.contact'),
          ({ contactCompleted }) => message(contactCompleted ? 'contributors.complete' : 'contributors.notGiven'),
        ],
        [
          shared('admin.actions'),
          (contributor) => html`${reviewLink(prefix, contributor)} ${pauseForm(prefix, contributor, { filter })}`,
          'act',
        ],
      ],
    }),
  })
  const copiers = listSection({
    id: 'contributors',
    query: CopiersQuery,
    item: Copier,
    load: listCopiers,
    hint: message('contributors.searchCopiers'),
    empty: () => message('contributors.noCopiers'),
    view: (_: List<z.output<typeof Copier>>, { prefix }) => ({
      above: html`${others(prefix)}
        <p>${message('contributors.copiers')}</p>`,
      columns: [
        [
          shared('admin.contributor'),
          ({ email, userId }) => contributorLink(prefix, userId, email),
          undefined,
          'signedUpAt',
        ],
        [message('contributors.traces'), ({ traces }) => number(traces), 'number'],
        [message('contributors.copies'), ({ copiedTraces }) => number(copiedTraces), 'number'],
      ],
    }),
  })
  const listOf = (filter: string | null) => (filter === 'copies' ? copiers : section)
  const askToSignOut = async (userId: string): Promise<ItemPage> =>
    questionPage({
      title: message('contributors.signOutAsk', { name: nameOf(await findName(userId)) }),
      effect: html`<p>${message('contributors.signOutEffect')}</p>`,
      action: `${deps.prefix}/admin/contributors/sign_out`,
      fields: { userId, item: userId, confirmed: 'yes' },
      button: message('contributors.signOutConfirm'),
      back: `${deps.prefix}${sectionPath('contributors', userId)}`,
    })
  return {
    id: 'contributors',
    filters: [...contributorFilters, 'copies'],
    findName,
    async showItem(userId, { prefix, now, problem }) {
      const [found, entries, pause, requested] = await Promise.all([
        find({ userId }, now),
        listEntries({ userId, limit: 50 }, now),
        deps.findPause(userId),
        deps.findPayoutRequest(userId),
      ])
      if (found instanceof Failure || entries instanceof Failure) return null
      return contributorPage({
        prefix,
        contributor: found,
        entries: entries.items,
        pause,
        requested,
        names: await findNames(found.audit),
        problem,
        now,
      })
    },
    csv: {
      fieldsOf: (asked) => listOf(asked.filter).csv.fieldsOf(asked),
      load: (asked, cursor) => listOf(asked.filter).csv.load(asked, cursor),
    },
    show: (shown) => listOf(shown.filter).show(shown),
    actions: {
      async sign_out({ userId, confirmed }, audit) {
        if (confirmed === undefined) return { done: 'question', page: await askToSignOut(userId) }
        return { done: 'signed_out', counts: [await deps.signOut(userId, audit)], item: userId }
      },
      review: (fields, audit) => reviewApplication(fields, audit, review),
      async pause({ userId, paused }, audit) {
        const result = await pauseContributor({ userId, paused: paused === 'yes' }, audit)
        if (result instanceof Failure) return { done: result.code }
        return { done: paused === 'yes' ? 'paused' : 'resumed', about: userId }
      },
    },
    notices: {
      ...reviewNotices,
      signed_out: { kind: 'done', text: ([count = 0]) => message('contributors.signedOut', { count }) },
      paused: { kind: 'done', text: (_, name) => message('contributors.paused', { name: nameOf(name) }) },
      resumed: { kind: 'done', text: (_, name) => message('contributors.resumed', { name: nameOf(name) }) },
      not_found: { kind: 'error', text: () => message('contributors.notFound') },
    },
  }
}

/** Renders a note that the waitlist section shows the people who wait for uploads to open in their country. */
const others = (prefix: string): Html => {
  const waitlist = html`<a href="${prefix}${sectionPath('waitlist')}">${message('contributors.waitlist')}</a>`
  return html`<p>${message('contributors.others', { waitlist })}</p>`
}

/** Renders the link to the review page of a contributor's application, or null if the application was reviewed. */
const reviewLink = (prefix: string, { userId, status, companyName, email }: Contributor): Html | null =>
  status === 'pending'
    ? html`<a
        class="button second small"
        href="${prefix}${sectionPath('contributors', userId)}"
        aria-label="${message('contributors.toReviewOne', { name: companyName ?? email ?? userId })}"
        >${message('contributors.toReview')}</a
      >`
    : null

const nameOf = (name: string | null): Html => (name ? html`<bdi>${name}</bdi>` : message('contributors.untitled'))

/**
 * Renders a tag that says that the uploads of a contributor are paused, and by whom. Returns null when the uploads are
 * not paused.
 */
function pausedTag(byOperator: boolean, byContributor: boolean): Html | null {
  if (!byOperator && !byContributor) return null
  const who = byOperator && byContributor ? 'byBoth' : byOperator ? 'byOperator' : 'byContributor'
  return html`${tag('paused')} <small>${message(`contributors.${who}`)}</small>`
}

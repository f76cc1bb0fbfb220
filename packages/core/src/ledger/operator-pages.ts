import type * as z from 'zod'
import { BalancesQuery, PayoutItem, PayoutsQuery, PersonBalance, RequestItem, RequestsQuery } from './contract.ts'
import { fail, Failure, type Issue } from '../http/failures.ts'
import { formError, html, type Html, mailLink, messagesOf, money, stats } from '../ui/html.ts'
import { payoutsMessages } from '../messages/admin/payouts.ts'
import { toDollars, toMicros } from '../money.ts'
import { contactRows, detailList } from '../ui/operator/contact.ts'
import type {
  CapabilityAction,
  CreatingAction,
  FormSection,
  CapabilityHandler,
  ItemPage,
  List,
  Outcome,
  SectionListParams,
} from '../admin/contract.ts'
import { listSection, type SearchField } from '../ui/operator/list.ts'
import type { Column } from '../ui/table.ts'
import {
  contributorLink,
  listPath,
  listTable,
  message as shared,
  renderOrDash,
  sectionPath,
  formatBalances,
  status as tag,
  time,
  translateValue,
} from '../ui/operator/pages.ts'
import {
  askPage,
  correctionForm,
  errorList,
  isOverdrawn,
  renderListForms,
  payoutForm,
  suggestAmount,
  type Payee,
} from './payout-form.ts'

const message = messagesOf(payoutsMessages)

type Balance = z.output<typeof PersonBalance>

/** A payout that was recorded. `userId` is null if the account was erased. */
type Payout = z.output<typeof PayoutItem>

type PayoutRequest = z.output<typeof RequestItem>

type OpenRequest = Pick<PayoutRequest, 'usd' | 'requestedAt'>

export interface PayoutsDeps {
  readonly prefix: string
  readonly list: CapabilityHandler<z.output<typeof BalancesQuery>, List<Balance>>
  readonly find: CapabilityHandler<{ userId: string }, Payee>
  /** Whether the service sends mails, including mails about payouts. */
  readonly sendsMail: boolean
  /** The number of whole days until a share of a sale is available. */
  readonly settleDays: number
  readonly listPayouts: CapabilityHandler<z.output<typeof PayoutsQuery>, List<Payout>>
  /** Returns the user whose verified address was entered, or null. */
  readonly findByAddress: (entered: string) => Promise<string | null>
  /** Returns the last payout to a contributor, or null. */
  readonly findLastPayout: (userId: string) => Promise<Payout | null>
  readonly listRequests: CapabilityHandler<z.output<typeof RequestsQuery>, List<PayoutRequest>>
  /** Returns the open payout request of a contributor, or null. */
  readonly findRequest: (userId: string) => Promise<OpenRequest | null>
  readonly reject: CapabilityAction<{ id: string; reason: string }, unknown>
  readonly pay: CreatingAction<{ userId: string; usd: number; reference: string }, unknown>
  readonly correct: CreatingAction<{ userId: string; usd: number; reason: string }, unknown>
}

/** The number of open requests on one page. */
const shownRequests = 100

/** The form field at which each failure is shown. */
const fieldOf: Readonly<Record<string, string>> = {
  not_found: 'userId',
  insufficient_balance: 'usd',
  reference_used: 'reference',
  contributor_not_approved: 'userId',
}

/** Returns the section of payouts: the balances, and the forms that record a payout or a correction. */
export function payoutsSection(deps: PayoutsDeps): FormSection<'payouts'> {
  const { prefix, find, sendsMail, settleDays } = deps
  const mailed = sendsMail ? message('payouts.recordedMail') : null

  const refuse = (code: string): Outcome => {
    const issue: Issue = { path: [fieldOf[code] ?? 'userId'], code, message: code }
    return { done: 'refused', issues: [issue] }
  }

  /** Returns the contributor whose user ID or verified address was entered, or null. */
  async function findPayee(entered: string, now: number): Promise<Payee | null> {
    const found = await find({ userId: entered }, now)
    if (!(found instanceof Failure)) return found
    const userId = entered.includes('@') ? await deps.findByAddress(entered) : null
    const ofAddress = userId === null ? null : await find({ userId }, now)
    return ofAddress instanceof Failure ? null : ofAddress
  }

  /**
   * Asks to confirm a payout or a correction and its contributor, and runs the action when the confirmation page is
   * submitted. A refusal becomes an issue of the field.
   */
  async function confirmFirst(
    entered: { readonly userId: string; readonly confirmed?: string | undefined },
    now: number,
    steps: {
      readonly check: (payee: Payee) => string | null
      readonly ask: (payee: Payee) => ItemPage
      readonly run: (userId: string) => Promise<unknown>
      readonly done: Outcome
    },
  ): Promise<Outcome> {
    const payee = await findPayee(entered.userId, now)
    if (!payee) return refuse('not_found')
    if (entered.userId !== payee.userId || entered.confirmed !== payee.userId) {
      const code = steps.check(payee)
      return code === null ? { done: 'question', page: steps.ask(payee) } : refuse(code)
    }
    const result = await steps.run(payee.userId)
    if (result instanceof Failure)
      return result.code === 'overdraw' ? { done: 'question', page: steps.ask(payee) } : refuse(result.code)
    return steps.done
  }

  /** Returns the contributor who was entered in a refused payout form, or null. */
  async function enteredPayee({ problem, now }: SectionListParams): Promise<Payee | null> {
    const entered = problem?.action === 'record' ? problem.form.fields['userId'] : undefined
    return typeof entered === 'string' && entered !== '' ? findPayee(entered, now) : null
  }

  const payouts = listSection({
    id: 'payouts',
    query: PayoutsQuery,
    item: PayoutItem,
    load: deps.listPayouts,
    hint: message('payouts.payoutHint'),
    empty: () => message('payouts.noPayouts'),
    view: () => ({ columns: payoutColumns(prefix) }),
  })
  const balances = listSection({
    id: 'payouts',
    query: BalancesQuery,
    item: PersonBalance,
    load: deps.list,
    hasDays: false,
    hint: message('payouts.balanceHint'),
    empty: () => message('payouts.none'),
    async view(page: List<Balance>, shown) {
      const first = { status: 'open', limit: shownRequests }
      const { data: asked = RequestsQuery.parse(first) } = RequestsQuery.safeParse({
        ...first,
        cursor: shown.query['requests'],
      })
      const [requests, entered] = await Promise.all([deps.listRequests(asked, shown.now), enteredPayee(shown)])
      const isWhole = shown.cursor === null && shown.query['q'] === undefined && page.nextCursor === null
      return {
        above: html`${requests instanceof Failure ? null : requestTable(shown, requests, sendsMail)}
          <h2>${message('payouts.balances')}</h2>
          <p>
            ${settleDays > 0 ? message('payouts.pendingText', { count: settleDays }) : null}
            ${message('payouts.availableText')} ${message('payouts.unpaidText')}
            ${isWhole ? totalText(page.items) : null} ${message('payouts.closesRequest')}
          </p>`,
        columns: balanceColumns(prefix),
        below: renderListForms(shown, entered, sendsMail, isWhole),
      }
    },
  })
  const requests = listSection({
    id: 'payouts',
    query: RequestsQuery,
    item: RequestItem,
    load: deps.listRequests,
    hint: message('payouts.requestHint'),
    empty: () => message('payouts.noRequests'),
    view: () => ({ fields: [requestStatus], columns: requestColumns(prefix) }),
  })
  const listOf = (filter: string | null) =>
    filter === 'payouts' ? payouts : filter === 'requests' ? requests : balances
  return {
    id: 'payouts',
    filters: ['balances', 'requests', 'payouts'],
    needsFilter: true,
    defaultFilter: 'balances',
    show: (shown) => listOf(shown.filter).show(shown),
    csv: {
      fieldsOf: (asked) => listOf(asked.filter).csv.fieldsOf(asked),
      load: (asked, cursor) => listOf(asked.filter).csv.load(asked, cursor),
    },
    async showItem(userId, shown) {
      const found = await find({ userId }, shown.now)
      if (found instanceof Failure) return null
      const { available, pending, paidOut, total } = formatBalances(found.earnings)
      const [last, request] = await Promise.all([deps.findLastPayout(userId), deps.findRequest(userId)])
      const payees = { page: found, entered: found }
      const usd = Math.min(request?.usd ?? available, available)
      return {
        title: message('payouts.recordOne'),
        body: html`<p class="facts">
            <span>${found.email === null ? null : message('payouts.toAddress', { email: mailLink(found.email) })}</span>
          </p>
          ${errorList(shown, payees, 'record')}
          ${payoutForm(shown, payees, sendsMail, { usd: suggestAmount(usd), usdHint: request ? requestText(request) : undefined })}
          ${last && lastPayout(last)}
          ${stats([
            [shared('admin.available'), money(available)],
            [shared('admin.pending'), money(pending)],
            [shared('admin.paidOut'), money(paidOut)],
            [shared('admin.lifetime'), money(total)],
          ])}
          ${correctionForm(shown, payees)}
          <h2>${message('payouts.contact')}</h2>
          ${detailList(contactRows(found.contact, found.email))}
          <p>
            <a href="${shown.prefix}${sectionPath('contributors', userId)}">${message('payouts.openContributor')}</a>
          </p>`,
      }
    },
    actions: {
      async reject(fields, audit) {
        const result = await deps.reject(fields, audit)
        return { done: result instanceof Failure ? result.code : 'rejected' }
      },
      record: ({ usd, reference, idempotencyKey: key, ...entered }, audit, effectId) =>
        confirmFirst(entered, audit.at, {
          check: ({ earnings }) =>
            toMicros(Number(usd)) > toMicros(earnings.balanceUsd) ? 'insufficient_balance' : null,
          ask: (payee) => askPage(prefix, payee, { action: 'record', usd, text: reference, key: key ?? effectId }),
          run: (userId) => deps.pay({ userId, usd: Number(usd), reference }, audit, effectId),
          done: { done: 'recorded', counts: countsOf(usd) },
        }),
      correct: ({ usd, reason, overdraw, idempotencyKey: key, ...entered }, audit, effectId) =>
        confirmFirst(entered, audit.at, {
          check: () => null,
          ask: (payee) => askPage(prefix, payee, { action: 'correct', usd, text: reason, key: key ?? effectId }),
          async run(userId) {
            const found = await find({ userId }, audit.at)
            if (found instanceof Failure) return found
            if (overdraw === undefined && isOverdrawn(found, usd)) return fail('overdraw')
            return deps.correct({ userId, usd: Number(usd), reason }, audit, effectId)
          },
          done: { done: Number(usd) < 0 ? 'taken_off' : 'added', counts: countsOf(usd) },
        }),
    },
    notices: {
      rejected: { kind: 'done', text: () => html`${message('payouts.requestRejected')} ${mailed}` },
      already_decided: { kind: 'error', text: () => message('payouts.requestDecided') },
      not_found: { kind: 'error', text: () => message('payouts.requestGone') },
      recorded: {
        kind: 'done',
        text: (counts) => html`${message('payouts.recorded', { amount: amountOf(counts) })} ${mailed}`,
      },
      added: { kind: 'done', text: (counts) => message('payouts.added', { amount: amountOf(counts) }) },
      taken_off: { kind: 'done', text: (counts) => message('payouts.takenOff', { amount: amountOf(counts) }) },
    },
  }
}

/** Renders the open requests, each with a link to its payout and a form that rejects it. */
function requestTable(
  { prefix, problem, query }: SectionListParams,
  { items, nextCursor }: List<PayoutRequest>,
  sendsMail: boolean,
): Html | null {
  const isFirst = query['requests'] === undefined
  if (isFirst && items.length === 0) return null
  const sent = problem?.action === 'reject' ? problem.form.fields : null
  return html`<h2>${message('payouts.requests')}</h2>
    <p>${message('payouts.requestsText')}</p>
    ${sent ? formError(message('payouts.error.rejection')) : null}
    ${listTable({
      caption: shared('admin.newestFirst'),
      empty: '',
      items,
      first: isFirst ? null : listPath(prefix, 'payouts', {}),
      next: nextCursor === null ? null : listPath(prefix, 'payouts', { requests: nextCursor }),
      columns: [
        [shared('admin.contributor'), ({ email, userId }) => contributorLink(prefix, userId, email)],
        [message('payouts.amount'), ({ usd }) => money(usd), 'number'],
        [message('payouts.requestedAt'), ({ requestedAt }) => time(requestedAt)],
        [
          shared('admin.actions'),
          ({ id, userId, email }) =>
            html`<a
                class="button second small"
                href="${prefix}${sectionPath('payouts', userId)}"
                aria-label="${shared('admin.recordPayoutTo', { name: email ?? userId })}"
                >${shared('admin.recordPayout')}</a
              >
              <details ${sent?.['id'] === id ? html` open` : null}>
                <summary>${message('payouts.rejectAsk')}</summary>
                <form class="review" method="post" action="${prefix}/admin/payouts/reject">
                  <input type="hidden" name="id" value="${id}" />
                  <label for="reason-${id}">${message('payouts.reason')}</label>
                  <span class="hint" id="hint-${id}"
                    >${message(sendsMail ? 'payouts.reasonMailed' : 'payouts.reasonSeen')}</span
                  >
                  <input
                    id="reason-${id}"
                    name="reason"
                    maxlength="500"
                    autocomplete="off"
                    required
                    aria-describedby="hint-${id}"
                  />
                  <button class="danger small" aria-label="${message('payouts.rejectOne', { name: email ?? userId })}">
                    ${message('payouts.reject')}
                  </button>
                </form>
              </details>`,
          'act',
        ],
      ],
    })}`
}

/** Returns an amount without its sign as the counts of a notice: whole dollars and micro-dollars. */
function countsOf(usd: string): readonly number[] {
  const micros = Math.abs(toMicros(Number(usd)))
  return [Math.floor(micros / 1_000_000), micros % 1_000_000]
}

const amountOf = ([dollars = 0, micros = 0]: readonly number[]): Html => money(dollars + toDollars(micros))

/** Names the requested amount and the time of the request. */
const requestText = ({ usd, requestedAt }: OpenRequest): Html =>
  message('payouts.requested', { amount: html`<strong>${money(usd)}</strong>`, time: time(requestedAt) })

const lastPayout = ({ usd, at, reference }: Payout): Html =>
  html`<p>
    ${message('payouts.last', {
      amount: money(usd),
      time: time(at),
      reference: html`<bdi>${reference}</bdi>`,
    })}
  </p>`

const payoutColumns = (prefix: string): readonly Column<Payout>[] => [
  [
    shared('admin.contributor'),
    ({ email, userId }) => (userId === null ? message('payouts.erased') : contributorLink(prefix, userId, email)),
  ],
  [message('payouts.amount'), ({ usd }) => money(usd), 'number', 'usd'],
  [message('payouts.reference'), ({ reference }) => html`<bdi>${reference}</bdi>`],
  [shared('admin.time'), ({ at }) => time(at), undefined, 'at'],
]

const requestStatus: SearchField = {
  name: 'status',
  label: shared('admin.status'),
  options: (['open', 'paid', 'rejected'] as const).map((one) => [one, translateValue(one)] as const),
}

const requestColumns = (prefix: string): readonly Column<PayoutRequest>[] => [
  [shared('admin.contributor'), ({ email, userId }) => contributorLink(prefix, userId, email)],
  [message('payouts.amount'), ({ usd }) => money(usd), 'number'],
  [message('payouts.requestedAt'), ({ requestedAt }) => time(requestedAt), undefined, 'requestedAt'],
  [
    shared('admin.status'),
    ({ status, reason }) => html`${tag(status)} ${reason === null ? null : html`<small><bdi>${reason}</bdi></small>`}`,
  ],
  [message('payouts.decidedAt'), ({ decidedAt }) => renderOrDash(decidedAt && time(decidedAt))],
]

/** Says how much can be paid out to all of these contributors together. */
const totalText = (balances: readonly Balance[]): Html =>
  message('payouts.total', {
    amount: html`<strong
      >${money(balances.reduce((sum, balance) => sum + Math.max(0, formatBalances(balance).available), 0))}</strong
    >`,
  })

const balanceColumns = (prefix: string): readonly Column<Balance>[] => [
  [shared('admin.contributor'), ({ email, userId }) => contributorLink(prefix, userId, email), undefined, 'signedUpAt'],
  [message('payouts.unpaid'), (balance) => money(formatBalances(balance).unpaid), 'number', 'unpaidUsd'],
  [shared('admin.available'), (balance) => money(formatBalances(balance).available), 'number'],
  [shared('admin.pending'), (balance) => money(formatBalances(balance).pending), 'number'],
  [shared('admin.paidOut'), (balance) => money(formatBalances(balance).paidOut), 'number'],
  [shared('admin.lifetime'), (balance) => money(formatBalances(balance).total), 'number', 'lifetimeUsd'],
  [
    shared('admin.actions'),
    ({ userId, email, balanceUsd }) =>
      balanceUsd > 0
        ? html`<a
            class="button second small"
            href="${prefix}${sectionPath('payouts', userId)}"
            aria-label="${shared('admin.recordPayoutTo', { name: email ?? userId })}"
            >${shared('admin.recordPayout')}</a
          >`
        : null,
    'act',
  ],
]

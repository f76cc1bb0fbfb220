import type * as z from 'zod'
import { BalancesQuery, PayoutItem, PayoutsQuery, PersonBalance } from '../../ledger/contract.ts'
import { fail, Failure, type Issue } from '../../http/failures.ts'
import {
  field,
  fieldErrors,
  formError,
  html,
  type Html,
  mailLink,
  messagesOf,
  money,
  notice,
  stats,
} from '../../ui/html.ts'
import { payoutsMessages } from '../../messages/admin/payouts.ts'
import { toDollars, toMicros } from '../../money.ts'
import { contactRows, detailList, type Contact } from './contact.ts'
import type { Acted, Created, FormSection, Handed, ItemPage, List, Outcome, Shown } from '../contract.ts'
import { listSection } from '../list.ts'
import type { Column } from '../../ui/table.ts'
import {
  addressText,
  confirmationBox,
  contributorLink,
  idempotencyField,
  listTable,
  message as shared,
  sectionPath,
  shownBalances,
  time,
} from '../pages.ts'

const message = messagesOf(payoutsMessages)

interface Balance {
  readonly userId: string
  readonly email: string | null
  readonly balanceUsd: number
  readonly pendingUsd: number
  readonly lifetimeUsd: number
}

/** A payout that was recorded. `userId` is null if the account was erased. */
interface Payout {
  readonly userId: string | null
  readonly email: string | null
  readonly usd: number
  readonly at: string
  readonly reference: string
}

/** A request of a payout that is open. */
interface OpenRequest {
  readonly id: string
  readonly userId: string
  readonly email: string | null
  readonly usd: number
  readonly requestedAt: string
}

type Request = Pick<OpenRequest, 'usd' | 'requestedAt'>

/** The person who receives a payout. */
interface Payee {
  readonly userId: string
  readonly email: string | null
  readonly contact: Contact | null
  readonly earnings: Omit<Balance, 'userId' | 'email'>
}

export interface PayoutsDeps {
  readonly prefix: string
  readonly list: Handed<z.output<typeof BalancesQuery>, List<Balance>>
  readonly find: Handed<{ userId: string }, Payee>
  /** Whether the service sends mails, about payouts too. */
  readonly sendsMail: boolean
  /** Whole days until a share of a sale is available. */
  readonly settleDays: number
  readonly listPayouts: Handed<z.output<typeof PayoutsQuery>, List<Payout>>
  /** Returns the user whose verified address was entered, or null. */
  readonly findByAddress: (entered: string) => Promise<string | null>
  /** Returns the last payout to a contributor, or null. */
  readonly findLastPayout: (userId: string) => Promise<Payout | null>
  /** Returns the open requests of payouts, newest first. */
  readonly listRequests: () => Promise<readonly OpenRequest[]>
  /** Returns the open request of a contributor, or null. */
  readonly findRequest: (userId: string) => Promise<Request | null>
  readonly reject: Acted<{ id: string; reason: string }, unknown>
  readonly pay: Created<{ userId: string; usd: number; reference: string }, unknown>
  readonly correct: Created<{ userId: string; usd: number; reason: string }, unknown>
}

/** The field to which each failure belongs. */
const fieldOf: Readonly<Record<string, string>> = {
  not_found: 'userId',
  insufficient_balance: 'usd',
  reference_used: 'reference',
  contributor_not_approved: 'userId',
}

/** Returns whether a correction makes a balance negative. */
const isOverdrawn = ({ earnings }: Payee, usd: string): boolean =>
  Number(usd) < 0 && toMicros(earnings.balanceUsd) + toMicros(Number(usd)) < 0

/** Returns the section of payouts: who has which balance, and the forms that record a payout or a correction. */
export function payoutsSection(deps: PayoutsDeps): FormSection<'payouts'> {
  const {
    prefix,
    list,
    find,
    listPayouts,
    findByAddress,
    findLastPayout,
    listRequests,
    findRequest,
    reject,
    pay,
    correct,
    sendsMail,
    settleDays,
  } = deps
  const recordedText = (counts: readonly number[]): Html =>
    html`${message('payouts.recorded', { amount: amountOf(counts) })}
    ${sendsMail ? message('payouts.recordedMail') : null}`

  const refuse = (code: string): Outcome => {
    const issue: Issue = { path: [fieldOf[code] ?? 'userId'], code, message: code }
    return { done: 'refused', issues: [issue] }
  }

  /** Returns the contributor whose user ID or verified address was entered, or null. */
  async function findPayee(entered: string, now: number): Promise<Payee | null> {
    const found = await find({ userId: entered }, now)
    if (!(found instanceof Failure)) return found
    const userId = entered.includes('@') ? await findByAddress(entered) : null
    const ofAddress = userId === null ? null : await find({ userId }, now)
    return ofAddress instanceof Failure ? null : ofAddress
  }

  /**
   * Asks to confirm a payout or a correction and its contributor, and runs it when the form is submitted again from
   * that question. A refusal becomes an issue of the field.
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

  /** Returns the contributor that was entered in the form of a payout that was refused, or null. */
  async function enteredPayee({ problem, now }: Shown): Promise<Payee | null> {
    const entered = problem?.action === 'record' ? problem.form.fields['userId'] : undefined
    return typeof entered === 'string' && entered !== '' ? findPayee(entered, now) : null
  }

  const payouts = listSection({
    id: 'payouts',
    query: PayoutsQuery,
    item: PayoutItem,
    load: listPayouts,
    hint: message('payouts.payoutHint'),
    empty: () => message('payouts.noPayouts'),
    view: () => ({ columns: payoutColumns(prefix) }),
  })
  const balances = listSection({
    id: 'payouts',
    query: BalancesQuery,
    item: PersonBalance,
    load: list,
    hasDays: false,
    hint: message('payouts.balanceHint'),
    empty: () => message('payouts.none'),
    async view(page: List<Balance>, shown) {
      const [requests, entered] = await Promise.all([listRequests(), enteredPayee(shown)])
      const isWhole = shown.cursor === null && shown.query['q'] === undefined && page.nextCursor === null
      return {
        above: html`${requests.length > 0 ? requestTable(shown, requests) : null}
          <h2>${message('payouts.balances')}</h2>
          <p>
            ${settleDays > 0 ? message('payouts.pendingText', { count: settleDays }) : null}
            ${message('payouts.availableText')} ${isWhole ? totalText(page.items) : null}
          </p>`,
        columns: balanceColumns(prefix),
        below: listedForms(shown, entered, sendsMail, isWhole),
      }
    },
  })
  const listOf = (filter: string | null) => (filter === 'payouts' ? payouts : balances)
  return {
    id: 'payouts',
    filters: ['balances', 'payouts'],
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
      const { available, pending, total } = shownBalances(found.earnings)
      const [last, request] = await Promise.all([findLastPayout(userId), findRequest(userId)])
      const payees = { page: found, entered: found }
      const usd = Math.min(request?.usd ?? available, available)
      return {
        title: message('payouts.recordOne'),
        body: html`<p class="facts">
            <span>
              ${found.email === null ? null : message('payouts.toAddress', { email: html`<strong>${addressText(found.email)}</strong>` })}
            </span>
            <a href="${shown.prefix}${sectionPath('contributors', userId)}">${message('payouts.openContributor')}</a>
          </p>
          ${errorList(shown, payees, 'record')} ${request && notice('info', requestText(request))}
          ${stats([
            [shared('admin.available'), money(available)],
            [shared('admin.pending'), money(pending)],
            [shared('admin.lifetime'), money(total)],
          ])}
          ${last && lastPayout(last)}
          <h2>${message('payouts.payout')}</h2>
          ${payoutForm(shown, payees, sendsMail, suggestAmount(usd))}
          <h2>${message('payouts.contact')}</h2>
          <p>${message('payouts.noBankDetails')}</p>
          ${detailList([
            [message('payouts.address'), found.email === null ? message('payouts.noAddress') : mailLink(found.email)],
            ...contactRows(found.contact),
          ])}
          ${correctionForm(shown, payees)}`,
      }
    },
    actions: {
      async reject(fields, audit) {
        const result = await reject(fields, audit)
        return { done: result instanceof Failure ? result.code : 'rejected' }
      },
      record: ({ usd, reference, ...entered }, audit, effectId) =>
        confirmFirst(entered, audit.at, {
          check: ({ earnings }) =>
            toMicros(Number(usd)) > toMicros(earnings.balanceUsd) ? 'insufficient_balance' : null,
          ask: (payee) => askPage(prefix, payee, { action: 'record', usd, text: reference, key: effectId }),
          run: (userId) => pay({ userId, usd: Number(usd), reference }, audit, effectId),
          done: { done: 'recorded', counts: countsOf(usd) },
        }),
      correct: ({ usd, reason, overdraw, ...entered }, audit, effectId) =>
        confirmFirst(entered, audit.at, {
          check: () => null,
          ask: (payee) => askPage(prefix, payee, { action: 'correct', usd, text: reason, key: effectId }),
          async run(userId) {
            const found = await find({ userId }, audit.at)
            if (found instanceof Failure) return found
            if (overdraw === undefined && isOverdrawn(found, usd)) return fail('overdraw')
            return correct({ userId, usd: Number(usd), reason }, audit, effectId)
          },
          done: { done: Number(usd) < 0 ? 'taken_off' : 'added', counts: countsOf(usd) },
        }),
    },
    notices: {
      rejected: { kind: 'done', text: () => message('payouts.requestRejected') },
      already_decided: { kind: 'error', text: () => message('payouts.requestDecided') },
      not_found: { kind: 'error', text: () => message('payouts.requestGone') },
      recorded: { kind: 'done', text: recordedText },
      added: { kind: 'done', text: (counts) => message('payouts.added', { amount: amountOf(counts) }) },
      taken_off: { kind: 'done', text: (counts) => message('payouts.takenOff', { amount: amountOf(counts) }) },
    },
  }
}

/** Renders the open requests, each with a link to its payout and a form that rejects it. */
function requestTable({ prefix, problem }: Shown, items: readonly OpenRequest[]): Html {
  const sent = problem?.action === 'reject' ? problem.form.fields : null
  return html`<h2>${message('payouts.requests')}</h2>
    <p>${message('payouts.requestsText')}</p>
    ${sent ? formError(message('payouts.error.rejection')) : null}
    ${listTable({
      caption: shared('admin.newestFirst'),
      empty: '',
      items,
      next: null,
      columns: [
        [shared('admin.contributor'), ({ email, userId }) => contributorLink(prefix, userId, email)],
        [message('payouts.amount'), ({ usd }) => money(usd), 'number'],
        [shared('admin.time'), ({ requestedAt }) => time(requestedAt)],
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
                <form method="post" action="${prefix}/admin/payouts/reject">
                  <input type="hidden" name="id" value="${id}" />
                  <label for="reason-${id}">${message('payouts.reason')}</label>
                  <input id="reason-${id}" name="reason" maxlength="500" autocomplete="off" required />
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

/** Renders the question before a payout or a correction: the person and the changes. */
function askPage(
  prefix: string,
  payee: Payee,
  {
    action,
    usd,
    text,
    key,
  }: { readonly action: 'record' | 'correct'; readonly usd: string; readonly text: string; readonly key: string },
): ItemPage {
  const { userId, email, earnings } = payee
  const change = toMicros(Number(usd)) * (action === 'record' ? -1 : 1)
  const after = toMicros(earnings.balanceUsd) + change
  const overdraws = action === 'correct' && isOverdrawn(payee, usd)
  const textField = action === 'record' ? 'reference' : 'reason'
  return {
    title: message(`payouts.ask.${action}`),
    body: html`${detailList([
        [message('payouts.userId'), html`<code>${userId}</code>`],
        [message('payouts.address'), email === null ? message('payouts.noAddress') : addressText(email)],
        [message('payouts.balance'), money(earnings.balanceUsd)],
        [message('payouts.usd'), money(Number(usd))],
        [message(`payouts.${textField}`), html`<bdi>${text}</bdi>`],
        [message('payouts.balanceAfter'), money(toDollars(after))],
      ])}
      ${overdraws ? notice('error', message('payouts.overdraws')) : null}
      <form method="post" action="${prefix}/admin/payouts/${action}">
        ${idempotencyField(key)}
        ${Object.entries({
          userId,
          item: userId,
          usd,
          [textField]: text,
          ...(overdraws ? { overdraw: 'yes' } : {}),
        }).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        ${confirmationBox({
          id: 'confirmed',
          value: userId,
          label: message(action === 'record' ? 'payouts.sent' : 'payouts.checked'),
        })}
        <p class="actions">
          <button>${message(`payouts.${action}Button`)}</button>
          <a href="${prefix}${sectionPath('payouts', userId)}">${shared('admin.cancel')}</a>
        </p>
      </form>`,
  }
}

/** Names the requested amount and the time of the request. */
const requestText = ({ usd, requestedAt }: Request): Html =>
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

/** Says how much can be paid out to all of these. */
const totalText = (balances: readonly Balance[]): Html =>
  message('payouts.total', {
    amount: html`<strong
      >${money(balances.reduce((sum, balance) => sum + Math.max(0, shownBalances(balance).available), 0))}</strong
    >`,
  })

const balanceColumns = (prefix: string): readonly Column<Balance>[] => [
  [shared('admin.contributor'), ({ email, userId }) => contributorLink(prefix, userId, email), undefined, 'signedUpAt'],
  [shared('admin.available'), (balance) => money(shownBalances(balance).available), 'number'],
  [shared('admin.pending'), (balance) => money(shownBalances(balance).pending), 'number'],
  [shared('admin.lifetime'), (balance) => money(shownBalances(balance).total), 'number'],
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

/** Renders the form of a payout, with the amount that it proposes. */
const payoutForm = (shown: Shown, payees: Payees, sendsMail: boolean, usd: string): Html =>
  html`<p>${message('payouts.recordIntro')} ${sendsMail ? message('payouts.recordMail') : null}</p>
    ${moneyForm(shown, payees, {
      action: 'record',
      usd,
      text: { name: 'reference', hint: message('payouts.referenceHint') },
    })}`

/** Renders the form of a correction, which is folded until the operator opens it. */
const correctionForm = (shown: Shown, payees: Payees): Html =>
  folded(
    shown,
    'correct',
    message('payouts.correct'),
    html`<p>${message('payouts.correctIntro')}</p>
      ${errorList(shown, payees, 'correct')}
      ${moneyForm(shown, payees, {
        action: 'correct',
        usd: '',
        usdHint: message('payouts.takeOffHint'),
        text: { name: 'reason' },
      })}`,
  )

/** Folds a form until the operator opens it. A form that was refused is open. */
const folded = ({ problem }: Shown, action: string, summary: Html, body: Html): Html =>
  html`<details ${problem?.action === action ? html` open` : null}>
    <summary>${summary}</summary>
    ${body}
  </details>`

/**
 * Renders the forms of a list of all contributors. Where all with earnings are listed, each has a link to a payout, and
 * its form is left out. `entered`: the contributor who was entered in the form of a payout that was refused.
 */
function listedForms(shown: Shown, entered: Payee | null, sendsMail: boolean, areAllListed: boolean): Html {
  const payees = { page: null, entered }
  const payout = html`${errorList(shown, payees, 'record')} ${payoutForm(shown, payees, sendsMail, '')}`
  return html`${
    areAllListed && shown.problem?.action !== 'record'
      ? null
      : folded(shown, 'record', message('payouts.recordFor'), payout)
  }
  ${correctionForm(shown, payees)}`
}

/** Returns the balance in whole cents, because banks transfer whole cents. The rest stays in the balance. */
function suggestAmount(balanceUsd: number): string {
  const cents = Math.floor(balanceUsd * 100 + 1e-6)
  return cents > 0 ? (cents / 100).toFixed(2) : ''
}

interface Payees {
  /** The contributor whose page it is. Null means that the contributor is entered. */
  readonly page: Payee | null
  /**
   * The contributor of the page, or the contributor that was entered in the form of a payout. Null when there is none.
   */
  readonly entered: Payee | null
}

interface MoneyForm {
  readonly action: 'record' | 'correct'
  /** The amount that the form proposes. */
  readonly usd: string
  /** The field of text: a payout's reference, a correction's reason. */
  readonly usdHint?: Html
  readonly text: { readonly name: 'reference' | 'reason'; readonly hint?: Html }
}

/** The fields of both forms, in their order. */
const moneyFields = ['userId', 'usd', 'reference', 'reason'] as const

/** Returns the error of each field of a form that was refused. */
function errorsOf(
  { problem }: Pick<Shown, 'problem'>,
  { entered }: Payees,
  action: MoneyForm['action'],
): Readonly<Record<string, Html>> {
  const sent = problem?.action === action ? problem.form : null
  // An amount above the balance is marked together with other fields, not after these are corrected.
  const exceedsBalance =
    action === 'record' && entered !== null && Number(sent?.fields['usd']) > entered.earnings.balanceUsd
  const errorOf = (name: string): Html | undefined => {
    const code =
      sent?.issues.find(({ path }) => path[0] === name)?.code ??
      (name === 'usd' && exceedsBalance ? 'insufficient_balance' : undefined)
    if (code === undefined) return undefined
    if (code === 'insufficient_balance' && entered) {
      const { available } = shownBalances(entered.earnings)
      return available > 0
        ? message('payouts.error.usd.insufficient_balance', { amount: money(available) })
        : message('payouts.error.usd.nothing_available')
    }
    const names = [`${name}.${code}`, `${action}.${name}`, name].map((one) => `payouts.error.${one}`)
    return message(names.find((one) => Object.hasOwn(payoutsMessages, one)) as 'payouts.error.reason')
  }
  return Object.fromEntries(
    moneyFields.flatMap((name) => {
      const error = errorOf(name)
      return error === undefined ? [] : [[name, error]]
    }),
  )
}

/** Renders the errors of a form that was refused, each with a link to its field. */
function errorList(shown: Shown, payees: Payees, action: MoneyForm['action']): Html | null {
  const errors = Object.entries(errorsOf(shown, payees, action))
  return errors.length === 0 ? null : fieldErrors(errors.map(([name, error]) => [`${action}-${name}`, error]))
}

/** Renders a form with a contributor, an amount and a text, which leads to the question of `askPage`. */
function moneyForm(shown: Shown, payees: Payees, { action, usd, usdHint, text }: MoneyForm): Html {
  const { prefix, problem } = shown
  const { page: payee } = payees
  const sent = problem?.action === action ? problem.form : null
  const errors = errorsOf(shown, payees, action)
  // Both forms are on one page, so the ids of their fields start with the action.
  const input = (name: string, label: Html, more: { hint?: Html; inputmode?: string; value?: string } = {}): Html =>
    field({
      name,
      id: `${action}-${name}`,
      label,
      error: errors[name],
      ...more,
      value: sent?.fields[name] ?? more.value,
    })
  return html`<form method="post" action="${prefix}/admin/payouts/${action}">
    ${
      payee
        ? html`<input type="hidden" name="userId" value="${payee.userId}" />
            <input type="hidden" name="item" value="${payee.userId}" />`
        : input('userId', shared('admin.contributor'), { hint: message('payouts.contributorHint') })
    }
    ${input('usd', message('payouts.usd'), { inputmode: 'decimal', value: usd, ...(usdHint ? { hint: usdHint } : {}) })}
    ${input(text.name, message(`payouts.${text.name}`), text.hint === undefined ? {} : { hint: text.hint })}
    <p><button>${message(`payouts.${action}Review`)}</button></p>
  </form>`
}

import { fail, Failure, type Issue } from '../../http/failures.ts'
import { field, formError, html, type Html, messagesOf, money, notice, stats } from '../../ui/html.ts'
import { payoutsMessages } from '../../messages/admin/payouts.ts'
import { toDollars, toMicros } from '../../money.ts'
import { timestamp } from '../../ids.ts'
import { contactRows, detailList, type Contact } from './contact.ts'
import type { Created, FormSection, Handed, List, Outcome, Shown } from '../contract.ts'
import {
  confirmationBox,
  contributorLink,
  idempotencyField,
  listPath,
  listTable,
  message as shared,
  nextPage,
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

/** A payout that was recorded; `userId` null: the account was erased. Times are ms since 1970. */
interface Payout {
  readonly userId: string | null
  readonly email: string | null
  readonly micros: number
  readonly at: number
  readonly reference: string
}

interface PayoutPage {
  readonly items: readonly Payout[]
  readonly next: number | null
}

/** Who a payout goes to. */
interface Payee {
  readonly userId: string
  readonly email: string | null
  readonly contact: Contact | null
  readonly earnings: Omit<Balance, 'userId' | 'email'>
}

export interface PayoutsDeps {
  readonly list: Handed<{ cursor: string | undefined; limit: number }, List<Balance>>
  readonly find: Handed<{ userId: string }, Payee>
  /** Whether the service sends mails, about payouts too. */
  readonly sendsMail: boolean
  /** Whole days until a share of a sale is available. */
  readonly settleDays: number
  /** Returns a page of the payouts, newest first. */
  readonly listPayouts: (page: { readonly cursor: number | null; readonly limit: number }) => Promise<PayoutPage>
  /** Returns the ids of the contributors with this e-mail address. */
  readonly findByAddress: (email: string) => Promise<readonly string[]>
  /** Returns the last payout to a contributor, or null. */
  readonly findLastPayout: (userId: string, now: number) => Promise<Pick<Payout, 'micros' | 'at' | 'reference'> | null>
  readonly pay: Created<{ userId: string; usd: number; reference: string }, unknown>
  readonly correct: Created<{ userId: string; usd: number; reason: string }, unknown>
}

/** The field that each failure is about. */
const fieldOf: Readonly<Record<string, string>> = {
  not_found: 'userId',
  insufficient_balance: 'usd',
  reference_used: 'reference',
  overdraw: 'overdraw',
}

/** Returns whether a correction makes a balance negative. */
const isOverdrawn = ({ earnings }: Payee, usd: string): boolean =>
  Number(usd) < 0 && toMicros(earnings.balanceUsd) + toMicros(Number(usd)) < 0

/** Returns the section of payouts: who has which balance, and the forms that record a payout or a correction. */
export function payoutsSection(deps: PayoutsDeps): FormSection<'payouts'> {
  const { list, find, listPayouts, findByAddress, findLastPayout, pay, correct, sendsMail, settleDays } = deps
  const recordedText = (counts: readonly number[]): Html =>
    html`${message('payouts.recorded', { amount: amountOf(counts) })}
    ${sendsMail ? message('payouts.recordedMail') : null}`

  /** Runs an action with the contributor that was entered; what it refuses is an issue of the field. */
  async function forContributor(
    entered: string,
    run: (userId: string) => Promise<unknown>,
    done: Outcome,
  ): Promise<Outcome> {
    const refuse = (code: string): Outcome => {
      const issue: Issue = { path: [fieldOf[code] ?? 'userId'], code, message: code }
      return { done: 'refused', issues: [issue] }
    }
    const [userId = entered, ...others] = entered.includes('@') ? await findByAddress(entered) : [entered]
    if (others.length > 0) return refuse('ambiguous')
    const result = await run(userId)
    return result instanceof Failure ? refuse(result.code) : done
  }

  /** Returns the contributor that was entered in the form of a payout that was refused, or null. */
  async function enteredPayee({ problem, now }: Shown): Promise<Payee | null> {
    const entered = problem?.action === 'record' ? problem.form.fields['userId'] : undefined
    if (typeof entered !== 'string' || entered === '') return null
    const [userId = entered] = entered.includes('@') ? await findByAddress(entered) : []
    const found = await find({ userId }, now)
    return found instanceof Failure ? null : found
  }

  return {
    id: 'payouts',
    filters: [],
    async show(shown) {
      const { prefix, cursor, now, query } = shown
      const { paidBefore } = query
      if (paidBefore !== undefined && /^\d{1,15}$/.test(paidBefore))
        return payoutTable(prefix, await listPayouts({ cursor: Number(paidBefore), limit: 50 }))
      const listed = list({ cursor: /^\d{1,15}$/.test(cursor ?? '') ? cursor! : undefined, limit: 50 }, now)
      const [page, payouts, payee] = await Promise.all([
        listed,
        cursor === null ? listPayouts({ cursor: null, limit: 20 }) : null,
        enteredPayee(shown),
      ])
      const isWhole = !(page instanceof Failure) && cursor === null && page.nextCursor === null
      return html`<h2>${message('payouts.balances')}</h2>
        <p>
          ${settleDays > 0 ? message('payouts.pendingText', { count: settleDays }) : null}
          ${message('payouts.availableText')} ${isWhole ? totalText(page.items) : null}
        </p>
        ${page instanceof Failure ? notice('error', shared('admin.notLoaded')) : balanceTable(prefix, page, cursor === null)}
        ${moneyForms(shown, { page: null, entered: payee }, sendsMail, isWhole)}
        ${payouts && payoutTable(prefix, payouts)}`
    },
    async showItem(userId, shown) {
      const found = await find({ userId }, shown.now)
      if (found instanceof Failure) return null
      const { available, pending, total } = shownBalances(found.earnings)
      const last = await findLastPayout(userId, shown.now)
      return {
        title: message('payouts.recordTo', { name: found.email ?? message('payouts.aContributor') }),
        body: html`<p>
            <a href="${shown.prefix}${sectionPath('contributors', userId)}">${message('payouts.openContributor')}</a>
          </p>
          ${stats([
            [shared('admin.available'), money(available)],
            [shared('admin.pending'), money(pending)],
            [shared('admin.lifetime'), money(total)],
          ])}
          ${last && lastPayout(last)}
          <h2>${message('payouts.contact')}</h2>
          ${detailList(contactRows(found.contact))} ${found.contact && html`<p>${message('payouts.noBankDetails')}</p>`}
          ${moneyForms(shown, { page: found, entered: found }, sendsMail)}`,
      }
    },
    actions: {
      record: ({ userId, usd, reference }, audit, effectId) =>
        forContributor(userId, (id) => pay({ userId: id, usd: Number(usd), reference }, audit, effectId), {
          done: 'recorded',
          counts: countsOf(usd),
        }),
      correct: ({ userId, usd, reason, overdraw }, audit, effectId) =>
        forContributor(
          userId,
          async (id) => {
            const found = await find({ userId: id }, audit.at)
            if (found instanceof Failure) return found
            if (overdraw === undefined && isOverdrawn(found, usd)) return fail('overdraw')
            return correct({ userId: id, usd: Number(usd), reason }, audit, effectId)
          },
          { done: Number(usd) < 0 ? 'taken_off' : 'added', counts: countsOf(usd) },
        ),
    },
    notices: {
      recorded: { kind: 'done', text: recordedText },
      added: { kind: 'done', text: (counts) => message('payouts.added', { amount: amountOf(counts) }) },
      taken_off: { kind: 'done', text: (counts) => message('payouts.takenOff', { amount: amountOf(counts) }) },
    },
  }
}

/** Returns an amount without its sign as the counts of a notice: whole dollars and micro-dollars. */
function countsOf(usd: string): readonly number[] {
  const micros = Math.abs(toMicros(Number(usd)))
  return [Math.floor(micros / 1_000_000), micros % 1_000_000]
}

const amountOf = ([dollars = 0, micros = 0]: readonly number[]): Html => money(dollars + toDollars(micros))

const lastPayout = ({ micros, at, reference }: Pick<Payout, 'micros' | 'at' | 'reference'>): Html =>
  html`<p>
    ${message('payouts.last', {
      amount: money(toDollars(micros)),
      time: time(timestamp(at)),
      reference: html`<bdi>${reference}</bdi>`,
    })}
  </p>`

/** Renders a page of payouts, which leads to older ones alone. */
const payoutTable = (prefix: string, { items, next }: PayoutPage): Html =>
  html`<h2>${message('payouts.payouts')}</h2>
    ${listTable({
      caption: shared('admin.newestFirst'),
      empty: message('payouts.noPayouts'),
      items,
      next: next === null ? null : listPath(prefix, 'payouts', { paidBefore: String(next) }),
      columns: [
        [
          shared('admin.contributor'),
          ({ email, userId }) => (userId === null ? message('payouts.erased') : contributorLink(prefix, userId, email)),
        ],
        [message('payouts.amount'), ({ micros }) => money(toDollars(micros)), 'number'],
        [message('payouts.reference'), ({ reference }) => html`<bdi>${reference}</bdi>`],
        [shared('admin.time'), ({ at }) => time(timestamp(at))],
      ],
    })}`

/** Says how much can be paid out to all of these. */
const totalText = (balances: readonly Balance[]): Html =>
  message('payouts.total', {
    amount: html`<strong
      >${money(balances.reduce((sum, balance) => sum + Math.max(0, shownBalances(balance).available), 0))}</strong
    >`,
  })

/** Renders balances: those that fit on one page by what is available, else as the store returns them. */
function balanceTable(prefix: string, { items, nextCursor }: List<Balance>, isFirst: boolean): Html {
  const isWhole = isFirst && nextCursor === null
  return listTable({
    caption: message(isWhole ? 'payouts.byAvailable' : 'payouts.caption'),
    empty: message('payouts.none'),
    items: isWhole ? items.toSorted((a, b) => b.balanceUsd - a.balanceUsd) : items,
    next: nextPage(prefix, 'payouts', {}, nextCursor),
    columns: [
      [shared('admin.contributor'), ({ email, userId }) => contributorLink(prefix, userId, email)],
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
    ],
  })
}

/**
 * Renders both forms. A form of a list of all contributors is folded until it is asked for, and open when it was
 * refused. Where all with earnings are listed, each has a link to a payout, and its form is left out.
 */
function moneyForms(shown: Shown, payees: Payees, sendsMail: boolean, areAllListed = false): Html {
  const payee = payees.page
  const payout = html`<p>${message('payouts.recordIntro')} ${sendsMail ? message('payouts.recordMail') : null}</p>
    ${moneyForm(shown, payees, {
      action: 'record',
      usd: payee ? suggestAmount(payee.earnings.balanceUsd) : '',
      text: { name: 'reference', hint: message('payouts.referenceHint') },
      confirmation: message('payouts.sent'),
      button: message('payouts.recordButton'),
    })}`
  const correction = html`<p>${message('payouts.correctIntro')}</p>
    ${moneyForm(shown, payees, {
      action: 'correct',
      usd: '',
      usdHint: message('payouts.takeOffHint'),
      text: { name: 'reason' },
      confirmation: message('payouts.checked'),
      button: message('payouts.correctButton'),
    })}`
  const folded = (action: string, summary: Html, body: Html): Html =>
    html`<details ${shown.problem?.action === action ? html` open` : null}>
      <summary>${summary}</summary>
      ${body}
    </details>`
  return payee
    ? html`<h2>${message('payouts.payout')}</h2>
        ${payout} ${folded('correct', message('payouts.correct'), correction)}`
    : html`${areAllListed && shown.problem?.action !== 'record' ? null : folded('record', message('payouts.recordFor'), payout)}
      ${folded('correct', message('payouts.correct'), correction)}`
}

/** Returns the balance in whole cents, which is what banks transfer; the rest stays in the balance. */
function suggestAmount(balanceUsd: number): string {
  const cents = Math.floor(balanceUsd * 100 + 1e-6)
  return cents > 0 ? (cents / 100).toFixed(2) : ''
}

interface Payees {
  /** The contributor whose page it is; null: the contributor is entered. */
  readonly page: Payee | null
  /** That one, or the one who was entered in the form of a payout; null when there is none. */
  readonly entered: Payee | null
}

interface MoneyForm {
  readonly action: 'record' | 'correct'
  /** The amount that the form proposes. */
  readonly usd: string
  /** The field of text: a payout's reference, a correction's reason. */
  readonly usdHint?: Html
  readonly text: { readonly name: 'reference' | 'reason'; readonly hint?: Html }
  readonly confirmation: Html
  readonly button: Html
}

/** Renders a form with a contributor, an amount, a text and a box that confirms it. */
function moneyForm(
  { prefix, problem, formKey }: Pick<Shown, 'prefix' | 'problem' | 'formKey'>,
  { page: payee, entered }: Payees,
  { action, usd, usdHint, text, confirmation, button }: MoneyForm,
): Html {
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
  // Both forms are on one page, so the ids of their fields start with the action.
  const input = (name: string, label: Html, more: { hint?: Html; inputmode?: string; value?: string } = {}): Html =>
    field({
      name,
      id: `${action}-${name}`,
      label,
      error: errorOf(name),
      ...more,
      value: sent?.fields[name] ?? more.value,
    })
  const error = errorOf('confirmed')
  const overdraw = errorOf('overdraw')
  const id = `${action}-confirmed`
  return html`${sent ? formError(message('payouts.notRecorded')) : null}
    <form method="post" action="${prefix}/admin/payouts/${action}">
      ${idempotencyField(formKey)}
      ${
        payee
          ? html`<input type="hidden" name="userId" value="${payee.userId}" />
              <input type="hidden" name="item" value="${payee.userId}" />`
          : input('userId', shared('admin.contributor'), { hint: message('payouts.contributorHint') })
      }
      ${input('usd', message('payouts.usd'), { inputmode: 'decimal', value: usd, ...(usdHint ? { hint: usdHint } : {}) })}
      ${input(text.name, message(`payouts.${text.name}`), text.hint === undefined ? {} : { hint: text.hint })}
      ${confirmationBox({ id, label: confirmation, error })}
      ${
        overdraw === undefined
          ? null
          : confirmationBox({
              id: `${action}-overdraw`,
              name: 'overdraw',
              label: message('payouts.overdraw'),
              error: overdraw,
            })
      }
      <p><button>${button}</button></p>
    </form>`
}

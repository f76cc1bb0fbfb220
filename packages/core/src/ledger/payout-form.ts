import { field, fieldErrors, html, type Html, mailLink, messagesOf, money, notice } from '../ui/html.ts'
import { payoutsMessages } from '../messages/admin/payouts.ts'
import { toDollars, toMicros } from '../money.ts'
import type { ItemPage, SectionListParams } from '../admin/contract.ts'
import { detailList, type Contact } from '../ui/operator/contact.ts'
import {
  addressText,
  confirmationBox,
  idempotencyField,
  message as shared,
  sectionPath,
  formatBalances,
} from '../ui/operator/pages.ts'

const message = messagesOf(payoutsMessages)

/** The person who receives a payout. */
export interface Payee {
  readonly userId: string
  readonly email: string | null
  readonly contact: Contact | null
  readonly earnings: Readonly<Record<'balanceUsd' | 'pendingUsd' | 'lifetimeUsd', number>>
}

/** Returns whether a correction makes a balance negative. */
export const isOverdrawn = ({ earnings }: Payee, usd: string): boolean =>
  Number(usd) < 0 && toMicros(earnings.balanceUsd) + toMicros(Number(usd)) < 0

/** Renders the page that asks to confirm a payout or a correction, with the person and the changes. */
export function askPage(
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

/** Renders the form of a payout, with the amount that it proposes. */
export const payoutForm = (
  shown: SectionListParams,
  payees: Payees,
  sendsMail: boolean,
  proposed: { readonly usd: string; readonly usdHint?: Html | undefined },
): Html =>
  html`<p>
      ${payees.page && bankDetailsText(payees.page)} ${message('payouts.recordIntro')}
      ${sendsMail ? message('payouts.recordMail') : null}
    </p>
    ${moneyForm(shown, payees, {
      action: 'record',
      ...proposed,
      text: { name: 'reference', hint: message('payouts.referenceHint') },
    })}`

/** Tells the operator whom to ask for the bank details. */
const bankDetailsText = ({ email }: Payee): Html =>
  email === null ? message('payouts.askContact') : message('payouts.noBankDetails', { email: mailLink(email) })

/** Renders the form of a correction, collapsed until the operator opens it. */
export const correctionForm = (shown: SectionListParams, payees: Payees): Html =>
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

/** Collapses a form until the operator opens it. A form that was refused is open. */
const folded = ({ problem }: SectionListParams, action: string, summary: Html, body: Html): Html =>
  html`<details ${problem?.action === action ? html` open` : null}>
    <summary>${summary}</summary>
    ${body}
  </details>`

/**
 * Renders the forms of a list of all contributors. If all contributors with earnings are listed, each has a link to a
 * payout, and the payout form is left out. `entered` is the contributor who was entered in a refused payout form.
 */
export function renderListForms(
  shown: SectionListParams,
  entered: Payee | null,
  sendsMail: boolean,
  areAllListed: boolean,
): Html {
  const payees = { page: null, entered }
  const payout = html`${errorList(shown, payees, 'record')} ${payoutForm(shown, payees, sendsMail, { usd: '' })}`
  return html`${
    areAllListed && shown.problem?.action !== 'record'
      ? null
      : folded(shown, 'record', message('payouts.recordFor'), payout)
  }
  ${correctionForm(shown, payees)}`
}

/** Returns the balance in whole cents, because banks transfer whole cents. The rest stays in the balance. */
export function suggestAmount(balanceUsd: number): string {
  const cents = Math.floor(balanceUsd * 100 + 1e-6)
  return cents > 0 ? (cents / 100).toFixed(2) : ''
}

interface Payees {
  /** The contributor of the page. Null means that the contributor is entered in the form. */
  readonly page: Payee | null
  /** The contributor of the page, or the contributor who was entered in the payout form. Null when there is none. */
  readonly entered: Payee | null
}

interface MoneyForm {
  readonly action: 'record' | 'correct'
  /** The amount that the form proposes. */
  readonly usd: string
  /** The hint of the amount. The other field, `text`, is a payout's reference or a correction's reason. */
  readonly usdHint?: Html | undefined
  readonly text: { readonly name: 'reference' | 'reason'; readonly hint?: Html }
}

/** The fields of both forms, in their order. */
const moneyFields = ['userId', 'usd', 'reference', 'reason'] as const

/** Returns the error of each field of a form that was refused. */
function describeErrors(
  { problem }: Pick<SectionListParams, 'problem'>,
  { entered }: Payees,
  action: MoneyForm['action'],
): Readonly<Record<string, Html>> {
  const sent = problem?.action === action ? problem.form : null
  // An amount above the balance is shown together with the errors of other fields, not after they are corrected.
  const exceedsBalance =
    action === 'record' && entered !== null && Number(sent?.fields['usd']) > entered.earnings.balanceUsd
  const errorOf = (name: string): Html | undefined => {
    const code =
      sent?.issues.find(({ path }) => path[0] === name)?.code ??
      (name === 'usd' && exceedsBalance ? 'insufficient_balance' : undefined)
    if (code === undefined) return undefined
    if (code === 'insufficient_balance' && entered) {
      const { available } = formatBalances(entered.earnings)
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
export function errorList(shown: SectionListParams, payees: Payees, action: MoneyForm['action']): Html | null {
  const errors = describeErrors(shown, payees, action)
  const invalid = moneyFields.flatMap((name) => (errors[name] ? [[`${action}-${name}`, errors[name]] as const] : []))
  return invalid.length === 0 ? null : fieldErrors(invalid)
}

/** Renders a form with a contributor, an amount and a text, which leads to the confirmation page of `askPage`. */
function moneyForm(shown: SectionListParams, payees: Payees, { action, usd, usdHint, text }: MoneyForm): Html {
  const { prefix, problem } = shown
  const { page: payee } = payees
  const sent = problem?.action === action ? problem.form : null
  const errors = describeErrors(shown, payees, action)
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

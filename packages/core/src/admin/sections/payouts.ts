import { Failure, type Issue } from '../../http/failures.ts'
import { html, type Html, field, notice, stats } from '../../http/html.ts'
import { formatUsd } from '../../money.ts'
import type { Created, FormSection, Handed, List, Outcome, Shown } from '../contract.ts'
import { contributorLink, idempotencyField, listTable, nextPage, sectionPath } from '../pages.ts'

interface Balance {
  readonly userId: string
  readonly email: string | null
  readonly balanceUsd: number
  readonly pendingUsd: number
  readonly lifetimeUsd: number
}

/** Who a payout goes to. */
interface Payee {
  readonly userId: string
  readonly email: string | null
  readonly earnings: Omit<Balance, 'userId' | 'email'>
}

export interface PayoutsDeps {
  readonly list: Handed<{ cursor: string | undefined; limit: number }, List<Balance>>
  readonly find: Handed<{ userId: string }, Payee>
  /** Returns the ids of the contributors with this e-mail address. */
  readonly findByAddress: (email: string) => Promise<readonly string[]>
  readonly pay: Created<{ userId: string; usd: number; reference: string }, unknown>
  readonly correct: Created<{ userId: string; usd: number; reason: string }, unknown>
}

/**
 * What is said of a field that cannot be accepted, by field and, where there are several reasons, by the code of the
 * issue.
 */
const errors: Readonly<Record<string, string>> = {
  'userId': 'Enter the e-mail address or user ID of a contributor.',
  'userId.not_found': 'There is no contributor with this e-mail address or user ID.',
  'userId.ambiguous': 'Several contributors have this address. Enter the user ID.',
  'usd': 'Enter an amount in dollars with up to 6 decimals, such as 12.50.',
  'usd.insufficient_balance': 'The available balance is lower than this amount.',
  'reference': 'Enter the reference of the transfer, up to 128 characters.',
  'reference.reference_used': 'Another payout has this reference.',
  'reason': 'Enter a reason of up to 500 characters.',
  'confirmed': 'Select this box to continue.',
}
/** The field that each failure is about. */
const fieldOf: Readonly<Record<string, string>> = {
  not_found: 'userId',
  insufficient_balance: 'usd',
  reference_used: 'reference',
}

/** Returns the section of payouts: who has which balance, and the forms that record a payout or a correction. */
export function payoutsSection({ list, find, findByAddress, pay, correct }: PayoutsDeps): FormSection<'payouts'> {
  /** Runs an action with the contributor that was entered; what it refuses is an issue of the field. */
  async function forContributor(
    entered: string,
    run: (userId: string) => Promise<unknown>,
    done: string,
  ): Promise<Outcome> {
    const refuse = (code: string): Outcome => {
      const issue: Issue = { path: [fieldOf[code] ?? 'userId'], code, message: errors[code] ?? code }
      return { done: 'refused', issues: [issue] }
    }
    const [userId = entered, ...others] = entered.includes('@') ? await findByAddress(entered) : [entered]
    if (others.length > 0) return refuse('ambiguous')
    const result = await run(userId)
    return result instanceof Failure ? refuse(result.code) : { done }
  }

  return {
    id: 'payouts',
    filters: [],
    async show(shown) {
      const { prefix, cursor, now } = shown
      const page = await list({ cursor: /^\d{1,15}$/.test(cursor ?? '') ? cursor! : undefined, limit: 50 }, now)
      return html`<h2>Balances</h2>
        ${page instanceof Failure ? notice('error', 'Could not load this list.') : balanceTable(prefix, page)}
        ${moneyForms(shown, null)}`
    },
    async showItem(userId, shown) {
      const found = await find({ userId }, shown.now)
      if (found instanceof Failure) return null
      const { balanceUsd, pendingUsd, lifetimeUsd } = found.earnings
      return {
        title: `Pay ${found.email ?? 'a contributor'}`,
        body: html`<p>${contributorLink(shown.prefix, userId, found.email && 'Open the contributor')}</p>
          ${stats([
            ['Available', formatUsd(balanceUsd)],
            ['Pending', formatUsd(pendingUsd)],
            ['Lifetime', formatUsd(lifetimeUsd)],
          ])}
          ${moneyForms(shown, found)}`,
      }
    },
    actions: {
      record: ({ userId, usd, reference }, audit, effectId) =>
        forContributor(userId, (id) => pay({ userId: id, usd: Number(usd), reference }, audit, effectId), 'recorded'),
      correct: ({ userId, usd, reason }, audit, effectId) =>
        forContributor(userId, (id) => correct({ userId: id, usd: Number(usd), reason }, audit, effectId), 'corrected'),
    },
    notices: {
      recorded: { kind: 'done', text: () => 'Payout recorded. The contributor gets an e-mail.' },
      corrected: { kind: 'done', text: () => 'Correction recorded.' },
    },
  }
}

const balanceTable = (prefix: string, { items, nextCursor }: List<Balance>): Html =>
  listTable({
    caption: 'Contributors with earnings, latest sign-up first.',
    empty: 'No contributor has earnings yet.',
    items,
    next: nextPage(prefix, 'payouts', {}, nextCursor),
    columns: [
      ['Contributor', ({ email, userId }) => contributorLink(prefix, userId, email)],
      ['Available', ({ balanceUsd }) => formatUsd(balanceUsd), 'number'],
      ['Pending', ({ pendingUsd }) => formatUsd(pendingUsd), 'number'],
      ['Lifetime', ({ lifetimeUsd }) => formatUsd(lifetimeUsd), 'number'],
      [
        'Actions',
        ({ userId, email, balanceUsd }) =>
          balanceUsd > 0
            ? html`<a
                class="button second small"
                href="${prefix}${sectionPath('payouts', userId)}"
                aria-label="Record payout to ${email ?? userId}"
                >Record payout</a
              >`
            : null,
      ],
    ],
  })

/** Renders both forms; `payee` is the contributor whose page it is, null: the contributor is entered. */
const moneyForms = (shown: Shown, payee: Payee | null): Html =>
  html`<h2>Record a payout</h2>
    <p>Send the money first, then record it here. The contributor gets an e-mail with the amount and reference.</p>
    ${moneyForm(shown, payee, {
      action: 'record',
      usd: payee ? suggestAmount(payee.earnings.balanceUsd) : '',
      text: {
        name: 'reference',
        label: 'Reference',
        hint: 'How your bank names the transfer. The contributor sees it.',
      },
      confirmation: 'I have sent this payout',
      button: 'Record payout',
    })}
    <h2>Record a correction</h2>
    <p>Adds an amount to a balance, or takes it off. The contributor sees the reason.</p>
    ${moneyForm(shown, payee, {
      action: 'correct',
      usd: '',
      text: { name: 'reason', label: 'Reason' },
      confirmation: 'I have checked the contributor and the amount',
      button: 'Record correction',
    })}`

/** Returns the balance in whole cents, which is what banks transfer; the rest stays in the balance. */
function suggestAmount(balanceUsd: number): string {
  const cents = Math.floor(balanceUsd * 100 + 1e-6)
  return cents > 0 ? (cents / 100).toFixed(2) : ''
}

interface MoneyForm {
  readonly action: 'record' | 'correct'
  /** The amount that the form proposes. */
  readonly usd: string
  /** The field of text: a payout's reference, a correction's reason. */
  readonly text: { readonly name: string; readonly label: string; readonly hint?: string }
  readonly confirmation: string
  readonly button: string
}

/** Renders a form with a contributor, an amount, a text and a box that confirms it. */
function moneyForm(
  { prefix, problem, formKey }: Pick<Shown, 'prefix' | 'problem' | 'formKey'>,
  payee: Payee | null,
  { action, usd, text, confirmation, button }: MoneyForm,
): Html {
  const sent = problem?.action === action ? problem.form : null
  const errorOf = (name: string): string | undefined => {
    const issue = sent?.issues.find(({ path }) => path[0] === name)
    return issue && (errors[`${name}.${issue.code}`] ?? errors[name])
  }
  // Both forms are on one page, so the ids of their fields start with the action.
  const input = (name: string, label: string, more: { hint?: string; inputmode?: string; value?: string } = {}): Html =>
    field({
      name,
      id: `${action}-${name}`,
      label,
      error: errorOf(name),
      ...more,
      value: sent?.fields[name] ?? more.value,
    })
  const error = errorOf('confirmed')
  const id = `${action}-confirmed`
  return html`${sent ? notice('error', 'Nothing was recorded. Correct the marked fields.') : null}
    <form method="post" action="${prefix}/admin/payouts/${action}">
      ${idempotencyField(formKey)}
      ${
        payee
          ? html`<input type="hidden" name="userId" value="${payee.userId}" />
              <input type="hidden" name="item" value="${payee.userId}" />`
          : input('userId', 'Contributor', { hint: 'E-mail address or user ID' })
      }
      ${input('usd', 'Amount (USD)', { inputmode: 'decimal', value: usd })}
      ${input(text.name, text.label, text.hint === undefined ? {} : { hint: text.hint })}
      <p class="field check">
        <label for="${id}"
          ><input
            id="${id}"
            name="confirmed"
            type="checkbox"
            value="yes"
            required
            ${error ? html` aria-invalid="true" aria-describedby="${id}-error"` : null}
          /><span>${confirmation}</span></label
        >
        ${error ? html`<span class="error" id="${id}-error">${error}</span>` : null}
      </p>
      <p><button>${button}</button></p>
    </form>`
}

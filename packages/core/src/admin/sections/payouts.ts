import { Failure } from '../../http/failures.ts'
import { html, type Html, field, notice } from '../../http/html.ts'
import { formatUsd } from '../../money.ts'
import type { Created, FormSection, Handed, List, Shown } from '../contract.ts'
import { idempotencyField, nextPage, table } from '../pages.ts'

interface Balance {
  readonly userId: string
  readonly email: string | null
  readonly balanceUsd: number
  readonly pendingUsd: number
  readonly lifetimeUsd: number
}

export interface PayoutsDeps {
  readonly list: Handed<{ cursor: string | undefined; limit: number }, List<Balance>>
  readonly pay: Created<{ userId: string; usd: number; reference: string }, unknown>
  readonly correct: Created<{ userId: string; usd: number; reason: string }, unknown>
}

const errors: Record<string, string> = {
  userId: 'Enter the user ID of a contributor.',
  usd: 'Enter an amount in dollars with up to 6 decimals, such as 12.50.',
  reference: 'Enter the reference of the transfer, up to 128 characters.',
  reason: 'Enter a reason of up to 500 characters.',
  confirmed: 'Select this box to continue.',
}

/** Returns the section of payouts: who has which balance, and the forms that record a payout or a correction. */
export function payoutsSection({ list, pay, correct }: PayoutsDeps): FormSection<'payouts'> {
  return {
    id: 'payouts',
    title: 'Payouts',
    filters: [],
    async show({ prefix, cursor, problem, now, formKey }) {
      const page = await list({ cursor: /^\d{1,15}$/.test(cursor ?? '') ? cursor! : undefined, limit: 50 }, now)
      return html`<h2>Balances</h2>
        ${
          page instanceof Failure
            ? notice('error', 'Could not load this list.')
            : table({
                caption: 'Contributors with earnings, latest sign-up first.',
                empty: 'No contributor has earnings yet.',
                items: page.items,
                next: nextPage(prefix, 'payouts', {}, page.nextCursor),
                columns: [
                  [
                    'Contributor',
                    ({ email, userId }) =>
                      html`<bdi>${email ?? 'No e-mail'}</bdi><small><code>${userId}</code></small>`,
                  ],
                  ['Available', ({ balanceUsd }) => formatUsd(balanceUsd), 'number'],
                  ['Pending', ({ pendingUsd }) => formatUsd(pendingUsd), 'number'],
                  ['Lifetime', ({ lifetimeUsd }) => formatUsd(lifetimeUsd), 'number'],
                ],
              })
        }
        <h2>Record a payout</h2>
        <p>Send the money first, then record it here. The contributor gets an e-mail with the amount and reference.</p>
        ${moneyForm(
          { prefix, problem, formKey },
          {
            action: 'record',
            text: {
              name: 'reference',
              label: 'Reference',
              hint: 'How your bank names the transfer. The contributor sees it.',
            },
            confirmation: 'I have sent this payout',
            button: 'Record payout',
          },
        )}
        <h2>Record a correction</h2>
        <p>Adds an amount to a balance, or takes it off. The contributor sees the reason.</p>
        ${moneyForm(
          { prefix, problem, formKey },
          {
            action: 'correct',
            text: { name: 'reason', label: 'Reason' },
            confirmation: 'I have checked the contributor and the amount',
            button: 'Record correction',
          },
        )}`
    },
    actions: {
      async record({ userId, usd, reference }, audit, effectId) {
        const result = await pay({ userId, usd: Number(usd), reference }, audit, effectId)
        return { done: result instanceof Failure ? result.code : 'recorded' }
      },
      async correct({ userId, usd, reason }, audit, effectId) {
        const result = await correct({ userId, usd: Number(usd), reason }, audit, effectId)
        return { done: result instanceof Failure ? result.code : 'corrected' }
      },
    },
    notices: {
      recorded: { kind: 'done', text: () => 'Payout recorded.' },
      corrected: { kind: 'done', text: () => 'Correction recorded.' },
      not_found: { kind: 'error', text: () => 'Contributor not found. Nothing was recorded.' },
      insufficient_balance: {
        kind: 'error',
        text: () => 'The available balance is lower than this amount. Nothing was recorded.',
      },
      reference_used: {
        kind: 'error',
        text: () => 'Another payout has this reference. Nothing was recorded.',
      },
    },
  }
}

interface MoneyForm {
  readonly action: 'record' | 'correct'
  /** The field of text: a payout's reference, a correction's reason. */
  readonly text: { readonly name: string; readonly label: string; readonly hint?: string }
  readonly confirmation: string
  readonly button: string
}

/** Renders a form with a user id, an amount, a text and a box that confirms it. */
function moneyForm({ prefix, problem, formKey }: Pick<Shown, 'prefix' | 'problem' | 'formKey'>, form: MoneyForm): Html {
  const { action, text, confirmation, button } = form
  const sent = problem?.action === action ? problem.form : null
  const errorOf = (name: string): string | undefined =>
    sent?.issues.some(({ path }) => path[0] === name) ? errors[name] : undefined
  // Both forms are on one page, so the ids of their fields start with the action.
  const input = (name: string, label: string, more: { hint?: string; inputmode?: string } = {}): Html =>
    field({ name, id: `${action}-${name}`, label, value: sent?.fields[name] ?? '', error: errorOf(name), ...more })
  const error = errorOf('confirmed')
  const id = `${action}-confirmed`
  return html`${sent ? notice('error', 'Nothing was recorded. Correct the marked fields.') : null}
    <form method="post" action="${prefix}/admin/payouts/${action}">
      ${idempotencyField(formKey)} ${input('userId', 'User ID')}
      ${input('usd', 'Amount (USD)', { inputmode: 'decimal' })}
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

import { Failure } from '../../http/failures.ts'
import { html, notice } from '../../http/html.ts'
import type { Acted, FormSection, Handed, List } from '../contract.ts'
import { nextPage, table, time } from '../pages.ts'

interface Entry {
  readonly userId: string
  readonly email: string
  readonly country: string | null
  readonly joinedAt: string
  readonly notifiedAt: string | null
}

export interface WaitlistDeps {
  readonly list: Handed<{ cursor: string | undefined; limit: number }, List<Entry>>
  readonly notify: Acted<{ country: string }, { readonly notified: number }>
  /** The countries in which uploads are open, as two upper-case letters. */
  readonly allowedCountries: readonly string[]
}

/** Returns the section of the waitlist, to notify everyone who waits for a country. */
export function waitlistSection({ list, notify, allowedCountries }: WaitlistDeps): FormSection<'waitlist'> {
  return {
    id: 'waitlist',
    title: 'Waitlist',
    filters: [],
    async show({ prefix, cursor }) {
      const page = await list({ cursor: /^\d{1,15}$/.test(cursor ?? '') ? cursor! : undefined, limit: 50 }, 0)
      if (page instanceof Failure) return notice('error', 'Could not load this list.')
      return html`<p>
          Uploads are open in ${allowedCountries.join(', ')}. Each person on the waitlist is notified once.
        </p>
        ${allowedCountries.map(
          (country) =>
            html`<form method="post" action="${prefix}/admin/waitlist/notify">
              <input type="hidden" name="country" value="${country}" />
              <p><button class="second">Notify waitlist of ${country}</button></p>
            </form>`,
        )}
        ${table({
          caption: 'Oldest first. Times are UTC.',
          empty: 'The waitlist is empty.',
          items: page.items,
          next: nextPage(prefix, 'waitlist', {}, page.nextCursor),
          columns: [
            ['E-mail', ({ email, userId }) => html`<bdi>${email}</bdi><small><code>${userId}</code></small>`],
            ['Country', ({ country }) => country ?? 'Not given'],
            ['Joined', ({ joinedAt }) => time(joinedAt)],
            ['Notified', ({ notifiedAt }) => time(notifiedAt) ?? 'Not yet'],
          ],
        })}`
    },
    actions: {
      async notify({ country }, audit) {
        const result = await notify({ country }, audit)
        return result instanceof Failure ? { done: result.code } : { done: 'notified', counts: [result.notified] }
      },
    },
    notices: {
      notified: {
        kind: 'done',
        text: ([count = 0]) => `${count} ${count === 1 ? 'e-mail' : 'e-mails'} queued.`,
      },
      country_not_open: { kind: 'error', text: () => 'Uploads are not open in this country; nobody was notified.' },
    },
  }
}

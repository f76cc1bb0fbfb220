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
  /** Countries in which uploads are open, two upper-case letters each: people who wait for one can be notified. */
  readonly allowedCountries: readonly string[]
}

/** The waitlist, and a button for each country with open uploads that mails everyone who waits for it. */
export function waitlistSection({ list, notify, allowedCountries }: WaitlistDeps): FormSection<'waitlist'> {
  return {
    id: 'waitlist',
    title: 'Waitlist',
    filters: [],
    async show({ prefix, cursor }) {
      const found = await list({ cursor: /^\d{1,15}$/.test(cursor ?? '') ? cursor! : undefined, limit: 50 }, 0)
      if (found instanceof Failure) return notice('error', 'This list cannot be shown.')
      return html`<p>
          Uploads are open in ${allowedCountries.join(', ')}. Everyone who waits for a country gets one e-mail once
          uploads are open there.
        </p>
        ${allowedCountries.map(
          (country) =>
            html`<form method="post" action="${prefix}/admin/waitlist/notify">
              <input type="hidden" name="country" value="${country}" />
              <p><button class="second">Notify people waiting for ${country}</button></p>
            </form>`,
        )}
        ${table({
          caption: 'First come, first. Times are UTC.',
          empty: 'The waitlist is empty.',
          items: found.items,
          next: nextPage(prefix, 'waitlist', null, found.nextCursor),
          columns: [
            ['E-mail', ({ email, userId }) => html`<bdi>${email}</bdi><small><code>${userId}</code></small>`],
            ['Country', ({ country }) => country ?? 'not given'],
            ['Joined', ({ joinedAt }) => time(joinedAt)],
            ['Notified', ({ notifiedAt }) => time(notifiedAt) ?? 'no'],
          ],
        })}`
    },
    actions: {
      async notify({ country }, audit) {
        const answer = await notify({ country }, audit)
        return answer instanceof Failure ? { done: answer.code } : { done: 'notified', counts: [answer.notified] }
      },
    },
    notices: {
      notified: {
        kind: 'done',
        text: ([count = 0]) => `${count} ${count === 1 ? 'e-mail is' : 'e-mails are'} on the way.`,
      },
      country_not_open: { kind: 'error', text: () => 'Uploads are not open in that country; nobody was notified.' },
    },
  }
}

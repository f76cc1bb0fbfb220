import { Failure } from '../../http/failures.ts'
import { grouped } from '../../http/format.ts'
import { html, type Html, notice } from '../../http/html.ts'
import type { Acted, FormSection, Handed, List } from '../contract.ts'
import { contributorLink, nextPage, orDash, table, time } from '../pages.ts'

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
  /**
   * Counts who waits for each country in which uploads are open, and was not notified. Countries are two upper-case
   * letters.
   */
  readonly count: () => Promise<readonly { readonly country: string; readonly waiting: number }[]>
}

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })
/** Returns the English name of a country of two letters, or the letters where there is none. */
const countryName = (country: string): string => names.of(country) ?? country

/** Returns the section of the waitlist, to notify everyone who waits for a country. */
export function waitlistSection({ list, notify, count }: WaitlistDeps): FormSection<'waitlist'> {
  return {
    id: 'waitlist',
    title: 'Waitlist',
    filters: [],
    async show({ prefix, cursor }) {
      const page = await list({ cursor: /^\d{1,15}$/.test(cursor ?? '') ? cursor! : undefined, limit: 50 }, 0)
      if (page instanceof Failure) return notice('error', 'Could not load this list.')
      return html`<p>
          People who want to hear when uploads open in their country. Uploads are open in the countries of the first
          list. Each person is notified once.
        </p>
        <h2>Open countries</h2>
        ${table({
          caption: 'People who were not notified yet.',
          empty: 'Uploads are open in no country.',
          items: await count(),
          next: null,
          columns: [
            ['Country', ({ country }) => countryName(country)],
            ['Waiting', ({ waiting }) => grouped(waiting), 'number'],
            ['Actions', (entry) => notifyForm(prefix, entry)],
          ],
        })}
        <h2>Everyone on the waitlist</h2>
        ${table({
          caption: 'Oldest first. Times are UTC.',
          empty: 'The waitlist is empty.',
          items: page.items,
          next: nextPage(prefix, 'waitlist', {}, page.nextCursor),
          columns: [
            ['E-mail', ({ email, userId }) => contributorLink(prefix, userId, email)],
            ['Country', ({ country }) => orDash(country && countryName(country))],
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

function notifyForm(
  prefix: string,
  { country, waiting }: { readonly country: string; readonly waiting: number },
): Html {
  return html`<form method="post" action="${prefix}/admin/waitlist/notify">
    <input type="hidden" name="country" value="${country}" />
    <button
      class="second small"
      aria-label="Notify the waitlist of ${countryName(country)}"
      ${waiting === 0 ? html` disabled` : null}
    >
      Notify
    </button>
  </form>`
}

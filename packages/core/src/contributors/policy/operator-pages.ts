import type * as z from 'zod'
import { WaitlistItem, WaitlistQuery } from './contract.ts'
import type { WaitlistCount } from './store.ts'
import { Failure } from '../../http/failures.ts'
import { countries, html, type Html, messagesOf, number } from '../../ui/html.ts'
import { adminWaitlistMessages } from '../../messages/admin/waitlist.ts'
import type {
  CapabilityAction,
  FindAddresses,
  FormSection,
  CapabilityHandler,
  ItemPage,
  List,
  SectionListParams,
} from '../../admin/contract.ts'
import { listSection } from '../../ui/operator/list.ts'
import type { Column } from '../../ui/table.ts'
import {
  contributorLink,
  filterLinks,
  renderUnverifiedAddress,
  listPath,
  listTable,
  message as shared,
  renderOrDash,
  questionPage,
  sectionPath,
  time,
} from '../../ui/operator/pages.ts'

const message = messagesOf(adminWaitlistMessages)

const filters = ['waiting', 'notified'] as const

type Entry = z.output<typeof WaitlistItem>

export interface WaitlistDeps {
  readonly list: CapabilityHandler<z.output<typeof WaitlistQuery>, List<Entry>>
  readonly notify: CapabilityAction<{ country: string }, { readonly notified: number }>
  readonly remove: CapabilityAction<{ userId: string }, unknown>
  /**
   * Counts the people who wait for each country and were not notified, largest count first. Countries are two
   * upper-case letters.
   */
  readonly count: () => Promise<readonly WaitlistCount[]>
  /** The countries in which uploads are open. */
  readonly openCountries: readonly string[]
  readonly sendsMail: boolean
  readonly findAddresses: FindAddresses
}

/**
 * Returns the section of the waitlist: its countries and people, and the action that notifies the people of an open
 * country.
 */
export function waitlistSection(deps: WaitlistDeps): FormSection<'waitlist'> {
  const { list, notify, remove, count, openCountries, sendsMail, findAddresses } = deps
  return {
    id: 'waitlist',
    findName: async (country) => (/^[A-Z]{2}$/.test(country) ? country : null),
    filters,
    placesFilters: true,
    ...listSection({
      id: 'waitlist',
      query: WaitlistQuery,
      item: WaitlistItem,
      load: list,
      filterQuery: (filter) => ({ notified: String(filter === 'notified') }),
      hint: message('admin.waitlist.searchHint'),
      empty: () => message('admin.waitlist.empty'),
      async view({ items }: List<Entry>, shown) {
        const [counts, addresses] = await Promise.all([count(), findAddresses(items.map(({ userId }) => userId))])
        const named = counts.flatMap(({ country }) => country ?? [])
        const open = openCountries.filter((name) => !named.includes(name))
        return (
          askToRemove(shown, items) ??
          askToNotify(shown, counts, openCountries) ?? {
            above: html`<p>
                ${message('admin.waitlist.intro', { option: html`<code>--allowed-countries</code>` })}
                ${message(sendsMail ? 'admin.waitlist.oneMail' : 'admin.waitlist.noMail')}
              </p>
              <h2>${message('admin.waitlist.countries')}</h2>
              ${countryTable(shown.prefix, [...counts, ...open.map((country) => ({ country, waiting: 0 }))], openCountries)}
              <h2>${message('admin.waitlist.people')}</h2>
              ${filterLinks({ ...shown, section: { id: 'waitlist', filters } })}`,
            fields: [
              {
                name: 'country',
                label: message('admin.waitlist.country'),
                options: [...new Set([...named, ...openCountries])]
                  .toSorted()
                  .map((country) => [country, countries([country])]),
              },
            ],
            columns: peopleColumns(shown, addresses),
          }
        )
      },
    }),
    actions: {
      async notify({ country }, audit) {
        const result = await notify({ country }, audit)
        return result instanceof Failure
          ? { done: result.code }
          : { done: 'notified', counts: [result.notified], about: country }
      },
      async remove({ userId }, audit) {
        const result = await remove({ userId }, audit)
        return { done: result instanceof Failure ? result.code : 'removed' }
      },
    },
    notices: {
      notified: {
        kind: 'done',
        text: ([sent = 0], country) =>
          message('admin.waitlist.done', { count: sent, country: country === null ? '' : countries([country]) }),
      },
      removed: { kind: 'done', text: () => message('admin.waitlist.removed') },
      country_not_open: { kind: 'error', text: () => message('admin.waitlist.notOpen') },
      not_found: { kind: 'error', text: () => message('admin.waitlist.gone') },
    },
  }
}

const countryTable = (prefix: string, items: readonly WaitlistCount[], openCountries: readonly string[]): Html =>
  listTable({
    caption: message('admin.waitlist.countriesCaption'),
    empty: message('admin.waitlist.emptyCountries'),
    items,
    next: null,
    columns: [
      [
        message('admin.waitlist.country'),
        ({ country }) => (country === null ? message('admin.waitlist.noCountry') : countries([country])),
      ],
      [
        message('admin.waitlist.uploads'),
        ({ country }) =>
          openCountries.includes(country ?? '')
            ? html`<span class="tag good">${message('admin.waitlist.open')}</span>`
            : html`<span class="tag">${message('admin.waitlist.closed')}</span>`,
      ],
      [message('admin.waitlist.waiting'), ({ waiting }) => number(waiting), 'number'],
      [
        shared('admin.actions'),
        ({ country, waiting }) =>
          country === null || !openCountries.includes(country)
            ? html`<span class="hint">${message('admin.waitlist.openFirst')}</span>`
            : notifyLink(prefix, country, waiting),
        'act',
      ],
    ],
  })

function peopleColumns(shown: SectionListParams, addresses: ReadonlyMap<string, string>): Column<Entry>[] {
  return [
    [
      message('admin.waitlist.email'),
      ({ email, userId }) => {
        const verified = addresses.get(userId)
        return html`${contributorLink(shown.prefix, userId, verified)}${
          email === verified ? null : html`<br />${renderUnverifiedAddress(email)}`
        }`
      },
    ],
    [message('admin.waitlist.country'), ({ country }) => renderOrDash(country && countries([country]))],
    [message('admin.waitlist.joined'), ({ joinedAt }) => time(joinedAt), undefined, 'joinedAt'],
    [message('admin.waitlist.notified'), ({ notifiedAt }) => time(notifiedAt) ?? message('admin.waitlist.notYet')],
    [
      shared('admin.actions'),
      ({ userId, email }) =>
        html`<a
          href="${listPath(shown.prefix, 'waitlist', { cursor: shown.cursor, remove: userId })}"
          aria-label="${message('admin.waitlist.removeOne', { email })}"
          >${message('admin.waitlist.remove')}</a
        >`,
      'act',
    ],
  ]
}

function notifyLink(prefix: string, country: string, waiting: number): Html {
  if (waiting === 0) return html`<span class="hint">${message('admin.waitlist.nobody')}</span>`
  return html`<a
    class="button second small"
    href="${listPath(prefix, 'waitlist', { notify: country })}"
    aria-label="${message('admin.waitlist.notifyOf', { country: countries([country]) })}"
    >${message('admin.waitlist.notifyAsk', { count: waiting })}</a
  >`
}

/** Renders the confirmation before the people of the query's country are notified. Returns null without a country. */
function askToNotify(
  { prefix, query }: SectionListParams,
  counts: readonly WaitlistCount[],
  openCountries: readonly string[],
): ItemPage | null {
  const found = counts.find(({ country }) => country !== null && country === query['notify'])
  if (!found?.country || found.waiting === 0 || !openCountries.includes(found.country)) return null
  const { country, waiting: count } = found
  return questionPage({
    title: message('admin.waitlist.notifyTitle', { country: countries([country]) }),
    effect: html`<p>${message('admin.waitlist.notifyEffect', { count })}</p>`,
    action: `${prefix}/admin/waitlist/notify`,
    fields: { country },
    button: message('admin.waitlist.notify', { count }),
    isDangerous: false,
    back: `${prefix}${sectionPath('waitlist')}`,
  })
}

/** Renders the confirmation before the person in the query is removed. Returns null without a person. */
function askToRemove({ prefix, query }: SectionListParams, items: readonly Entry[]): ItemPage | null {
  const entry = items.find(({ userId }) => userId === query['remove'])
  if (!entry) return null
  return questionPage({
    title: message('admin.waitlist.askTitle'),
    effect: html`<p>${message('admin.waitlist.ask', { email: html`<bdi>${entry.email}</bdi>` })}</p>`,
    action: `${prefix}/admin/waitlist/remove`,
    fields: { userId: entry.userId },
    button: message('admin.waitlist.confirm'),
    back: `${prefix}${sectionPath('waitlist')}`,
  })
}

import { breakable, formError, html, type Html, messagesOf, notice, number, page, time as moment } from '../html.ts'
import { table, type Column } from '../table.ts'
import { adminMessages } from '../../messages/admin/frame.ts'
import { balanceParts, toDollars, toMicros } from '../../money.ts'
import type { CallingOperator } from '../../http/authenticate.ts'
import type { AdminSection, ItemPage } from '../../admin/contract.ts'

/** Puts a text that the operators' pages share into a page. */
export const message = messagesOf(adminMessages)

/** Returns the path of a section or of one of its items, below the mount prefix. The overview is `/admin` itself. */
export function sectionPath(section: string, item: string | null = null): string {
  const path = section === 'overview' ? '/admin' : `/admin/${section}`
  return item === null ? path : `${path}/${encodeURIComponent(item)}`
}

/** Returns the path of the form that withdraws a trace, and then returns to the sale, if there is one. */
export const withdrawalPath = (prefix: string, traceId: string, saleId: string | null = null): string =>
  listPath(prefix, 'buyers', { id: traceId, sale: saleId }, 'withdrawal')

/** Returns the title of a section. */
export const sectionTitle = ({ id }: Pick<AdminSection, 'id'>): Html => message(`admin.section.${id}`)

/** The number of items that wait for the operator in each section, by the id of the section. */
export type Waiting = Readonly<Record<string, number>>

/** Renders a page of the operator: the sections as links, and the list or item of the current section. */
export function operatorPage(view: {
  prefix: string
  /** The operator who is signed in. */
  operator: CallingOperator
  waiting: Waiting
  sections: readonly AdminSection[]
  /** The current section. Null means that the page does not exist. */
  section: AdminSection | null
  /** The title of the page. Null means the section's list, with its title. */
  title: Html | string | null
  /** The link back from an item. Default: a link to the list. */
  back?: Html
  filter: string | null
  /** The numbers of items that are shown next to the filters. */
  counts: Readonly<Record<string, number>>
  /** The query parameters of the page. */
  query: Readonly<Record<string, string>>
  body: Html
  result: { name: string; kind: 'done' | 'info' | 'error'; text: Html | string } | null
  /** Whether a form of the page was submitted with errors. */
  isInvalid?: boolean
}): string {
  const { prefix, operator, waiting, sections, section, filter, counts, query, body, result, isInvalid } = view
  const isList = section !== null && view.title === null
  const title = view.title ?? (section ? sectionTitle(section) : '')
  const current = isList ? 'page' : 'true'
  const waitingCount = (count = 0): Html | null =>
    count > 0
      ? html` <span class="badge">${number(count)}<span class="hidden"> ${message('admin.waiting')}</span></span>`
      : null
  const sectionLink = (one: AdminSection): Html =>
    html`<a href="${prefix}${sectionPath(one.id)}" ${one.id === section?.id ? html` aria-current="${current}"` : null}
      >${sectionTitle(one)}${waitingCount(waiting[one.id])}</a
    >`
  // On a phone the sections are a popover that the button opens; browsers without popovers show them above the heading.
  const nav = html`<span class="role"
      >${
        operator.role === 'viewer'
          ? message('admin.viewerNamed', { name: html`<bdi>${operator.name}</bdi>` })
          : operator.name === 'operator'
            ? message('admin.operator')
            : message('admin.operatorNamed', { name: html`<bdi>${operator.name}</bdi>` })
      }</span
    >
    <button class="plain menu" popovertarget="sections">${message('admin.menu')}</button>
    <form method="post" action="${prefix}/admin/sign-out">
      <button class="plain">${message('admin.signOut')}</button>
    </form>`
  const above = html`<nav id="sections" class="sections" popover aria-label="${message('admin.sections')}">
      ${sections.map(sectionLink)}
    </nav>
    ${
      isList || !section
        ? null
        : html`<p class="trail">
            ${view.back ?? html`<a href="${prefix}${sectionPath(section.id)}">${sectionTitle(section)}</a>`}
          </p>`
    }`
  const main = html`<div class="section">
    ${
      isList && !section.placesFilters
        ? filterLinks({ prefix, section, filter, query, counts: { ...selectWaiting(section, waiting), ...counts } })
        : null
    }
    ${
      result
        ? html`<div data-result="${result.name}">
            ${result.kind === 'error' ? formError(html`${result.text}`) : notice(result.kind, result.text)}
          </div>`
        : null
    }
    ${body}
  </div>`
  return page({
    title,
    tab: message('admin.tab', { title }),
    isInvalid: isInvalid || result?.kind === 'error',
    wide: true,
    nav,
    prefix,
    above,
    main,
  })
}

/** The value of the `filter` parameter that shows all items of a list with a default filter. */
export const noFilter = 'all'

/** Returns the number of waiting items, for the filter that shows these items. */
const selectWaiting = ({ id, waitingFilter }: AdminSection, waiting: Waiting): Readonly<Record<string, number>> =>
  waitingFilter === undefined ? {} : { [waitingFilter]: waiting[id] ?? 0 }

/** Renders the filters of a list as links with their known numbers. The links keep the query of the search form. */
export function filterLinks(view: {
  prefix: string
  section: Pick<AdminSection, 'id' | 'filters' | 'defaultFilter' | 'needsFilter'>
  filter: string | null
  query: Readonly<Record<string, string>>
  counts: Readonly<Record<string, number>>
}): Html | null {
  const { prefix, section, filter, query, counts } = view
  const { id, filters, defaultFilter } = section
  if (filters.length === 0) return null
  const { filter: _, cursor: __, ...search } = query
  const link = (name: string | null): Html =>
    html`<a
      href="${listPath(prefix, id, { ...search, filter: name ?? (defaultFilter === undefined ? null : noFilter) })}"
      ${name === filter ? html` aria-current="true"` : null}
      >${name === null ? message('admin.all') : translateValue(name)}${showCount(name)}</a
    >`
  const showCount = (name: string | null): Html | null =>
    name === null || counts[name] === undefined ? null : html` <span class="count">${number(counts[name])}</span>`
  return html`<nav class="filters" aria-label="${message('admin.filter')}">
    ${(section.needsFilter ? filters : [null, ...filters]).map(link)}
  </nav>`
}

/** Returns the word for a status or another value of a closed list. A value without a word is returned unchanged. */
export const translateValue = (value: string): Html => {
  const key = `admin.word.${value}`
  return Object.hasOwn(adminMessages, key) ? message(key as 'admin.word.open') : html`${value}`
}

/** Renders a list as a table with links to its first and its next page, or says that the list is empty. */
export function listTable<Item>(options: {
  caption: Html | string
  empty: Html | string
  columns: readonly Column<Item>[]
  items: readonly Item[]
  /** The URL of the first page if this is another page, which may be empty by now. */
  first?: string | null
  /** The URL of the next page, or null. */
  next: string | null
}): Html {
  const { empty, first, next, ...rest } = options
  const toFirst = first ? html`<a href="${first}" rel="first">${message('admin.first')}</a>` : null
  if (rest.items.length === 0) return html`<p data-empty>${toFirst ?? empty}</p>`
  const toNext = next ? html`<a href="${next}" rel="next">${message('admin.next')}</a>` : null
  return html`${table(rest)} ${toFirst || toNext ? html`<p class="actions">${toFirst} ${toNext}</p>` : null}`
}

/** Returns the URL of the next page of a section with the query of this page, or null. */
export function nextPage(
  prefix: string,
  section: string,
  query: Readonly<Record<string, string | null | undefined>>,
  cursor: string | null,
): string | null {
  return cursor === null ? null : listPath(prefix, section, { ...query, cursor })
}

/**
 * Returns the URL of a section's list, or of an item's page, with these query parameters. Empty parameters are left out.
 */
export function listPath(
  prefix: string,
  section: string,
  query: Readonly<Record<string, string | null | undefined>>,
  item: string | null = null,
): string {
  const kept = new URLSearchParams(
    Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1])),
  )
  return `${prefix}${sectionPath(section, item)}${kept.size > 0 ? `?${kept}` : ''}`
}

/** Returns the URL of the file of a section's list with these query parameters. */
export const csvPath = (prefix: string, section: string, query: Readonly<Record<string, string>>): string =>
  `${prefix}/admin/csv/${section}?${new URLSearchParams(query)}`

/** Renders an ISO 8601 time, or nothing for null. */
export function time(iso: string | null): Html | null {
  return iso === null ? null : moment(iso)
}

/** Renders a status or a severity as a label, in green or red if an operator should notice it. */
export function status(name: string, word: Html | string = translateValue(name)): Html {
  const kind = {
    approved: ' good',
    done: ' good',
    active: ' good',
    enabled: ' good',
    sent: ' good',
    resolved: ' good',
    rejected: ' bad',
    failed: ' bad',
    dead: ' bad',
    critical: ' bad',
    high: ' bad',
  }[name]
  return html`<span class="tag${kind}">${word}</span>`
}

/** Renders a link to the entries of the audit log about a subject. */
export const auditLink = (prefix: string, subject: string): Html =>
  html`<p><a href="${listPath(prefix, 'audit', { subject })}">${sectionTitle({ id: 'audit' })}</a></p>`

/**
 * Renders the hidden field of a form that creates something, so that repeated submissions of the form create one item.
 */
export function idempotencyField(key: string): Html {
  return html`<input type="hidden" name="idempotencyKey" value="${key}" />`
}

/**
 * Renders a link to the page without its query, so that the link shows the result of an action, and does not show the
 * notice of the action again.
 */
export const resultLink = (): Html => html`<a href="?">${message('admin.showResult')}</a>`

/** Renders a checkbox that confirms the effect of a form. The browser requires a checked box. */
export function confirmationBox({
  id,
  value = 'yes',
  label,
  error,
}: {
  id: string
  value?: string
  label: Html
  error?: Html | undefined
}): Html {
  return html`<p class="field check">
    <label for="${id}"
      ><input
        id="${id}"
        name="confirmed"
        type="checkbox"
        value="${value}"
        required
        ${error ? html` aria-invalid="true" aria-describedby="${id}-error"` : null}
      /><span>${label}</span></label
    >
    ${error ? html`<span class="error" id="${id}-error">${error}</span>` : null}
  </p>`
}

/**
 * Renders the confirmation page of an action: the effect of the action, the button of its form, and the link that
 * cancels the action.
 */
export const questionPage = (view: {
  readonly title: Html
  readonly effect: Html
  /** The path of the form. */
  readonly action: string
  /** Hidden fields of the form. Fields without a value are left out. */
  readonly fields: Readonly<Record<string, string | null | undefined>>
  readonly button: Html
  /** Whether the action cannot be undone, or ends something that is in use. */
  readonly isDangerous?: boolean
  /** The URL of the link that cancels the action. */
  readonly back: string
}): ItemPage => ({
  title: view.title,
  body: html`${view.effect}
    <form class="choice" method="post" action="${view.action}">
      ${Object.entries(view.fields)
        .filter(([, value]) => typeof value === 'string')
        .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
      <button class="${view.isDangerous === false ? 'main' : 'danger final'}">${view.button}</button>
      <a href="${view.back}">${message('admin.cancel')}</a>
    </form>`,
})

/** Renders the hidden field that keeps the filter of a list after a form in the list was sent. */
export function filterField(filter: string | null): Html {
  return html`<input type="hidden" name="filter" value="${filter ?? noFilter}" />`
}

/** Returns the parts of a balance in dollars, in whole cents, as a contributor reads them. */
export function formatBalances(balance: Readonly<Record<'balanceUsd' | 'pendingUsd' | 'lifetimeUsd', number>>) {
  const { available, pending, paidOut, total } = balanceParts({
    balance: toMicros(balance.balanceUsd),
    pending: toMicros(balance.pendingUsd),
    lifetime: toMicros(balance.lifetimeUsd),
  })
  return {
    available: toDollars(available),
    pending: toDollars(pending),
    unpaid: toDollars(available + pending),
    paidOut: toDollars(paidOut),
    total: toDollars(total),
  }
}

/** Renders a value, or a dash if the value is missing. */
export const renderOrDash = (value: Html | string | null | undefined): Html | string =>
  value === null || value === undefined || value === '' ? html`<span class="none">–</span>` : value

/**
 * Renders an address of a person or a website. A short address stays on one line; a long one breaks after a slash, or
 * anywhere if there is none.
 */
export const addressText = (address: string): Html =>
  address.length <= 40 ? html`<bdi class="whole">${address}</bdi>` : breakable(address)

/** Renders an address that a person gave, with the remark that the address is not verified. */
export const renderUnverifiedAddress = (address: string): Html =>
  html`<span data-given>${addressText(address)} <small>${message('admin.given')}</small></span>`

/** Renders a contributor as a link to their page: the verified address, or the user ID if there is no address. */
export const contributorLink = (prefix: string, userId: string, email: string | null | undefined): Html =>
  html`<a href="${prefix}${sectionPath('contributors', userId)}">${addressText(email ?? userId)}</a>`

import type * as z from 'zod'
import { Failure } from '../../http/failures.ts'
import { html, notice, type Html } from '../html.ts'
import { isTimeField, table, type Column } from '../table.ts'
import type { AdminSection, ItemPage, List, SectionListParams } from '../../admin/contract.ts'
import { csvPath, filterField, listPath, message, noFilter } from './pages.ts'

/** A field of the search form in addition to the words and the days. */
export interface SearchField {
  readonly name: string
  readonly label: Html | string
  /** The values to choose from, with their texts. Absent: the field is an input. */
  readonly options?: readonly (readonly [value: string, text: Html | string])[]
}

/** The query of an operators' list, which `ListQuery` creates. */
type ListQueryShape = z.ZodObject<Record<'q' | 'from' | 'to' | 'sort' | 'order' | 'cursor' | 'limit', z.ZodType>>

/**
 * Describes the list of a section. Shared code reads its query, and renders its search, its table, its pages and its
 * file.
 */
export interface ListDefinition<Query extends ListQueryShape, Item extends object> {
  readonly id: AdminSection['id']
  readonly query: Query
  /** The schema of an item, whose fields are the columns of the CSV file. */
  readonly item: { readonly shape: Readonly<Record<string, unknown>> }
  readonly load: (query: z.output<Query>, now: number) => Promise<List<Item> | Failure>
  /** Returns the parameters for the section's filter. Absent: each filter of the section is another list. */
  readonly filterQuery?: (filter: string) => Readonly<Record<string, string>>
  /** The id of the item whose page shows the list. Absent: the list belongs to the section. */
  readonly itemId?: string
  /** Whether the form also has fields for days. Default: true. */
  readonly hasDays?: boolean
  /** The query parameters for the first and last day on a page where `from` and `to` have another meaning. */
  readonly dayNames?: Readonly<Record<'from' | 'to', string>>
  /** Whether the whole search is folded until it is used, so that the list starts further up. Default: false. */
  readonly isFolded?: boolean
  /** A description of the values that the search compares. */
  readonly hint: Html | string
  /** Says that the list has no items at all. */
  readonly empty: () => Html
  /** Says that a filter has no items. Default: a text that is true of every filter. */
  readonly emptyFilters?: Readonly<Record<string, Html>>
  /**
   * Returns the columns of a page and the content above the search, or a page instead of the list, such as the
   * confirmation page of an action. Data of other capabilities in the columns is read in one call for all items.
   */
  readonly view: (
    page: List<Item>,
    shown: SectionListParams,
  ) => Promise<ListView<Item> | ItemPage> | ListView<Item> | ItemPage
}

export interface ListView<Item> {
  readonly above?: Html | null
  /** Fields of the search form in addition to the words and the days. */
  readonly fields?: readonly SearchField[]
  readonly columns: readonly Column<Item>[]
  /** The content after the list, such as a form. */
  readonly below?: Html
}

/** The parameters of a list that the search form and the links keep. */
type Kept = Readonly<Record<string, string>>

/** The number of items on a page. */
const shownItems = 25

const plainDayNames = { from: 'from', to: 'to' }

/** Reads the query parameters of a page. Leaves out parameters that are malformed or that the list does not have. */
function readQuery<Query extends ListQueryShape>(
  {
    query: schema,
    filterQuery,
    dayNames = plainDayNames,
  }: Pick<ListDefinition<Query, never>, 'query' | 'filterQuery' | 'dayNames'>,
  sent: Kept,
  filter: string | null,
): { readonly query: z.output<Query>; readonly kept: Kept } {
  const kept: Record<string, string> = {}
  const read: Record<string, string> = {}
  for (const [name, field] of Object.entries<z.ZodType>(schema.shape)) {
    const sentName = name === 'from' || name === 'to' ? dayNames[name] : name
    const value = sent[sentName]
    if (value && name !== 'limit' && field.safeParse(value).success) kept[sentName] = read[name] = value
  }
  const asked = { limit: shownItems, ...read, ...(filter === null ? {} : filterQuery?.(filter)) }
  const { data: query } = schema.safeParse(asked)
  if (query !== undefined) return { query, kept }
  // Each value is valid on its own, so the cursor belongs to another sort or order.
  delete kept['cursor']
  return { query: schema.parse({ ...asked, cursor: undefined }), kept }
}

/** Returns the functions that show a list and write the list to a file. */
export function listSection<Query extends ListQueryShape, Item extends object>(
  list: ListDefinition<Query, Item>,
): Required<Pick<AdminSection, 'show' | 'csv'>> {
  return {
    async show(shown) {
      const { query, kept } = readQuery(list, shown.query, shown.filter)
      const page = await list.load(query, shown.now)
      if (page instanceof Failure) return notice('error', message('admin.notLoaded'))
      const view = await list.view(page, shown)
      if ('body' in view) return view
      return html`${view.above} ${searchForm(list, view.fields ?? [], kept, shown)}
      ${listTable(list, { kept, query, page, columns: view.columns, shown })} ${view.below}`
    },
    csv: {
      fieldsOf: () => Object.keys(list.item.shape),
      load({ query: sent, filter, now }, cursor) {
        const { query } = readQuery(list, sent, filter)
        return list.load({ ...query, limit: 200, cursor: cursor ?? undefined }, now)
      },
    },
  }
}

/** Returns the parameter that keeps the filter of a list, or null if the list was opened without a filter. */
const filterParameter = ({ filter, query }: SectionListParams): string | null =>
  filter ?? (query['filter'] === undefined ? null : noFilter)

/** Returns the function that makes the URLs of a list with other parameters. */
const createLinks =
  ({ id, itemId }: Pick<ListDefinition<never, never>, 'id' | 'itemId'>, prefix: string) =>
  (query: Parameters<typeof listPath>[2]): string =>
    listPath(prefix, id, query, itemId ?? null)

function searchForm<Query extends ListQueryShape>(
  list: Pick<ListDefinition<Query, never>, 'id' | 'itemId' | 'hint' | 'hasDays' | 'dayNames' | 'isFolded'>,
  fields: readonly SearchField[],
  kept: Kept,
  shown: SectionListParams,
): Html {
  const { hint, hasDays = true, dayNames = plainDayNames, isFolded: isAllFolded = false } = list
  const link = createLinks(list, shown.prefix)
  const filter = filterParameter(shown)
  const { q, sort, order } = kept
  const isFolded = [...Object.values(dayNames), ...fields.map(({ name }) => name)].every(
    (name) => kept[name] === undefined,
  )
  const isNarrowed = q !== undefined || !isFolded
  const day = (name: 'from' | 'to'): Html =>
    html`<label class="field" for="list-${name}"
      >${message(`admin.${name}`)}
      <input id="list-${name}" name="${dayNames[name]}" type="date" value="${kept[dayNames[name]]?.slice(0, 10)}"
    /></label>`
  const form = html`<form class="search" method="get" action="${link({})}" role="search">
    ${filter === null ? null : filterField(filter)}
    ${sort ? html`<input type="hidden" name="sort" value="${sort}" />` : null}
    ${order ? html`<input type="hidden" name="order" value="${order}" />` : null}
    <label class="field grow" for="list-q"
      ><span>${hint}</span> <input id="list-q" name="q" type="search" value="${q}" maxlength="200"
    /></label>
    <p class="actions">
      <button class="second">${message('admin.search')}</button>
      ${isNarrowed ? html`<a href="${link({ filter, sort, order })}">${message('admin.clearSearch')}</a>` : null}
    </p>
    ${
      hasDays || fields.length > 0
        ? html`<details class="more" ${isFolded ? null : html` open`}>
            <summary>${message('admin.moreFilters')}</summary>
            <div>
              ${hasDays ? html`${day('from')} ${day('to')}` : null}
              ${fields.map((field) => searchField(field, kept[field.name]))}
            </div>
          </details>`
        : null
    }
  </form>`
  if (!isAllFolded) return form
  return html`<details ${isNarrowed ? html` open` : null}>
    <summary>${message('admin.searchAndFilter')}</summary>
    ${form}
  </details>`
}

function searchField({ name, label, options }: SearchField, value: string | undefined): Html {
  const input =
    options === undefined
      ? html`<input id="list-${name}" name="${name}" value="${value}" maxlength="200" />`
      : html`<select id="list-${name}" name="${name}">
          <option value="">${message('admin.any')}</option>
          ${options.map(
            ([one, text]) => html`<option value="${one}" ${one === value ? html` selected` : null}>${text}</option>`,
          )}
        </select>`
  return html`<label class="field" for="list-${name}">${label} ${input}</label>`
}

function listTable<Query extends ListQueryShape, Item extends object>(
  list: Pick<ListDefinition<Query, Item>, 'id' | 'itemId' | 'empty' | 'emptyFilters' | 'filterQuery'>,
  view: {
    readonly kept: Kept
    readonly query: z.output<Query>
    readonly page: List<Item>
    readonly columns: readonly Column<Item>[]
    readonly shown: SectionListParams
  },
): Html {
  const { kept, page, columns, shown } = view
  const { prefix, filter } = shown
  const link = createLinks(list, prefix)
  const chosen = filterParameter(shown)
  const { cursor, ...search } = { ...kept, ...(chosen === null ? {} : { filter: chosen }) } as Record<string, string>
  const { sort, order } = view.query as { sort: string; order: 'asc' | 'desc' }
  const first = cursor ? html`<a href="${link(search)}" rel="first">${message('admin.first')}</a>` : null
  if (page.items.length === 0) {
    // With a filter, the link keeps the search and shows the items of all filters, unless each filter is another list.
    const isFiltered = filter !== null && list.filterQuery !== undefined
    const all = isFiltered ? link({ ...search, filter: noFilter }) : link({ filter: chosen })
    const allLink = html`<a href="${all}">${message('admin.showAll')}</a>`
    const empty = isFiltered
      ? (list.emptyFilters?.[filter] ?? message('admin.noneOfFilter', { link: allLink }))
      : list.empty()
    const isNarrowed = Object.keys(search).some((name) => name !== 'sort' && name !== 'order' && name !== 'filter')
    return html`<p data-empty>${isNarrowed || cursor ? message('admin.noMatch', { link: allLink }) : empty}</p>`
  }
  const next = page.nextCursor
    ? html`<a href="${link({ ...search, cursor: page.nextCursor })}" rel="next">${message('admin.next')}</a>`
    : null
  return html`${table({
      caption: sortCaption(columns, { sort, order }),
      items: page.items,
      columns,
      sort: { by: sort, order, link: (by, to) => link({ ...search, sort: by, order: to }) },
    })}
    <p class="actions">
      ${first} ${next}
      <a
        href="${csvPath(prefix, list.id, list.itemId === undefined ? search : { ...search, item: list.itemId })}"
        download
        >${message('admin.csv')}</a
      >
    </p>`
}

/** Describes how a list is sorted: by a time, by a number or by the alphabet. */
function sortCaption<Item>(
  columns: readonly Column<Item>[],
  { sort, order }: { readonly sort: string; readonly order: 'asc' | 'desc' },
): Html {
  if (sort === 'signedUpAt') return message(`admin.accounts.${order}`)
  const sorted = columns.find(([, , , name]) => name === sort)
  if (!sorted || isTimeField(sort)) return message(order === 'asc' ? 'admin.oldestFirst' : 'admin.newestFirst')
  const [column, , kind] = sorted
  return message(kind === 'number' ? `admin.numbers.${order}` : `admin.words.${order}`, { column })
}

import * as z from 'zod'
import type { SignedInOperator } from '../http/authenticate.ts'
import type { Failure, Issue } from '../http/failures.ts'
import type { Flash } from '../http/flash.ts'
import type { Html } from '../ui/html.ts'
import { route, type AuditContext, type Form } from '../http/route.ts'
import type { adminMessages } from '../messages/admin/frame.ts'
import { adminForms } from './forms.ts'

/**
 * The result of an action: the key of a notice of its section, the counts that the notice shows, and the item to open.
 */
export interface Outcome extends Flash {
  /**
   * A secret that is shown once, above the section. The reply is not a redirect, because a URL must not contain the
   * secret. The form has `showsOnce`.
   */
  readonly once?: Html
  /**
   * A page that is shown instead of the section. If the form has `asks`, the page is a confirmation, and the action was
   * not carried out yet. If the form has `showsOnce`, the page is the result and contains a secret. An outcome with a
   * page or with errors is never replayed: the form's idempotency key is still unused.
   */
  readonly page?: ItemPage
  /** The section to open, which has the notice. Default: the section of the form. */
  readonly section?: SectionId
  readonly item?: string
  /** The errors by field. The form is shown again with these errors, and the action is not carried out. */
  readonly issues?: readonly Issue[]
}

type Forms = typeof adminForms
/** The idempotency key of a form. A page that asks before the action has a form with the same key. */
interface FormKey {
  readonly idempotencyKey?: string | undefined
}
/**
 * One function for each form of a section, with a parameter of the form's type. `effectId` is the id of the item that
 * the function creates. The id is the same each time that the form is submitted.
 */
type Actions<Id extends keyof Forms> = {
  readonly [Name in keyof Forms[Id]]: Forms[Id][Name] extends { form: infer F extends z.ZodType }
    ? (
        value: z.output<F> & FormKey,
        audit: AuditContext,
        effectId: string,
        operator: SignedInOperator,
      ) => Promise<Outcome>
    : never
}

/** The parameters of a list in a section of the operator pages. */
export interface SectionListParams {
  readonly prefix: string
  readonly operator: SignedInOperator
  /** One of the section's filters, or null for all items. */
  readonly filter: string | null
  readonly cursor: string | null
  /** The counts that `countFilters` returned. */
  readonly counts: Readonly<Record<string, number>>
  /** The page's query parameters, in the form in which they were sent. */
  readonly query: Readonly<Record<string, string>>
  readonly now: number
  /** The idempotency key of the page's forms that create something: `idempotencyField`. */
  readonly formKey: string
  /** A form of the section that was submitted with errors. */
  readonly problem: { readonly action: string; readonly form: Form<unknown> } | null
}

type SectionId = keyof typeof adminMessages extends infer Key
  ? Key extends `admin.section.${infer Id}`
    ? Id
    : never
  : never

/** Selects the part of a list that is downloaded as CSV: the query and the filter of the list's page. */
export type CsvRequest = Pick<SectionListParams, 'query' | 'filter' | 'now'>

/** A section of the operator page as data: its list, its forms, and the notices after a form was submitted. */
export interface AdminSection {
  /** One lower-case word; its title is the text `admin.section.<id>`. */
  readonly id: SectionId
  /** The filters of the list. */
  readonly filters: readonly string[]
  /** Whether the section shows its filters itself, below other content. */
  readonly placesFilters?: boolean
  /** Whether one filter is always selected, because each filter is a separate list. */
  readonly needsFilter?: boolean
  /** The filter of a list that is opened without a filter. Without this default, all items are shown. */
  readonly defaultFilter?: string
  /** The filter of the items that wait for the operator. The number of these items is shown next to the filter. */
  readonly waitingFilter?: string
  /**
   * Counts the items of each filter that match the query. A filter that the result leaves out is shown without a
   * number.
   */
  countFilters?(query: SectionListParams['query']): Promise<Readonly<Record<string, number>>>
  /** Shows the list, or a page with its own title: the confirmation before an action. */
  show(asked: SectionListParams): Promise<Html | ItemPage>
  /** The list as a CSV file: the names of the fields, and a function that loads a page of the requested items. */
  readonly csv?: {
    fieldsOf(asked: CsvRequest): readonly string[]
    load(asked: CsvRequest, cursor: string | null): Promise<List<object> | Failure>
  }
  /** Returns the name of the item that a notice is about, or null. */
  findName?(id: string): Promise<string | null>
  /** Shows one item of the section on a page of its own, or null when there is no such item. */
  showItem?(item: string, asked: SectionListParams, audit: AuditContext): Promise<ItemPage | null>
  readonly actions: Readonly<
    Record<
      string,
      (value: never, audit: AuditContext, effectId: string, operator: SignedInOperator) => Promise<Outcome>
    >
  >
  readonly notices: Readonly<Record<string, Notice>>
}

/** A page of a section with its own title and a link back to the list. */
export interface ItemPage {
  readonly title: Html | string
  /** The link back. Default: a link to the list of the section. */
  readonly back?: Html
  readonly body: Html
}

/** A section that has forms. */
export type FormSection<Id extends keyof Forms & SectionId> = AdminSection & {
  readonly id: Id
  readonly actions: Actions<Id>
}

export interface Notice {
  readonly kind: 'done' | 'info' | 'error'
  /** `name` is the name of the item in the outcome's `about`, or null when the item has no name. */
  readonly text: (counts: readonly number[], name: string | null) => Html | string
}

/** A page of a list as the operator's routes return it. */
export interface List<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | null
}

/** An action of another capability, passed in by `sections.ts`. */
export type CapabilityAction<Asked, Answer> = (asked: Asked, audit: AuditContext) => Promise<Answer | Failure>

/** An action that creates the item with the id `effectId`. The id is the same when the form is submitted again. */
export type CreatingAction<Asked, Answer> = (
  asked: Asked,
  audit: AuditContext,
  effectId: string,
) => Promise<Answer | Failure>

/** A handler of another capability, passed in by `sections.ts`. */
export type CapabilityHandler<Asked, Answer> = (asked: Asked, now: number) => Promise<Answer | Failure>

/**
 * Returns the company of an application or a contributor by id, or the e-mail address if there is no company. Returns
 * null if there is neither.
 */
export type FindName = (id: string) => Promise<string | null>

/** Returns the e-mail addresses of users by user ID. Leaves out users without a known address. */
export type FindAddresses = (userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>

const operatorPage = {
  method: 'GET',
  auth: 'admin-page',
  envelope: 'ok',
  reply: 'page',
  success: [200, 401],
} as const

const List = z.object({ filter: z.string().max(32).optional(), cursor: z.string().max(256).optional() })

const adminPage = route({
  ...operatorPage,
  path: '/admin',
  summary: 'Show the overview of the operator',
  query: List,
  failures: {},
})

const adminSection = route({
  ...operatorPage,
  path: '/admin/:section',
  summary: 'Show a section of the operator pages',
  params: z.object({ section: z.string().max(64) }),
  query: List,
  failures: { not_found: 404 },
})

const adminCsv = route({
  method: 'GET',
  path: '/admin/csv/:section',
  auth: 'admin-page',
  envelope: 'ok',
  summary: 'Download a list of an operator section',
  description: 'Returns all items of a list that the query of the page asks for, as CSV.',
  params: z.object({ section: z.string().max(64) }),
  reply: 'stream',
  media: 'text/csv',
  failures: { unauthorized: 401, not_found: 404 },
})

const adminItem = route({
  ...operatorPage,
  path: '/admin/:section/:item',
  summary: 'Show an item of an operator section',
  params: z.object({ section: z.string().max(64), item: z.string().max(128) }),
  failures: { not_found: 404 },
})

/**
 * Hidden fields of a form. `filter` and `item` determine where the browser goes afterwards: to the list with this
 * filter, or to the item's page.
 */
const Hidden = { filter: z.string().max(32).optional(), item: z.string().max(128).optional() }

/**
 * `idempotencyKey` is the same for every submission of one form, which then has only one effect. A form that shows a
 * secret does not have the field: a second submission would need the secret, which is not stored.
 */
const Key = {
  idempotencyKey: z
    .string()
    .regex(/^[ -~]{1,255}$/)
    .optional(),
}

/** Returns whether viewers may submit the forms of a section, which then change only the viewer's own data. */
export const canViewersSubmit = (section: string): boolean => section === 'keys'

/**
 * Creates the route of an action, `POST /admin/<section>/<action>`. 303 redirects to the section, with the filter that
 * the form sent, or to the page of an item; 200 shows a secret once, or the confirmation before the action.
 */
function actionRoute(
  section: string,
  name: string,
  { summary, form, showsOnce, asks }: { summary: string; form: z.ZodObject; showsOnce?: true; asks?: true },
) {
  return route({
    method: 'POST',
    path: `/admin/${section}/${name}`,
    auth: 'admin-page',
    envelope: 'ok',
    summary,
    reply: 'page',
    form: form.extend(showsOnce ? Hidden : { ...Hidden, ...Key }),
    success: [303, 400, 401, ...(showsOnce || asks ? [200] : [])],
    failures: canViewersSubmit(section) ? {} : { read_only: 403 },
  })
}

/** The pages, and a route for each of their forms, named `admin.<section>.<action>`. */
export const adminContract: {
  readonly adminPage: typeof adminPage
  readonly adminSection: typeof adminSection
  readonly adminItem: typeof adminItem
  readonly adminCsv: typeof adminCsv
  readonly [action: `admin.${string}`]: ReturnType<typeof actionRoute>
} = {
  adminPage,
  adminSection,
  adminItem,
  adminCsv,
  ...Object.fromEntries(
    Object.entries(adminForms).flatMap(([section, forms]) =>
      Object.entries(forms).map(([name, form]) => [`admin.${section}.${name}`, actionRoute(section, name, form)]),
    ),
  ),
}

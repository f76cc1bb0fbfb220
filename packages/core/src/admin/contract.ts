import * as z from 'zod'
import type { Failure } from '../http/failures.ts'
import type { Html } from '../http/html.ts'
import { route, type AuditContext, type Form } from '../http/route.ts'
import { adminForms } from './forms.ts'

/** What an action came to: the key of one of its section's notices, with the numbers that it tells. */
export interface Outcome {
  readonly done: string
  readonly counts?: readonly number[]
}

type Forms = typeof adminForms
/** What the forms of a section do, one function for each of `adminForms`, its value typed by its form. */
type Actions<Id extends keyof Forms> = {
  readonly [Name in keyof Forms[Id]]: Forms[Id][Name] extends { form: infer F extends z.ZodType }
    ? (value: z.output<F>, audit: AuditContext) => Promise<Outcome>
    : never
}

/** What a section is asked to show. */
export interface Shown {
  readonly prefix: string
  /** One of the section's filters, or null for all. */
  readonly filter: string | null
  readonly cursor: string | null
  readonly now: number
  /** A form of the section that was sent with mistakes. */
  readonly problem: { readonly action: string; readonly form: Form<unknown> } | null
}

/** A part of the operator's page, as data: it brings its list, its forms and what to say after them. */
export interface AdminSection {
  /** One lower-case word. */
  readonly id: string
  readonly title: string
  /** What the list can be narrowed to; none if there is nothing to narrow. */
  readonly filters: readonly string[]
  show(asked: Shown): Promise<Html>
  readonly actions: Readonly<Record<string, (value: never, audit: AuditContext) => Promise<Outcome>>>
  readonly notices: Readonly<Record<string, Notice>>
}

/** A section that has forms. */
export type FormSection<Id extends keyof Forms> = AdminSection & { readonly id: Id; readonly actions: Actions<Id> }

export interface Notice {
  readonly kind: 'done' | 'error'
  readonly text: (counts: readonly number[]) => string
}

/** A list of ours as the operator's routes give it. */
export interface List<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | null
}

/** An action of another capability, handed over by `sections.ts`. */
export type Acted<Asked, Answer> = (asked: Asked, audit: AuditContext) => Promise<Answer | Failure>

/** What a handler of another capability answers, handed over by service.ts. */
export type Handed<Asked, Answer> = (asked: Asked, now: number) => Promise<Answer | Failure>

const adminPage = route({
  method: 'GET',
  path: '/admin',
  auth: 'admin-page',
  envelope: 'ok',
  summary: "The operator's page, a section at a time; without a session, the way to sign in",
  query: z.object({
    section: z.string().max(32).optional(),
    filter: z.string().max(32).optional(),
    cursor: z.string().max(256).optional(),
    done: z.string().max(32).optional(),
    counts: z
      .string()
      .regex(/^\d{1,9}(?:-\d{1,9}){0,3}$/)
      .optional(),
  }),
  reply: 'page',
  success: [200, 401],
  failures: {},
})

/** The route of an action, `POST /admin/<section>/<action>`. 303 leads back to the section, narrowed as its list was when the form says so in `filter`. */
function actionRoute(section: string, name: string, { summary, form }: { summary: string; form: z.ZodObject }) {
  return route({
    method: 'POST',
    path: `/admin/${section}/${name}`,
    auth: 'admin-page',
    envelope: 'ok',
    summary,
    reply: 'page',
    form: form.extend({ filter: z.string().max(32).optional() }),
    success: [303, 400, 401],
    failures: {},
  })
}

/** The page, and the route of each of its forms by the name `admin.<section>.<action>`. */
export const adminContract: {
  readonly adminPage: typeof adminPage
  readonly [action: `admin.${string}`]: ReturnType<typeof actionRoute>
} = {
  adminPage,
  ...Object.fromEntries(
    Object.entries(adminForms).flatMap(([section, forms]) =>
      Object.entries(forms).map(([name, form]) => [`admin.${section}.${name}`, actionRoute(section, name, form)]),
    ),
  ),
}

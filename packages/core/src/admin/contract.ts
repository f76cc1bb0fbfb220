import * as z from 'zod'
import type { Failure } from '../http/failures.ts'
import type { Form } from '../http/form.ts'
import type { Html } from '../http/html.ts'
import { route, type RouteShape } from '../http/route.ts'

/** What an action came to: the key of one of its section's notices, with the numbers that it tells. */
export interface Outcome {
  readonly done: string
  readonly counts?: readonly number[]
}

/** A form of a section. Its route is `POST /admin/<section>/<action>`. */
export interface AdminAction {
  readonly summary: string
  readonly form: z.ZodObject
  readonly run: (value: never, now: number) => Promise<Outcome>
}

/** An action, its value typed by its form. */
export function action<F extends z.ZodObject>(summary: string, form: F, run: (value: z.output<F>, now: number) => Promise<Outcome>): AdminAction {
  return { summary, form, run }
}

/** What a section is asked to show. */
export interface Shown {
  readonly prefix: string
  /** One of the section's filters, or null for all. */
  readonly filter: string | null
  readonly cursor: string | null
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
  readonly actions: Readonly<Record<string, AdminAction>>
  readonly notices: Readonly<Record<string, Notice>>
}

export interface Notice {
  readonly kind: 'done' | 'error'
  readonly text: (counts: readonly number[]) => string
}

/** A list of ours as the operator's routes give it. */
export interface List<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | null
}

/** What a handler of another capability answers, handed over by service.ts. */
export type Handed<Asked, Answer> = (asked: Asked, now: number) => Promise<Answer | Failure>

export const adminPage = route({
  method: 'GET', path: '/admin', auth: 'admin-page', envelope: 'ok',
  summary: 'The operator\'s page, a section at a time; without a session, the way to sign in',
  query: z.object({
    section: z.string().max(32).optional(), filter: z.string().max(32).optional(), cursor: z.string().max(256).optional(),
    done: z.string().max(32).optional(), counts: z.string().regex(/^\d{1,9}(?:-\d{1,9}){0,3}$/).optional(),
  }),
  reply: 'page', success: [200, 401], failures: {},
})

/** The route of an action. 303 leads back to the section, narrowed as its list was when the form says so in `filter`. */
export function actionRoute(section: string, name: string, { summary, form }: AdminAction): RouteShape {
  return route({
    method: 'POST', path: `/admin/${section}/${name}`, auth: 'admin-page', envelope: 'ok', summary, reply: 'page',
    form: form.extend({ filter: z.string().max(32).optional() }),
    success: [303, 400, 401], failures: {},
  })
}

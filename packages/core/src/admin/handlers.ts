import { fail, type Failure } from '../http/failures.ts'
import type { Form } from '../http/form.ts'
import type { PlainRequest } from '../http/message.ts'
import { redirect, reply, type Input, type Mounted, type Reply } from '../http/route.ts'
import { actionRoute, adminPage, type AdminAction, type AdminSection, type Shown } from './contract.ts'
import { operatorPage } from './pages.ts'

export interface AdminDeps {
  readonly prefix: string
  /** The first is shown when none is named. */
  readonly sections: readonly AdminSection[]
  /** Whether this browser is the operator's. */
  readonly signedIn: (request: PlainRequest, now: number) => 'yes' | 'no' | 'off'
  /** The page on which the operator signs in. */
  readonly signInPage: () => string
}

type Asked = Pick<Input<typeof adminPage>, 'request' | 'now'>

/** Null for the operator; everybody else gets the way to sign in, or nothing where there is no operator. */
function stranger({ request, now }: Asked, { signedIn, signInPage }: AdminDeps): Reply<string> | Failure<'not_found'> | null {
  const answer = signedIn(request, now)
  if (answer === 'yes') return null
  return answer === 'off' ? fail('not_found') : reply(401, signInPage())
}

async function show(section: AdminSection, asked: Omit<Shown, 'prefix'>, done: string | undefined, counts: readonly number[], { prefix, sections }: AdminDeps): Promise<string> {
  const told = done !== undefined && Object.hasOwn(section.notices, done) ? section.notices[done]! : null
  return operatorPage({
    prefix, sections, section, filter: asked.filter, body: await section.show({ ...asked, prefix }),
    told: told && { kind: told.kind, text: told.text(counts) },
  })
}

async function get(input: Input<typeof adminPage>, deps: AdminDeps): Promise<string | Reply<string> | Failure> {
  const refused = stranger(input, deps)
  if (refused) return refused
  const { section: id, filter, cursor, done, counts } = input.query
  const section = deps.sections.find((one) => one.id === id) ?? deps.sections[0]
  if (!section) return fail('not_found')
  const narrowed = filter !== undefined && section.filters.includes(filter) ? filter : null
  return show(section, { filter: narrowed, cursor: cursor ?? null, problem: null }, done, (counts ?? '').split('-').map(Number), deps)
}

async function act(section: AdminSection, name: string, action: AdminAction, input: Asked & { body: Form<unknown> }, deps: AdminDeps): Promise<Reply | Failure> {
  const refused = stranger(input, deps)
  if (refused) return refused
  const { body, now } = input
  const filter = section.filters.find((one) => one === body.fields['filter']) ?? null
  if (!body.value) return reply(400, await show(section, { filter, cursor: null, problem: { action: name, form: body } }, undefined, [], deps))
  const { done, counts = [] } = await action.run(body.value as never, now)
  return redirect(`/admin?section=${section.id}${filter === null ? '' : `&filter=${filter}`}&done=${done}${counts.length > 0 ? `&counts=${counts.join('-')}` : ''}`)
}

/** The operator's page and the route of each action, ready for dispatch. Each form counts only from our own pages, as everywhere. */
export function mountAdmin(deps: AdminDeps): Mounted[] {
  const actions = deps.sections.flatMap((section) => Object.entries(section.actions).map(([name, action]): Mounted => ({
    name: `admin.${section.id}.${name}`, route: actionRoute(section.id, name, action), gate: null,
    run: (input: never) => act(section, name, action, input, deps),
  })))
  return [{ name: 'adminPage', route: adminPage, gate: null, run: (input: never) => get(input, deps) }, ...actions]
}

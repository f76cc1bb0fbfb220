import { auditContext } from './audit/rules.ts'
import { fail, type Failure } from '../http/failures.ts'
import type { Form } from '../http/form.ts'
import type { PlainRequest } from '../http/message.ts'
import { mount, redirect, reply, type Handlers, type Input, type Mounted, type Reply } from '../http/route.ts'
import { adminContract, type AdminSection, type Shown } from './contract.ts'
import { operatorPage } from './pages.ts'
import type { Random } from '../ports.ts'

export interface AdminDeps {
  readonly prefix: string
  readonly random: Random
  /** The first is shown when none is named. */
  readonly sections: readonly AdminSection[]
  /** Whether this browser is the operator's. */
  readonly signedIn: (request: PlainRequest, now: number) => Promise<{ readonly name: string } | 'no' | 'off'>
  /** The page on which the operator signs in. */
  readonly signInPage: () => string
}

type Page = typeof adminContract.adminPage
type Asked = Pick<Input<Page>, 'request' | 'address' | 'requestId' | 'now'>

/** The operator's name; everybody else gets the way to sign in, or nothing where there is no operator. */
async function operatorOf(
  { request, now }: Asked,
  { signedIn, signInPage }: AdminDeps,
): Promise<{ readonly name: string } | Reply<string> | Failure<'not_found'>> {
  const answer = await signedIn(request, now)
  if (answer === 'off') return fail('not_found')
  return answer === 'no' ? reply(401, signInPage()) : answer
}

async function show(
  section: AdminSection,
  asked: Omit<Shown, 'prefix'>,
  done: string | undefined,
  counts: readonly number[],
  { prefix, sections }: AdminDeps,
): Promise<string> {
  const told = done !== undefined && Object.hasOwn(section.notices, done) ? section.notices[done]! : null
  return operatorPage({
    prefix,
    sections,
    section,
    filter: asked.filter,
    body: await section.show({ ...asked, prefix }),
    told: told && { kind: told.kind, text: told.text(counts) },
  })
}

async function get(input: Input<Page>, deps: AdminDeps): Promise<string | Reply<string> | Failure<'not_found'>> {
  const operator = await operatorOf(input, deps)
  if (!('name' in operator)) return operator
  const { section: id, filter, cursor, done, counts } = input.query
  const section = deps.sections.find((one) => one.id === id) ?? deps.sections[0]
  if (!section) return fail('not_found')
  const narrowed = filter !== undefined && section.filters.includes(filter) ? filter : null
  return show(
    section,
    { filter: narrowed, cursor: cursor ?? null, now: input.now, problem: null },
    done,
    (counts ?? '').split('-').map(Number),
    deps,
  )
}

async function act(
  section: AdminSection,
  name: string,
  input: Asked & { body: Form<unknown> },
  deps: AdminDeps,
): Promise<Reply | Failure> {
  const operator = await operatorOf(input, deps)
  if (!('name' in operator)) return operator
  const { body, now, requestId, address } = input
  const filter = section.filters.find((one) => one === body.fields['filter']) ?? null
  if (!body.value)
    return reply(
      400,
      await show(section, { filter, cursor: null, now, problem: { action: name, form: body } }, undefined, [], deps),
    )
  const { done, counts = [] } = await section.actions[name]!(
    body.value as never,
    auditContext({ actor: operator.name, requestId, address, now }, deps.random),
  )
  return redirect(
    `/admin?section=${section.id}${filter === null ? '' : `&filter=${filter}`}&done=${done}${counts.length > 0 ? `&counts=${counts.join('-')}` : ''}`,
  )
}

function adminHandlers(deps: AdminDeps): Handlers<typeof adminContract, null> {
  const actions = deps.sections.flatMap((section) =>
    Object.keys(section.actions).map(
      (name) =>
        [
          `admin.${section.id}.${name}`,
          (input: Asked & { body: Form<unknown> }) => act(section, name, input, deps),
        ] as const,
    ),
  )
  return { adminPage: (input) => get(input, deps), ...Object.fromEntries(actions) }
}

/** Binds the operator's page and the route of each of its forms. */
export const mountAdmin = (deps: AdminDeps): Mounted[] => mount(adminContract, adminHandlers(deps), null)

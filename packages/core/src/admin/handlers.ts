import { auditContext } from './audit/rules.ts'
import { fail, type Failure } from '../http/failures.ts'
import { html, type Html } from '../http/html.ts'
import type { PlainRequest } from '../http/message.ts'
import {
  mount,
  redirect,
  reply,
  type Handlers,
  type Input,
  type Mounted,
  type Reply,
  type Form,
} from '../http/route.ts'
import { adminContract, type AdminSection, type Shown } from './contract.ts'
import { operatorPage } from './pages.ts'
import type { Random } from '../ports.ts'

export interface AdminDeps {
  readonly prefix: string
  readonly random: Random
  /** The first is the default. */
  readonly sections: readonly AdminSection[]
  /** Returns the signed-in operator of a browser; `off`: the service has no operators. */
  readonly signedIn: (request: PlainRequest, now: number) => Promise<{ readonly name: string } | 'no' | 'off'>
  /** Renders the operators' sign-in page. */
  readonly signInPage: () => string
}

type Page = typeof adminContract.adminPage
type PageRequest = Pick<Input<Page>, 'request' | 'address' | 'requestId' | 'now'>

/** Returns the signed-in operator; else the sign-in page, or 404 when the service has no operators. */
async function findOperator(
  { request, now }: PageRequest,
  { signedIn, signInPage }: AdminDeps,
): Promise<{ readonly name: string } | Reply<string> | Failure<'not_found'>> {
  const answer = await signedIn(request, now)
  if (answer === 'off') return fail('not_found')
  return answer === 'no' ? reply(401, signInPage()) : answer
}

async function renderSection(
  section: AdminSection,
  view: Omit<Shown, 'prefix'>,
  done: string | undefined,
  counts: readonly number[],
  { prefix, sections }: AdminDeps,
  once: Html | null = null,
): Promise<string> {
  const message = done !== undefined && Object.hasOwn(section.notices, done) ? section.notices[done]! : null
  return operatorPage({
    prefix,
    sections,
    section,
    filter: view.filter,
    body: html`${once}${await section.show({ ...view, prefix })}`,
    result: message && { name: done!, kind: message.kind, text: message.text(counts) },
  })
}

async function openPage(input: Input<Page>, deps: AdminDeps): Promise<string | Reply<string> | Failure<'not_found'>> {
  const operator = await findOperator(input, deps)
  if (!('name' in operator)) return operator
  const { section: id, filter, cursor, done, counts } = input.query
  const section = deps.sections.find((candidate) => candidate.id === id) ?? deps.sections[0]
  if (!section) return fail('not_found')
  const activeFilter = filter !== undefined && section.filters.includes(filter) ? filter : null
  return renderSection(
    section,
    { filter: activeFilter, cursor: cursor ?? null, now: input.now, problem: null },
    done,
    (counts ?? '').split('-').map(Number),
    deps,
  )
}

async function runAction(
  section: AdminSection,
  name: string,
  input: PageRequest & { body: Form<unknown> },
  deps: AdminDeps,
): Promise<Reply | Failure> {
  const operator = await findOperator(input, deps)
  if (!('name' in operator)) return operator
  const { body, now, requestId, address } = input
  const filter = section.filters.find((value) => value === body.fields['filter']) ?? null
  if (!body.value)
    return reply(
      400,
      await renderSection(
        section,
        { filter, cursor: null, now, problem: { action: name, form: body } },
        undefined,
        [],
        deps,
      ),
    )
  const {
    done,
    counts = [],
    once,
  } = await section.actions[name]!(
    body.value as never,
    auditContext({ actor: operator.name, requestId, address, now }, deps.random),
  )
  if (once) {
    const view = { filter, cursor: null, now, problem: null }
    return reply(200, await renderSection(section, view, done, counts, deps, once))
  }
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
          (input: PageRequest & { body: Form<unknown> }) => runAction(section, name, input, deps),
        ] as const,
    ),
  )
  return { adminPage: (input) => openPage(input, deps), ...Object.fromEntries(actions) }
}

/** Binds the operator's page and the routes of its forms. */
export const mountAdmin = (deps: AdminDeps): Mounted[] => mount(adminContract, adminHandlers(deps), null)

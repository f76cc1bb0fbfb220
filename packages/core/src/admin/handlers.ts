import { auditContext } from '../http/audit-context.ts'
import type { AuditContext } from '../audit/store.ts'
import type { OperatorCheck } from '../auth/operator.ts'
import type { SignedInOperator } from '../http/authenticate.ts'
import { fail, Failure } from '../http/failures.ts'
import type { Flash } from '../http/flash.ts'
import { Html, html } from '../ui/html.ts'
import { type PlainRequest, asksForPage } from '../http/message.ts'
import { redirect, Reply, reply, mount, type Handlers, type Input, type Mounted, type Form } from '../http/route.ts'
import { csvLine } from '../http/csv.ts'
import {
  adminContract,
  type AdminSection,
  type CsvRequest,
  type List,
  type Notice,
  type Outcome,
  type SectionListParams,
  canViewersSubmit,
} from './contract.ts'
import { message, noFilter, operatorPage, resultLink, sectionPath, type Waiting } from '../ui/operator/pages.ts'
import type { Idempotency } from '../http/idempotency.ts'
import { toHex, uuid7 } from '../ids.ts'
import type { Random } from '../ports.ts'

export interface AdminDeps {
  readonly prefix: string
  readonly random: Random
  /** Returns the earlier result for a form that was submitted with the same key before. */
  readonly idempotency: Idempotency
  /** The sections. The first is the default. */
  readonly sections: readonly AdminSection[]
  /** Returns the signed-in operator of a browser. `off` means that the service has no operators. */
  readonly signedIn: (request: PlainRequest, now: number) => Promise<OperatorCheck>
  /** Renders the operators' sign-in page. `next` is the operator's page that was requested. */
  readonly signInPage: (view: {
    readonly request: PlainRequest
    readonly now: number
    readonly isSignedOut: boolean
    readonly next: string
  }) => Promise<string>
  /** Adds to the audit log that a list was downloaded. */
  readonly recordDownload: (section: string, audit: AuditContext) => Promise<void>
  /** Counts the items that wait for the operator, by section. */
  readonly countWaiting: (now: number) => Promise<Waiting>
}

type PageRequest = Pick<Input<typeof adminContract.adminPage>, 'request' | 'address' | 'requestId' | 'now'>
type ListInput = Input<typeof adminContract.adminSection>
type NotShown = Reply<string> | Failure<'not_found'>

/** Returns the signed-in operator. Otherwise returns the sign-in page, or 404 if the service has no operators. */
async function findOperator(
  { request, now }: PageRequest,
  { signedIn, signInPage }: AdminDeps,
  { isSignedOut = false, next = '/admin' }: { readonly isSignedOut?: boolean; readonly next?: string } = {},
): Promise<SignedInOperator | NotShown> {
  const answer = await signedIn(request, now)
  if (answer === 'off') return fail('not_found')
  return answer === 'no' ? reply(401, await signInPage({ request, now, isSignedOut, next })) : answer
}

/** The content of a section's page: a list or an item, and the result of the previous action. */
interface View extends Omit<SectionListParams, 'prefix' | 'query' | 'formKey' | 'counts' | 'now'> {
  readonly by: AuditContext
  readonly item: string | null
  readonly flash: Flash | null
}

/** The notices of every section. */
const sharedNotices: Readonly<Record<string, Notice>> = {
  // Notices for a form that was submitted before.
  idempotency_in_progress: {
    kind: 'error',
    text: () => message('admin.formInProgress', { link: resultLink() }),
  },
  idempotency_key_reused: {
    kind: 'error',
    text: () => message('admin.formReused'),
  },
}

/** Renders a page of a section, or returns null when there is no such item. */
async function renderSection(
  section: AdminSection,
  { item, flash, by, operator, ...view }: View,
  request: PlainRequest,
  { prefix, sections, random, countWaiting }: AdminDeps,
  once: Html | null = null,
): Promise<string | null> {
  const notices = { ...sharedNotices, ...section.notices }
  const notice = flash && Object.hasOwn(notices, flash.done) ? notices[flash.done] : null
  const about = flash?.about
  const query = Object.fromEntries(request.query)
  const counts = (item === null && (await section.countFilters?.(query))) || {}
  const shown = { ...view, operator, now: by.at, prefix, query, counts, formKey: toHex(random(16)) }
  const [found, waiting, name] = await Promise.all([
    item === null
      ? section.show(shown).then((page) => (page instanceof Html ? { title: null, body: page } : page))
      : (section.showItem?.(item, shown, by) ?? null),
    countWaiting(by.at),
    (notice && about !== undefined && section.findName?.(about)) || null,
  ])
  if (!found) return null
  return operatorPage({
    ...found,
    prefix,
    operator,
    waiting,
    sections,
    section,
    filter: view.filter,
    query: shown.query,
    body: html`${once}${found.body}`,
    counts,
    isInvalid: view.problem !== null,
    result:
      notice && flash ? { name: flash.done, kind: notice.kind, text: notice.text(flash.counts ?? [], name) } : null,
  })
}

/** Returns a 404 for an unknown section or item. A browser gets a page with links to the sections. */
async function notFound(
  operator: SignedInOperator,
  { request, now }: Pick<PageRequest, 'request' | 'now'>,
  { prefix, sections, countWaiting }: AdminDeps,
): Promise<NotShown> {
  if (!asksForPage(request)) return fail('not_found')
  const body = html`<p>${message('admin.missing')}</p>
    <p><a class="button second" href="${prefix}/admin">${message('admin.toOverview')}</a></p>`
  const waiting = await countWaiting(now)
  const none = { section: null, filter: null, query: {}, counts: {}, result: null }
  const title = message('admin.missingTitle')
  return reply(404, operatorPage({ ...none, prefix, operator, waiting, sections, title, body }))
}

/** Returns the requested filter of a list, or its default. Null means all items. */
const chooseFilter = ({ filters, defaultFilter }: AdminSection, asked: string | undefined): string | null =>
  filters.find((value) => value === asked) ?? (asked === undefined ? (defaultFilter ?? null) : null)

async function openPage(
  id: string | null,
  item: string | null,
  {
    query,
    flash,
    ...input
  }: PageRequest & Pick<ListInput, 'flash'> & { readonly query: Partial<ListInput['query']> | undefined },
  deps: AdminDeps,
): Promise<string | NotShown> {
  const next = id === null ? '/admin' : sectionPath(id, item)
  const operator = await findOperator(input, deps, { isSignedOut: flash?.done === 'signed_out', next })
  if (!('name' in operator)) return operator
  const section = id === null ? deps.sections[0] : deps.sections.find((candidate) => candidate.id === id)
  if (!section) return notFound(operator, input, deps)
  const { filter, cursor = null } = query ?? {}
  const view = {
    by: auditContext({ ...input, actor: operator.name }, deps.random),
    operator,
    item,
    filter: chooseFilter(section, filter),
    cursor,
    problem: null,
    flash,
  }
  return (await renderSection(section, view, input.request, deps)) ?? notFound(operator, input, deps)
}

/** Sends all items of a section's list that the query asks for. */
async function downloadList(
  { params, ...input }: PageRequest & Pick<ListInput, 'params'>,
  { signedIn, sections, random, recordDownload }: AdminDeps,
): Promise<Reply<AsyncIterable<Uint8Array>> | Failure<'not_found' | 'unauthorized'>> {
  const { request, now } = input
  const operator = await signedIn(request, now)
  if (typeof operator === 'string') return fail('unauthorized')
  const section = sections.find(({ id }) => id === params.section)
  if (!section?.csv) return fail('not_found')
  const query = Object.fromEntries(request.query)
  const asked = { query, filter: chooseFilter(section, query['filter']), now }
  const first = await section.csv.load(asked, null)
  if (first instanceof Failure) return fail('not_found')
  await recordDownload(section.id, auditContext({ ...input, actor: operator.name }, random))
  return reply(200, csvLines(section.csv, asked, first), [
    ['content-type', 'text/csv; charset=utf-8'],
    ['content-disposition', `attachment; filename="${section.id}.csv"`],
  ])
}

/** Yields the lines of a list, page by page. */
async function* csvLines(
  { fieldsOf, load }: NonNullable<AdminSection['csv']>,
  asked: CsvRequest,
  first: List<object>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  const fields = fieldsOf(asked)
  yield encoder.encode(csvLine(fields))
  for (let page: List<object> | Failure = first; ; page = await load(asked, page.nextCursor)) {
    if (page instanceof Failure) throw new Error(`a list could not be read: ${page.code}`)
    const lines = page.items.map((item) => csvLine(fields.map((name) => csvText(item[name as keyof typeof item]))))
    yield encoder.encode(lines.join(''))
    if (page.nextCursor === null) return
  }
}

/** Returns a value of a reply as the text of a CSV field. A value that is neither a text nor a number becomes JSON. */
const csvText = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)

async function runAction(
  section: AdminSection,
  name: string,
  input: PageRequest & { body: Form<unknown> },
  deps: AdminDeps,
): Promise<Reply | Failure> {
  const operator = await findOperator(input, deps)
  if (!('name' in operator)) return operator
  if (operator.role === 'viewer' && !canViewersSubmit(section.id)) return fail('read_only')
  const { prefix, sections, countWaiting } = deps
  const { body, request, now, requestId, address } = input
  const sentFilter = [...section.filters, noFilter].find((value) => value === body.fields['filter'])
  const filter = chooseFilter(section, sentFilter)
  const sentItem = body.fields['item'] ?? null
  const by = auditContext({ actor: operator.name, requestId, address, now }, deps.random)
  const frame = { by, operator, filter, cursor: null }
  const refuse = async (form: Form<unknown>): Promise<NotShown> => {
    const problem = { action: name, form }
    const view = { ...frame, item: sentItem, problem, flash: null }
    const shown = await renderSection(section, view, request, deps)
    return shown === null ? notFound(operator, input, deps) : reply(400, shown)
  }
  if (!body.value) return refuse(body)
  const answer = await runOnce(section, name, body, { by, operator }, deps)
  const outcome: Outcome = answer instanceof Failure ? { done: answer.code } : answer
  const { section: opened = section.id, item = sentItem, once, page, issues, ...flash } = outcome
  if (issues) return refuse({ ...body, issues })
  if (page) {
    const view = { ...page, prefix, operator, sections, section, filter, query: {}, counts: {} }
    return reply(200, operatorPage({ ...view, waiting: await countWaiting(now), result: null }))
  }
  if (once) {
    const view = { ...frame, item, problem: null, flash }
    const shown = await renderSection(section, view, request, deps, once)
    return shown === null ? notFound(operator, input, deps) : reply(200, shown)
  }
  const isUnfiltered = sentFilter === undefined || (sentFilter === noFilter && section.defaultFilter === undefined)
  return redirect(`${sectionPath(opened, item)}${isUnfiltered ? '' : `?filter=${sentFilter}`}`, flash)
}

/**
 * Runs the action of a form. If the form was submitted before and had an effect, returns the outcome of that submission.
 */
async function runOnce(
  section: AdminSection,
  name: string,
  { value: body }: Form<unknown>,
  { by, operator }: { readonly by: AuditContext; readonly operator: SignedInOperator },
  { random, idempotency }: AdminDeps,
): Promise<Outcome | Failure> {
  const run = (id: string): Promise<Outcome> => section.actions[name]!(body as never, by, id, operator)
  const { idempotencyKey: key } = body as { readonly idempotencyKey?: string }
  const [effectId, route] = [uuid7(by.at, random), adminContract[`admin.${section.id}.${name}`]!]
  if (key === undefined) return run(effectId)
  const hasEffect = (outcome: unknown): boolean => hadEffect(section, outcome as Outcome)
  const answer = await idempotency({ route, user: null, operator: by.actor, key, body, effectId, hasEffect }, run)
  return (answer instanceof Reply ? answer.body : answer) as Outcome | Failure
}

/** Returns whether an action was carried out: its outcome is not a question, an error of a field or an error's notice. */
const hadEffect = ({ notices }: AdminSection, { page, issues, done }: Outcome): boolean =>
  !page && !issues && notices[done]?.kind !== 'error'

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
  return {
    adminPage: (input) => openPage(null, null, input, deps),
    adminSection: (input) => openPage(input.params.section, null, input, deps),
    adminCsv: (input) => downloadList(input, deps),
    adminItem: (input) => openPage(input.params.section, input.params.item, input, deps),
    ...Object.fromEntries(actions),
  }
}

/** Binds the operator's pages and the routes of their forms. A capability that is off has no section and no forms. */
export function mountAdmin(deps: AdminDeps): Mounted[] {
  const handlers = adminHandlers(deps)
  return mount(adminContract, handlers, null).filter(({ name }) => Object.hasOwn(handlers, name))
}

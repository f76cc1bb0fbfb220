import { writeFileSync } from 'node:fs'
import { displayTitle } from '@tributary/core'
import { paginate, type Client } from '@tributary/core/client'
import { readRecord } from './record.ts'
import { readValue, type Service } from './service.ts'
import { nameSource } from './source-names.ts'
import { CommandError, formatTable, toPlainText, formatCount, type CommandResult, type Terminal } from './terminal.ts'

/** The API's limit of ids in one request. */
const maxIds = 500

type ValueOf<Name extends keyof Client> = Extract<Awaited<ReturnType<Client[Name]>>, { ok: true }>['value']
export type ListedTrace = ValueOf<'listTraces'>['traces'][number]
type ListQuery = NonNullable<NonNullable<Parameters<Client['listTraces']>[0]>['query']>

/** Flags that choose traces, for `list` and for commands that change or delete many traces. */
export interface TraceFlags {
  readonly source?: string | undefined
  readonly state?: string
  readonly from?: string
  readonly to?: string
  readonly search?: string
  readonly project?: readonly string[]
}

/**
 * Returns the last eight characters of an id, as the pages show it. They are random, while the first characters depend
 * on the time.
 */
export const shortenId = (id: string): string => id.slice(-8)

const isFiltered = ({ source, state, from, to, search, project }: TraceFlags): boolean =>
  [source, state, from, to, search, project].some((flag) => flag !== undefined)

/**
 * Yields the caller's matching traces, newest upload first. The project is known only for traces that were uploaded
 * from this machine.
 */
async function* readTraces(
  { client, base }: Service,
  flags: TraceFlags,
  terminal: Terminal,
): AsyncGenerator<ListedTrace> {
  const { source, state, from, to, search, project } = flags
  // The service validates the flags.
  const query = { limit: 200, source, state, from, to, q: search } as ListQuery
  const { projects } = readRecord(terminal, base)
  const isOfProject = (id: string): boolean =>
    project === undefined || project.some((name) => projects[id] === name || (projects[id] ?? '').endsWith(`/${name}`))
  for await (const page of paginate(client.listTraces, { query }))
    for (const trace of readValue(page).traces) if (isOfProject(trace.id)) yield trace
}

export async function list(
  service: Service,
  flags: TraceFlags,
  limit: number,
  terminal: Terminal,
): Promise<CommandResult> {
  const traces: ListedTrace[] = []
  for await (const trace of readTraces(service, flags, terminal)) {
    traces.push(trace)
    if (traces.length >= limit) break
  }
  // The service sorts by the first upload. This list also considers a later upload of a longer conversation.
  traces.sort((a, b) => Date.parse(b.uploadedAt) - Date.parse(a.uploadedAt))
  const { projects } = readRecord(terminal, service.base)
  const json = {
    traces: traces.map((trace) => ({ ...trace, shortId: shortenId(trace.id), project: projects[trace.id] ?? null })),
  }
  if (traces.length === 0) {
    const text = isFiltered(flags) ? 'No trace matches.' : 'You have no traces yet.'
    return { json, text, nextSteps: ['preview'] }
  }
  const rows = traces.map((trace) => [
    shortenId(trace.id),
    trace.uploadedAt.slice(0, 10),
    nameSource(trace.source),
    displayTitle(toPlainText(trace.title ?? '-'), 50),
    trace.tokenCount.toLocaleString('en'),
    String(trace.redactions),
    describeState(trace),
  ])
  const head = ['id', 'uploaded', 'source', 'title', 'tokens', 'redactions', 'state']
  const text = formatTable(head, rows, ['tokens', 'redactions'])
  return { json, text, nextSteps: [`show ${shortenId(traces[0]!.id)}`, `exclude ${shortenId(traces[0]!.id)}`] }
}

const describeState = ({ locked, saleCount, sellExcluded }: ListedTrace): string =>
  locked ? `sold ${saleCount} times` : sellExcluded ? 'excluded' : 'for sale'

/**
 * Returns the ids of the traces that a command names: by whole ids, by the last characters of an id as `list` shows
 * them, or by flags. Throws `CommandError` if a name matches no trace or several.
 */
export async function resolveIds(
  service: Service,
  named: readonly string[],
  flags: TraceFlags,
  terminal: Terminal,
): Promise<string[]> {
  const isWhole = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
  if (named.length === 0 && !isFiltered(flags)) {
    const message = 'Name at least one trace id, or use --project, --source, --state, --from, --to or --search.'
    throw new CommandError('usage', `${message} \`list\` shows the ids.`, 2, ['list'])
  }
  if (named.length > 0 && named.every(isWhole)) return named.map((id) => id.toLowerCase())
  const unusable = named.find((id) => !isWhole(id) && !/^[0-9a-f-]{4,}$/i.test(id))
  if (unusable !== undefined)
    throw new CommandError('invalid_id', `\`${toPlainText(unusable)}\` is not a trace id. \`list\` shows the ids.`, 1, [
      'list',
    ])
  const all: string[] = []
  for await (const { id } of readTraces(service, named.length > 0 ? {} : flags, terminal)) all.push(id)
  if (named.length === 0) return all
  return named.map((name) => {
    const found = all.filter((id) => id.endsWith(name.toLowerCase()))
    if (found.length === 1) return found[0]!
    const problem =
      found.length === 0 ? 'is not the id of one of your traces' : `matches ${found.length} ids; use more characters`
    throw new CommandError('not_found', `\`${toPlainText(name)}\` ${problem}. \`list\` shows the ids.`, 1, ['list'])
  })
}

function* groupIds(ids: readonly string[]): Generator<string[]> {
  for (let start = 0; start < ids.length; start += maxIds) yield ids.slice(start, start + maxIds)
}

/** Excludes traces from sale or includes them (`POST /api/traces/bulk`). Sold and unknown traces are skipped. */
export async function change(
  { client }: Service,
  action: 'exclude' | 'include',
  ids: readonly string[],
): Promise<CommandResult> {
  const updatedIds: string[] = []
  let skippedCount = 0
  for (const group of groupIds(ids)) {
    const value = readValue(await client.bulkUpdateTraces({ body: { action, ids: group }, retry: true }))
    updatedIds.push(...value.updatedIds)
    skippedCount += value.skippedCount
  }
  const verb = action === 'exclude' ? 'excluded from sale' : 'included for sale'
  const skipped = skippedCount > 0 ? `, ${skippedCount} skipped (sold, or not yours)` : ''
  return {
    json: { updatedIds, skippedCount },
    text: `${formatCount(updatedIds.length, 'trace')} ${verb}${skipped}.`,
    nextSteps: ['list'],
    failed: updatedIds.length === 0,
  }
}

/** Deletes traces permanently (`DELETE /api/traces/bulk`). Sold traces are kept. Unknown ids are a failure. */
export async function remove({ client }: Service, ids: readonly string[]): Promise<CommandResult> {
  const deletedIds: string[] = []
  const skippedSoldIds: string[] = []
  for (const group of groupIds(ids)) {
    const value = readValue(await client.bulkDeleteTraces({ body: { ids: group }, retry: true }))
    deletedIds.push(...value.deletedIds)
    skippedSoldIds.push(...value.skippedSoldIds)
  }
  const unknown = new Set(ids).size - deletedIds.length - skippedSoldIds.length
  const parts = [`${formatCount(deletedIds.length, 'trace')} deleted`]
  if (skippedSoldIds.length > 0) parts.push(`${skippedSoldIds.length} kept because sold`)
  if (unknown > 0) parts.push(`${unknown} not found`)
  return {
    json: { deletedIds, skippedSoldIds, unknownCount: unknown },
    text: `${parts.join(', ')}.`,
    nextSteps: ['list'],
    failed: deletedIds.length === 0,
  }
}

/** Downloads the redacted trace (`GET /api/traces/:id/download`), and writes it to `file` if one is given. */
export async function download({ client }: Service, id: string, file: string | null): Promise<CommandResult> {
  const trace = readValue(await client.downloadTrace({ params: { id } }))
  const text = JSON.stringify(trace)
  if (file) writeFileSync(file, text)
  // The output contains only the document, so that a shell can write it to a file.
  if (!file) return { json: { trace }, text }
  return { json: { trace }, text: `Written to ${file}.`, nextSteps: [`show ${shortenId(id)}`] }
}

/** Reads a trace and formats its state for `show`. */
export async function readState({ client }: Service, id: string): Promise<string> {
  const { trace } = readValue(await client.getTrace({ params: { id } }))
  return trace.locked ? `sold ${trace.saleCount} times` : trace.sellExcluded ? 'excluded' : 'for sale'
}

import { writeFileSync } from 'node:fs'
import { paginate, type Client } from '@tributary/core/client'
import { valueOf, type Service } from './service.ts'
import { plain, plural, table } from './terminal.ts'

/** The interface's limit of ids in one call. */
const mostIds = 500

type ValueOf<Name extends keyof Client> = Extract<Awaited<ReturnType<Client[Name]>>, { ok: true }>['value']
type Trace = ValueOf<'listTraces'>['traces'][number]

/** Returns the caller's traces, newest first, at most `limit`. */
export async function listed({ client }: Service, limit: number): Promise<Trace[]> {
  const found: Trace[] = []
  for await (const page of paginate(client.listTraces, { query: { limit: Math.min(200, limit) } })) {
    found.push(...valueOf(page).traces)
    if (found.length >= limit) break
  }
  return found.slice(0, limit)
}

export function listText(traces: readonly Trace[]): string {
  if (traces.length === 0) return 'You have no traces yet.'
  const rows = traces.map((trace) => [
    trace.id,
    trace.createdAt.slice(0, 10),
    plain(trace.source),
    plain(trace.model ?? '-'),
    String(trace.tokenCount),
    trace.locked ? `sold ${trace.saleCount} times` : trace.sellExcluded ? 'excluded' : 'for sale',
  ])
  return table(['id', 'created', 'source', 'model', 'tokens', 'state'], rows, ['tokens'])
}

function* groups(ids: readonly string[]): Generator<string[]> {
  for (let from = 0; from < ids.length; from += mostIds) yield ids.slice(from, from + mostIds)
}

export interface Changed {
  readonly updatedIds: string[]
  readonly skippedCount: number
}

/** Takes traces out of sale or puts them back (E3). Sold and unknown ones are skipped. */
export async function change(
  { client }: Service,
  action: 'exclude' | 'include',
  ids: readonly string[],
): Promise<Changed> {
  const updatedIds: string[] = []
  let skippedCount = 0
  for (const some of groups(ids)) {
    const value = valueOf(await client.bulkUpdateTraces({ body: { action, ids: some }, retry: true }))
    updatedIds.push(...value.updatedIds)
    skippedCount += value.skippedCount
  }
  return { updatedIds, skippedCount }
}

export function changeText(action: 'exclude' | 'include', { updatedIds, skippedCount }: Changed): string {
  const done = `${plural(updatedIds.length, 'trace')} ${action === 'exclude' ? 'taken out of sale' : 'put up for sale'}`
  return skippedCount > 0 ? `${done}, ${skippedCount} skipped (sold, or not yours).` : `${done}.`
}

export interface Deleted {
  readonly deletedIds: string[]
  readonly skippedSoldIds: string[]
}

/** Deletes traces for good (E4). Sold ones are kept. */
export async function remove({ client }: Service, ids: readonly string[]): Promise<Deleted> {
  const deleted: Deleted = { deletedIds: [], skippedSoldIds: [] }
  for (const some of groups(ids)) {
    const value = valueOf(await client.bulkDeleteTraces({ body: { ids: some }, retry: true }))
    deleted.deletedIds.push(...value.deletedIds)
    deleted.skippedSoldIds.push(...value.skippedSoldIds)
  }
  return deleted
}

export function removeText({ deletedIds, skippedSoldIds }: Deleted): string {
  return `${plural(deletedIds.length, 'trace')} deleted${skippedSoldIds.length > 0 ? `, ${skippedSoldIds.length} kept because sold` : ''}.`
}

/** Downloads the scrubbed trace (E10) as JSON text, also into `file` when one is given. */
export async function download({ client }: Service, id: string, file: string | null): Promise<string> {
  const text = JSON.stringify(valueOf(await client.downloadTrace({ params: { id } })))
  if (file) writeFileSync(file, text)
  return text
}

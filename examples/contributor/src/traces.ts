import { writeFileSync } from 'node:fs'
import type { Api, Json } from './api.ts'
import { plain, plural, table } from './terminal.ts'

/** The interface's limit of ids in one call. */
const mostIds = 500

/** The caller's traces, newest first, at most `limit`. */
export async function listed(api: Api, limit: number): Promise<Json[]> {
  const found: Json[] = []
  let cursor: string | null = null
  do {
    const size = Math.min(200, limit - found.length)
    const { json }: { json: Json } = await api.call(
      'GET',
      `/api/traces?limit=${size}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
    )
    found.push(...(json['traces'] as Json[]))
    cursor = json['nextCursor'] as string | null
  } while (cursor && found.length < limit)
  return found
}

export function listText(traces: readonly Json[]): string {
  if (traces.length === 0) return 'You have no traces yet.'
  const rows = traces.map((trace) => [
    String(trace['id']),
    String(trace['createdAt']).slice(0, 10),
    plain(String(trace['source'])),
    plain(String(trace['model'] ?? '-')),
    String(trace['tokenCount']),
    trace['locked'] === true
      ? `sold ${String(trace['saleCount'])} times`
      : trace['sellExcluded'] === true
        ? 'excluded'
        : 'for sale',
  ])
  return table(['id', 'created', 'source', 'model', 'tokens', 'state'], rows, ['tokens'])
}

function* groups(ids: readonly string[]): Generator<readonly string[]> {
  for (let from = 0; from < ids.length; from += mostIds) yield ids.slice(from, from + mostIds)
}

export interface Changed {
  readonly updatedIds: string[]
  readonly skippedCount: number
}

/** Takes traces out of sale or puts them back (E3). Sold and unknown ones are skipped. */
export async function change(api: Api, action: 'exclude' | 'include', ids: readonly string[]): Promise<Changed> {
  const updatedIds: string[] = []
  let skippedCount = 0
  for (const some of groups(ids)) {
    const { json } = await api.call('POST', '/api/traces/bulk', { body: { action, ids: some } })
    updatedIds.push(...(json['updatedIds'] as string[]))
    skippedCount += Number(json['skippedCount'])
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
export async function remove(api: Api, ids: readonly string[]): Promise<Deleted> {
  const deleted: Deleted = { deletedIds: [], skippedSoldIds: [] }
  for (const some of groups(ids)) {
    const { json } = await api.call('DELETE', '/api/traces/bulk', { body: { ids: some } })
    deleted.deletedIds.push(...(json['deletedIds'] as string[]))
    deleted.skippedSoldIds.push(...(json['skippedSoldIds'] as string[]))
  }
  return deleted
}

export function removeText({ deletedIds, skippedSoldIds }: Deleted): string {
  return `${plural(deletedIds.length, 'trace')} deleted${skippedSoldIds.length > 0 ? `, ${skippedSoldIds.length} kept because sold` : ''}.`
}

/** The scrubbed trace as the service keeps it (E10): its text, also written to `file` when one is named. */
export async function download(api: Api, id: string, file: string | null): Promise<string> {
  const { text } = await api.call('GET', `/api/traces/${encodeURIComponent(id)}/download`)
  if (file) writeFileSync(file, text)
  return text
}

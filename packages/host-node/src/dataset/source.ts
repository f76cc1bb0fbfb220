import type { TraceDocument } from '@tributary/core'
import { CommandError } from '../cli/errors.ts'
import type { Manifest } from './manifest.ts'

/** Asks a service, as `fetch` does. */
export type Ask = (path: string) => Promise<Response>

/**
 * The exported traces: those of a sale, or those for sale that match a filter (as the query of `GET
 * /api/admin/dataset`).
 */
export type Selection = { readonly saleId: string } | { readonly filter: string }

/** A line of `GET /api/admin/dataset`: a trace, or the id of one that cannot be read. */
export type DatasetLine = TraceDocument | { readonly id: string; readonly skipped: string }

export interface DatasetPage {
  /** Parsed while they arrive. */
  readonly lines: AsyncIterable<DatasetLine>
  /** The cursor of the next page. */
  readonly next: string | null
}

/** Traces of one request: a host answers it within a second, and an interrupted shard loses little. */
const pageSize = 100

/** Returns how many traces a sale has, and what it left out as copies. Throws `CommandError` when there is none. */
export async function countSale(ask: Ask, saleId: string): Promise<Pick<Manifest, 'traces' | 'copies'>> {
  const response = await checked(ask, `/api/admin/sales/${saleId}`)
  const { sale } = (await response.json()) as { sale: Pick<Manifest, 'traces' | 'copies'> }
  return sale
}

/** Reads a page of the dataset. Throws `CommandError` when the service refuses or does not answer. */
export async function readPage(ask: Ask, selection: Selection, cursor: string | null): Promise<DatasetPage> {
  const query = new URLSearchParams('saleId' in selection ? { saleId: selection.saleId } : selection.filter)
  query.set('limit', String(pageSize))
  if (cursor !== null) query.set('cursor', cursor)
  const response = await checked(ask, `/api/admin/dataset?${query.toString()}`)
  return { lines: readLines(response), next: response.headers.get('x-next-cursor') }
}

const advice = 'Run the same command again to continue where it stopped'

async function checked(ask: Ask, path: string): Promise<Response> {
  const response = await ask(path).catch((error: unknown) => {
    if (error instanceof CommandError) throw error
    throw new CommandError(`The service does not answer (${describeCause(error)}). ${advice}`, { cause: error })
  })
  if (response.ok) return response
  await response.body?.cancel()
  if (response.status === 401) throw new CommandError('--admin-token: the service does not accept it')
  if (response.status === 404 && path.startsWith('/api/admin/sales/'))
    throw new CommandError(`--sale: the service has no sale ${path.slice('/api/admin/sales/'.length)}`)
  if (response.status === 400) throw new CommandError(`--filter: the service does not accept it: ${path}`)
  throw new CommandError(`The service answered ${response.status} to ${path}. ${advice}`)
}

async function* readLines(response: Response): AsyncGenerator<DatasetLine> {
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const chunk of response.body ?? []) {
      const parts = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n')
      rest = parts.pop()!
      for (const line of parts) yield JSON.parse(line) as DatasetLine
    }
  } catch (error) {
    throw new CommandError(`The reply of the service broke off (${describeCause(error)}). ${advice}`, { cause: error })
  }
  if (rest !== '') throw new CommandError(`The reply of the service broke off. ${advice}`)
}

function describeCause(error: unknown): string {
  const { code, message } = ((error as Error).cause ?? error) as { code?: unknown; message?: unknown }
  return String(code ?? message ?? error)
}

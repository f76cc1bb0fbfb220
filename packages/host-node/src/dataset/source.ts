import type { TraceDocument } from '@tributary/core'
import { CommandError } from '../cli/errors.ts'
import type { Manifest } from './manifest.ts'

/** Requests a path of a service, as `fetch` does. */
export type Ask = (path: string) => Promise<Response>

/**
 * The exported traces: the traces of a sale, or the traces for sale that match a filter (the query of `GET
 * /api/admin/dataset`).
 */
export type Selection =
  | {
      readonly saleId: string
      /** Whether `Ask` sends the token of the buyer. For a buyer the service returns no origins. */
      readonly isBuyer?: boolean
    }
  | { readonly filter: string }
type SaleSelection = Extract<Selection, { saleId: string }>

/** A trace with the known facts about its upload. */
export interface TraceWithOrigin extends TraceDocument {
  readonly origin?: { readonly termsVersion: string | null; readonly country: string | null }
}

/** A line of `GET /api/admin/dataset`: a trace, or the id of a trace that cannot be read. */
export type DatasetLine = TraceWithOrigin | { readonly id: string; readonly skipped: string }

export interface DatasetPage {
  /** The lines, which are parsed while they arrive. */
  readonly lines: AsyncIterable<DatasetLine>
  /** The cursor of the next page. */
  readonly next: string | null
}

/**
 * The highest number of traces that one request reads. A host answers such a request within a second, and the
 * interruption of a shard loses little work.
 */
const pageSize = 100

/** A sale as the service returns it to the operator or the buyer. */
export interface SoldSale extends Pick<Manifest, 'traces' | 'copies'> {
  readonly soldAt: string
}

/** Reads a sale. Throws `CommandError` when the sale does not exist. */
export async function readSale(ask: Ask, { saleId, isBuyer = false }: SaleSelection): Promise<SoldSale> {
  const response = await requestOnce(ask, `/api/${isBuyer ? 'buyer' : 'admin'}/sales/${saleId}`)
  const { sale } = (await response.json()) as { sale: SoldSale }
  return sale
}

/**
 * Reads a page of the dataset, with at most `maxTraces` traces. Throws `CommandError` when the service refuses or does
 * not answer.
 */
export async function readPage(
  ask: Ask,
  selection: Selection,
  { cursor, maxTraces }: { readonly cursor: string | null; readonly maxTraces: number },
): Promise<DatasetPage> {
  const options = isOfBuyer(selection) ? {} : { origin: 'true' }
  const limit = String(Math.min(pageSize, maxTraces))
  const response = await requestOnce(ask, pagePath(selection, cursor, { ...options, limit }))
  return { lines: readLines<DatasetLine>(response), next: response.headers.get('x-next-cursor') }
}

/**
 * Yields the ids of the traces that the service delivers at this moment, in the order of the pages. Throws
 * `CommandError` when the service refuses or does not answer.
 */
export async function* readIds(ask: Ask, selection: Selection): AsyncGenerator<string> {
  let cursor: string | null = null
  do {
    const response: Response = await requestOnce(ask, pagePath(selection, cursor, { format: 'ids', limit: '200' }))
    for await (const { id } of readLines<{ readonly id: string }>(response)) yield id
    cursor = response.headers.get('x-next-cursor')
  } while (cursor !== null)
}

const isOfBuyer = (selection: Selection): boolean => 'saleId' in selection && selection.isBuyer === true

/** Returns the path of a page of the dataset. */
function pagePath(selection: Selection, cursor: string | null, options: Readonly<Record<string, string>>): string {
  const isBuyer = isOfBuyer(selection)
  const query = new URLSearchParams(
    'filter' in selection ? selection.filter : isBuyer ? '' : { saleId: selection.saleId },
  )
  for (const [name, value] of Object.entries(options)) query.set(name, value)
  if (cursor !== null) query.set('cursor', cursor)
  const path = 'saleId' in selection && isBuyer ? `/api/buyer/sales/${selection.saleId}/dataset` : '/api/admin/dataset'
  return `${path}?${query.toString()}`
}

const advice = 'Run the same command again to continue where it stopped'

async function requestOnce(ask: Ask, path: string): Promise<Response> {
  const response = await ask(path).catch((error: unknown) => {
    if (error instanceof CommandError) throw error
    throw new CommandError(`The service does not answer (${describeCause(error)}). ${advice}`, { cause: error })
  })
  if (response.ok) return response
  await response.body?.cancel()
  const [, side, sale] = /^\/api\/(admin|buyer)(?:\/sales\/([^/?]+))?/.exec(path)!
  if (response.status === 401) throw new CommandError(`--${side}-token: the service does not accept it`)
  if (response.status === 404 && sale !== undefined) throw new CommandError(`--sale: the service has no sale ${sale}`)
  if (response.status === 400) throw new CommandError(`--filter: the service does not accept it: ${path}`)
  throw new CommandError(`The service answered ${response.status} to ${path}. ${advice}`)
}

async function* readLines<Line>(response: Response): AsyncGenerator<Line> {
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const chunk of response.body ?? []) {
      const parts = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n')
      rest = parts.pop()!
      for (const line of parts) yield JSON.parse(line) as Line
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

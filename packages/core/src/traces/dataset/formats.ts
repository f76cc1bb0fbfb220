import { selectDetails } from '../stored-json.ts'
import type { TraceDocument } from '../trace-document.ts'
import { atifPieces } from './atif.ts'
import { messagesPieces } from './chat-messages.ts'
import { getHarnessName } from './harness.ts'
import { formatJsonObject } from './json-text.ts'
import { readTurns, type Turn } from './turns.ts'

/** The forms in which traces are read. */
export const datasetFormats = ['documents', 'messages', 'sts', 'atif'] as const
export type DatasetFormat = (typeof datasetFormats)[number]

/** The forms of a line of the dataset: a format, or only the id of the trace. */
export const lineFormats = [...datasetFormats, 'ids'] as const
export type LineFormat = (typeof lineFormats)[number]

/** A message of the Session Trace Simple Format (https://huggingface.co/docs/hub/session-traces-format). */
export interface SessionMessage {
  readonly role: Turn['role']
  readonly content: string
  readonly reasoningContent?: string
  /** `arguments` is JSON text. */
  readonly toolCalls?: readonly {
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
  readonly toolCallId?: string
  /** Milliseconds since 1970. */
  readonly timestamp?: number
  readonly model?: string
}

/**
 * Returns a trace as the lines of a format, without the last line break; `sts` has a line for the session, and one for
 * each message.
 */
export const formatTraceDocument = (document: TraceDocument, format: DatasetFormat): string =>
  [...formatTracePieces(document, format)].join('')

/**
 * Yields the text of `formatTraceDocument` in pieces of about one message, so that a long trace is sent while it is
 * formatted. An empty piece means that other work may run.
 */
export function* formatTracePieces(document: TraceDocument, format: DatasetFormat): Generator<string> {
  if (format === 'documents') yield JSON.stringify(document)
  else if (format === 'messages') yield* messagesPieces(document)
  else if (format === 'atif') yield* atifPieces(document)
  else yield* sessionPieces(document)
}

/** The Hub ignores unknown fields of the first line. */
function* sessionPieces(document: TraceDocument): Generator<string> {
  const { id, title, model } = document
  const { tools, ...details } = selectDetails(document)
  const names = { type: 'session', harness: getHarnessName(document), id, name: title ?? undefined }
  yield formatJsonObject({ ...names, ...details, tools })
  const { turns } = yield* readTurns(document.messages)
  for (const turn of turns)
    for (const message of sessionMessages(turn, model)) yield `\n${JSON.stringify({ type: 'message', message })}`
}

function sessionMessages(turn: Turn, model: string | null): SessionMessage[] {
  const { role, text, thinking, calls, isSpoken, message } = turn
  const at = message.createdAt === null ? {} : { timestamp: Date.parse(message.createdAt) }
  const results = turn.results.map((result): SessionMessage => ({
    role: 'tool',
    content: result.text,
    ...(result.callId === null ? {} : { toolCallId: result.callId }),
    ...at,
  }))
  if (!isSpoken) return results
  const toolCalls = calls.map(({ id, name, arguments: json }) => ({ id, function: { name, arguments: json } }))
  const said = {
    role,
    content: text,
    ...(thinking === '' ? {} : { reasoningContent: thinking }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...at,
    ...(role === 'assistant' && model !== null ? { model } : {}),
  }
  return [said, ...results]
}

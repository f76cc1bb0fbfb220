import { documentText, type ReadableTrace } from '../rules.ts'
import { parseMessages } from '../stored-json.ts'
import type { TraceDocument } from '../trace-document.ts'
import { formatTracePieces, type DatasetFormat } from './formats.ts'

/** Yields a trace in a format, without the last line break. Long messages are parsed in parts. */
export async function* tracePieces(
  trace: ReadableTrace,
  format: Exclude<DatasetFormat, 'documents'>,
  yieldToEventLoop: () => Promise<void>,
): AsyncGenerator<string> {
  const messages: TraceDocument['messages'] = []
  for await (const part of parseMessages(trace.messages, yieldToEventLoop))
    for (const message of part) messages.push(message as TraceDocument['messages'][number])
  const document = JSON.parse(documentText(trace, '[]')) as TraceDocument
  yield* formatTracePieces({ ...document, messages }, format)
}

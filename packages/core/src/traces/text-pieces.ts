/**
 * The number of characters of messages that are parsed between two yields to the event loop. Parsing them takes about a
 * millisecond.
 */
const parsedAtOnce = 256 * 1024
/**
 * The characters between two stored messages. Inside a JSON string, quotation marks are escaped with a backslash, so
 * these characters occur only between messages.
 */
const messageBorder = '},{"position":'

/**
 * Parses stored messages. Parses long texts in parts, and yields to the event loop between two parts. Throws the errors
 * of `JSON.parse`, and `SyntaxError` for a text that is not a list.
 */
export async function* parseMessages(
  messages: string,
  yieldToEventLoop: () => Promise<void>,
): AsyncGenerator<readonly unknown[]> {
  if (messages.length <= parsedAtOnce) {
    const parsed: unknown = JSON.parse(messages)
    if (!Array.isArray(parsed)) throw new SyntaxError('messages are not a list')
    yield parsed
    return
  }
  if (!messages.startsWith('[') || !messages.endsWith(']')) throw new SyntaxError('messages are not a list')
  for (let start = 1; start < messages.length;) {
    const border = messages.indexOf(messageBorder, start + parsedAtOnce)
    const end = border < 0 ? messages.length - 1 : border + 1
    yield JSON.parse(`[${messages.slice(start, end)}]`) as unknown[]
    start = end + 1
    await yieldToEventLoop()
  }
}

/** The number of characters that are encoded between two yields to the event loop. Encoding them takes about 50 µs. */
const chunkLength = 64 * 1024

/**
 * Encodes texts in UTF-8, short texts together and long texts in chunks, and yields to the event loop between two
 * chunks. An empty text also causes a yield.
 */
export async function* encodePieces(
  pieces: AsyncIterable<string> | Iterable<string>,
  yieldToEventLoop: () => Promise<void>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder()
  let text = ''
  for await (const piece of pieces) {
    if (piece === '') await yieldToEventLoop()
    text += piece
    if (text.length <= chunkLength) continue
    for (const chunk of chunksOf(text)) {
      yield encoder.encode(chunk)
      await yieldToEventLoop()
    }
    text = ''
  }
  if (text !== '') yield encoder.encode(text)
}

function* chunksOf(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + chunkLength, text.length)
    // The two halves of a surrogate pair are encoded together.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end++
    yield text.slice(start, end)
    start = end
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

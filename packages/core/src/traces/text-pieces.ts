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
    for (const chunk of divideText(text)) {
      yield encoder.encode(chunk)
      await yieldToEventLoop()
    }
    text = ''
  }
  if (text !== '') yield encoder.encode(text)
}

function* divideText(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + chunkLength, text.length)
    // The two halves of a surrogate pair are encoded together.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end++
    yield text.slice(start, end)
    start = end
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

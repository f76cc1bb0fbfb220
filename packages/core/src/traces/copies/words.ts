/** The parts of a message that the recognition of copies compares; `content` is scrubbed. */
export interface ComparedMessage {
  readonly role: string | null
  readonly content: string
}

/** Where a word occurs: in a system prompt, in a code block or tool output, or in text of the user or the model. */
export const wordKinds = { system: 0, output: 1, prose: 2 } as const
type WordKind = (typeof wordKinds)[keyof typeof wordKinds]

/**
 * The words of a trace, compared in NFC without case, punctuation and white space. All placeholders of the scrubber
 * count as the same word, and each character of a script without spaces is one word.
 */
export interface TraceWords {
  /** A hash of each word, in 32 bits. */
  readonly hashes: Uint32Array
  /** The `wordKinds` of each word. */
  readonly kinds: Uint8Array
  /** The index of the first word of each message. The last entry is the number of words. */
  readonly starts: Uint32Array
}

/** `| 0` makes the seed a 32-bit integer. Otherwise hashes would be computed as floating-point numbers. */
const SEED = 0x811c9dc5 | 0
const PRIME = 0x01000193
const PLACEHOLDER_HASH = 0x5ca1ab1e

/** For each ASCII code: the lower-case code of a letter or digit, or 0 for any other character. */
const asciiWord = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  return /[a-z0-9]/i.test(char) ? char.toLowerCase().charCodeAt(0) : 0
})
const LETTER = /[\p{L}\p{M}\p{N}]/u
const NO_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u
const PLACEHOLDER = /\[[A-Z][A-Z0-9_]{0,40}_\d{1,6}\]/y
/**
 * Characters that NFC may change, alone or next to other characters. NFC does not change characters below U+0300, nor
 * the common punctuation, arrows, lines and symbols that are not in this class.
 */
const MAY_COMPOSE = /[^\x00-\u02ff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u27bf]/
const FENCE = /(`{3,}|~{3,})(.*)/y
const LINE_END = /[\n\r\u2028\u2029]/
const WHITE_SPACE = /\s/g

const openBracket = 91
const [highFirst, highLast] = [0xd800, 0xdbff]

/** The number of characters that are read between two yields to the event loop. */
const charsPerStep = 1 << 18

/** Reads the words of messages in order. */
export async function readWords(
  messages: readonly ComparedMessage[],
  yieldToEventLoop: () => Promise<void>,
): Promise<TraceWords> {
  const list = takeWordList()
  const starts = new Uint32Array(messages.length + 1)
  let chars = 0
  for (const [i, { role, content: sent }] of messages.entries()) {
    const content = MAY_COMPOSE.test(sent) ? sent.normalize('NFC') : sent
    starts[i] = list.length
    const kind = role === 'system' ? wordKinds.system : role === 'tool' ? wordKinds.output : wordKinds.prose
    for (const { from, to, isCode } of readBlocks(content, kind)) {
      for (let [at, end] = [from, from]; at < to; at = end) {
        end = endOfStep(content, at, to)
        list.read(content, { from: at, to: end }, isCode ? wordKinds.output : kind)
        if ((chars += end - at) < charsPerStep) continue
        chars = 0
        await yieldToEventLoop()
      }
    }
  }
  starts[messages.length] = list.length
  const { hashes, kinds } = list.copy()
  returnWordList(list)
  return { hashes, kinds, starts }
}

/** Returns the end of a step that begins at `at`. The end is after white space, so that no word is cut. */
function endOfStep(text: string, at: number, to: number): number {
  if (to - at <= charsPerStep) return to
  WHITE_SPACE.lastIndex = at + charsPerStep
  return WHITE_SPACE.test(text) ? Math.min(to, WHITE_SPACE.lastIndex) : to
}

interface Block {
  readonly from: number
  readonly to: number
  readonly isCode: boolean
}

/** Splits a text at its fenced code blocks (CommonMark); a fence that is not closed lasts until the end. */
function* readBlocks(text: string, kind: WordKind): Generator<Block> {
  let [from, fence] = [0, '']
  for (const { index, mark, rest } of kind === wordKinds.prose ? findFences(text) : []) {
    if (fence !== '' && !(mark.startsWith(fence) && rest.trim() === '')) continue
    yield { from, to: index, isCode: fence !== '' }
    from = index
    fence = fence === '' ? mark : ''
  }
  yield { from, to: text.length, isCode: fence !== '' }
}

/** Finds the lines that begin with up to three spaces and a fence; a regular expression would try every character. */
function* findFences(text: string): Generator<{ index: number; mark: string; rest: string }> {
  const findNext = (mark: string, from: number): number => {
    const at = text.indexOf(mark, from)
    return at < 0 ? text.length : at
  }
  let [backticks, tildes] = [findNext('```', 0), findNext('~~~', 0)]
  for (;;) {
    const at = Math.min(backticks, tildes)
    if (at === text.length) return
    let index = at
    while (at - index < 3 && text[index - 1] === ' ') index--
    FENCE.lastIndex = at
    const [line = '', mark = '', rest = ''] = FENCE.exec(text) ?? []
    if (index === 0 || LINE_END.test(text.charAt(index - 1))) yield { index, mark, rest }
    const end = at + line.length
    if (backticks < end) backticks = findNext('```', end)
    if (tildes < end) tildes = findNext('~~~', end)
  }
}

/** The kinds of characters. `charKinds` caches the kinds of characters beyond ASCII by code. */
const [unknown, noLetter, letter, wordAlone] = [0, 1, 2, 3]
const charKinds = new Uint8Array(0x10000)
function classifyChar(char: string): number {
  const code = char.length === 1 ? char.charCodeAt(0) : -1
  const known = code < 0 ? unknown : charKinds[code]!
  if (known !== unknown) return known
  const kind = !LETTER.test(char) ? noLetter : NO_SPACES.test(char) ? wordAlone : letter
  if (code >= 0) charKinds[code] = kind
  return kind
}

/** A list that is reused for the next trace, because allocating new arrays takes longer than reading a trace. */
let spareList: WordList | undefined
const mostSpareWords = 1 << 16

function takeWordList(): WordList {
  const list = spareList ?? new WordList()
  spareList = undefined
  return list
}

function returnWordList(list: WordList): void {
  list.length = 0
  if (list.size <= mostSpareWords) spareList = list
}

/** Collects the hashes of words in arrays that grow. */
class WordList {
  length = 0
  private hashes = new Uint32Array(1 << 12)
  private kinds = new Uint8Array(1 << 12)

  /** Adds the words of a part of a text in NFC. The method takes positions, because reading a slice takes longer. */
  read(text: string, { from, to }: Pick<Block, 'from' | 'to'>, kind: WordKind): void {
    this.grow(this.length + to - from + 1)
    const { hashes } = this
    let length = this.length
    let hash = SEED
    let isInWord = false
    for (let at = from; at < to; at++) {
      const code = text.charCodeAt(at)
      const lower = code < 128 ? asciiWord[code]! : 0
      if (lower !== 0) {
        hash = Math.imul(hash ^ lower, PRIME)
        isInWord = true
        continue
      }
      if (code >= 128) {
        const char = code >= highFirst && code <= highLast ? text.slice(at, at + 2) : text.charAt(at)
        const charKind = classifyChar(char)
        if (charKind !== noLetter) {
          if (charKind === wordAlone && isInWord) {
            hashes[length++] = hash
            hash = SEED
          }
          // Lower case alone does not fold the case: `ß` and `SS`, or `ς` and `Σ`, would still differ.
          for (const unit of char.toUpperCase().toLowerCase()) hash = Math.imul(hash ^ unit.codePointAt(0)!, PRIME)
          isInWord = true
          at += char.length - 1
          if (charKind !== wordAlone) continue
        }
      }
      if (isInWord) {
        hashes[length++] = hash
        hash = SEED
        isInWord = false
      }
      if (code !== openBracket) continue
      PLACEHOLDER.lastIndex = at
      if (!PLACEHOLDER.test(text)) continue
      hashes[length++] = PLACEHOLDER_HASH
      at = PLACEHOLDER.lastIndex - 1
    }
    if (isInWord) hashes[length++] = hash
    this.kinds.fill(kind, this.length, length)
    this.length = length
  }

  /** Returns a copy of the collected words. */
  copy(): Pick<TraceWords, 'hashes' | 'kinds'> {
    return { hashes: this.hashes.slice(0, this.length), kinds: this.kinds.slice(0, this.length) }
  }

  get size(): number {
    return this.hashes.length
  }

  private grow(least: number): void {
    if (least <= this.hashes.length) return
    const size = Math.max(least, this.hashes.length * 2)
    const [hashes, kinds] = [new Uint32Array(size), new Uint8Array(size)]
    hashes.set(this.hashes)
    kinds.set(this.kinds)
    this.hashes = hashes
    this.kinds = kinds
  }
}

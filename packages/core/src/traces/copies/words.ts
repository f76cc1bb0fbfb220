/** The parts of a message that the recognition of copies compares; `content` is scrubbed. */
export interface ComparedMessage {
  readonly role: string | null
  readonly content: string
}

/** The place of a word: in a system prompt, in a code block or tool output, or in text of the user or the model. */
export const wordKinds = { system: 0, output: 1, prose: 2 } as const
type WordKind = (typeof wordKinds)[keyof typeof wordKinds]

/**
 * The words of a trace, compared in NFC without case, punctuation and white space. A placeholder of the scrubber is one
 * word with any number, and each character of a script without spaces is one word.
 */
export interface TraceWords {
  /** 32 bits of each word. */
  readonly hashes: Uint32Array
  /** `wordKinds` of each word. */
  readonly kinds: Uint8Array
  /** By message: the index of its first word; the last entry is the number of words. */
  readonly starts: Uint32Array
}

const SEED = 0x811c9dc5
const PRIME = 0x01000193
const PLACEHOLDER_HASH = 0x5ca1ab1e

/** By ASCII code: the lower-case code of a letter or digit, 0 for other characters. */
const asciiWord = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  return /[a-z0-9]/i.test(char) ? char.toLowerCase().charCodeAt(0) : 0
})
const LETTER = /[\p{L}\p{M}\p{N}]/u
const NO_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u
const PLACEHOLDER = /\[[A-Z][A-Z0-9_]{0,40}_\d{1,6}\]/y
const NON_ASCII = /[^\x00-\x7f]/
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/gm
const WHITE_SPACE = /\s/g

const openBracket = 91
const [highFirst, highLast] = [0xd800, 0xdbff]

/** The characters that are read before it yields to the event loop. */
const charsPerStep = 1 << 18

/** Reads the words of messages in order. */
export async function readWords(
  messages: readonly ComparedMessage[],
  yieldToEventLoop: () => Promise<void>,
): Promise<TraceWords> {
  const list = new WordList(messages.reduce((sum, { content }) => sum + content.length, 0))
  const starts = new Uint32Array(messages.length + 1)
  let chars = 0
  for (const [i, { role, content }] of messages.entries()) {
    starts[i] = list.length
    const kind = role === 'system' ? wordKinds.system : role === 'tool' ? wordKinds.output : wordKinds.prose
    for (const { from, to, isCode } of blocksOf(content, kind)) {
      for (let [at, end] = [from, from]; at < to; at = end) {
        end = endOfStep(content, at, to)
        list.read(content.slice(at, end), isCode ? wordKinds.output : kind)
        if ((chars += end - at) < charsPerStep) continue
        chars = 0
        await yieldToEventLoop()
      }
    }
  }
  starts[messages.length] = list.length
  return { ...list.finish(), starts }
}

/** Returns where a step that begins at `at` ends: after white space, so that no word is cut. */
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
function* blocksOf(text: string, kind: WordKind): Generator<Block> {
  let [from, fence] = [0, '']
  const hasFences = kind === wordKinds.prose && (text.includes('```') || text.includes('~~~'))
  for (const { index, 1: mark = '', 2: rest = '' } of hasFences ? text.matchAll(FENCE) : []) {
    if (fence !== '' && !(mark.startsWith(fence) && rest.trim() === '')) continue
    yield { from, to: index, isCode: fence !== '' }
    from = index
    fence = fence === '' ? mark : ''
  }
  yield { from, to: text.length, isCode: fence !== '' }
}

/** Collects the hashes of words in arrays that grow. */
class WordList {
  length = 0
  private hashes: Uint32Array
  private kinds: Uint8Array

  constructor(chars: number) {
    const size = Math.max(64, chars >> 2)
    this.hashes = new Uint32Array(size)
    this.kinds = new Uint8Array(size)
  }

  /** Adds the words of a text. */
  read(sent: string, kind: WordKind): void {
    const text = NON_ASCII.test(sent) ? sent.normalize('NFC') : sent
    let [hash, isInWord] = [SEED, false]
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      const lower = code < 128 ? asciiWord[code]! : 0
      if (lower !== 0) {
        hash = Math.imul(hash ^ lower, PRIME)
        isInWord = true
        continue
      }
      if (code >= 128) {
        const char = code >= highFirst && code <= highLast ? text.slice(at, at + 2) : text[at]!
        if (LETTER.test(char)) {
          if (NO_SPACES.test(char) && isInWord) {
            this.add(hash, kind)
            hash = SEED
          }
          for (const unit of char.toLowerCase()) hash = Math.imul(hash ^ unit.codePointAt(0)!, PRIME)
          isInWord = true
          at += char.length - 1
          if (!NO_SPACES.test(char)) continue
        }
      }
      if (isInWord) {
        this.add(hash, kind)
        hash = SEED
        isInWord = false
      }
      if (code !== openBracket) continue
      PLACEHOLDER.lastIndex = at
      if (!PLACEHOLDER.test(text)) continue
      this.add(PLACEHOLDER_HASH, kind)
      at = PLACEHOLDER.lastIndex - 1
    }
    if (isInWord) this.add(hash, kind)
  }

  /** Returns what was collected. */
  finish(): Pick<TraceWords, 'hashes' | 'kinds'> {
    return { hashes: this.hashes.subarray(0, this.length), kinds: this.kinds.subarray(0, this.length) }
  }

  private add(hash: number, kind: WordKind): void {
    if (this.length === this.hashes.length) {
      const [hashes, kinds] = [new Uint32Array(this.length * 2), new Uint8Array(this.length * 2)]
      hashes.set(this.hashes)
      kinds.set(this.kinds)
      this.hashes = hashes
      this.kinds = kinds
    }
    this.hashes[this.length] = hash
    this.kinds[this.length++] = kind
  }
}

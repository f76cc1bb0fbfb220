import type { Meter, Steps } from './meter.ts'
import type { Sketched } from './fold.ts'

/**
 * A view: the decoded form of a part of a text. The part contains terminal colours, zero-width characters, digits beyond
 * ASCII, or escapes of JSON, URLs or HTML. The rules search the view, and their findings are mapped back to positions in
 * the text.
 */
export interface View extends Sketched {
  /** The part in which findings count. The ends of the view may be inside a word. */
  readonly sure: readonly [from: number, to: number]
  /** Returns where the character at `at` of the view begins in the original text. */
  start(at: number): number
  /** Returns where the character before `at` ends in the original text. */
  end(at: number): number
}

/**
 * Characters that Unicode defines as invisible (Default_Ignorable_Code_Point), and interlinear annotation characters.
 * Variation selectors and tags are not in the list, because emoji contain them.
 */
const IGNORED =
  '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb'

/** Full-width digits and hyphens, and the digits of Arabic, Persian and Hindi. */
const DIGITS = '\\uff10-\\uff19\\uff0d\\u0660-\\u0669\\u06f0-\\u06f9\\u0966-\\u096f'
const ZEROS = [0xff10, 0x660, 0x6f0, 0x966]
/** Returns the ASCII character of a character of `DIGITS`. */
function asciiOf(digit: string): string {
  const code = digit.charCodeAt(0)
  const zero = ZEROS.find((first) => code >= first && code < first + 10)
  return zero === undefined ? '-' : String(code - zero)
}

const ENCODED = new RegExp(
  String.raw`(?:\x1b|\\{1,2}(?:u001[bB]|x1[bB]|033|e))\[[0-9;?]{0,24}[@-~]|\x1b[()][AB012]|\x1b\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[${IGNORED}]|(?<=[ -~](?:\udb40[\udc00-\uddef]|[\ufe00-\ufe0f]){0,4})[\ufe00-\ufe0f]|\udb40[\udc00-\uddef]|\\{1,2}u(?:200[b-fB-F]|2060|[fF][eE][fF][fF]|00[aA][dD])|\\\r?\n[ \t]{0,8}|\\{1,4}(?:u((?:00[2-7a-fA-F]|0[1-9a-fA-F][0-9a-fA-F]|[1-9a-fA-F][0-9a-fA-F]{2})[0-9a-fA-F])|x([2-7][0-9a-fA-F]))|\\(\/)|%(?:25)?(0[9aAdD]|[2-7][0-9a-fA-F])|((?:%[c-fC-F][0-9a-fA-F](?:%[89abAB][0-9a-fA-F]){1,3}))|&#(\d{2,3});|&#x([2-7][0-9a-fA-F]);|&(quot|amp|lt|gt|apos|szlig|oslash|aelig|[A-Za-z](?:uml|acute|grave|circ|tilde|cedil|ring|caron));|([${DIGITS}])`,
  'y',
)

const NAMED: Record<string, string> = {
  quot: '"',
  amp: '&',
  lt: '<',
  gt: '>',
  apos: "'",
  szlig: 'ß',
  oslash: 'ø',
  aelig: 'æ',
}
/** The combining mark of an HTML entity such as `&ouml;`. The first letter of the entity gets this mark. */
const MARKS: Record<string, string> = {
  uml: '\u0308',
  acute: '\u0301',
  grave: '\u0300',
  circ: '\u0302',
  tilde: '\u0303',
  cedil: '\u0327',
  ring: '\u030a',
  caron: '\u030c',
}
const charOfEntity = (name: string): string =>
  NAMED[name] ?? (name.charAt(0) + (MARKS[name.slice(1)] ?? '')).normalize('NFC')

/** The number of characters around an encoded part that its view contains, because a rule may read that far. */
const MARGIN = 600
const EDGE = 80
/**
 * The maximum length of a view. A longer part is split, and the next view begins `OVERLAP` characters before the end of
 * the previous view. The overlap is longer than nearly every value.
 */
const LONGEST = 131_072
const OVERLAP = 20_480

/** Every encoding begins with one of these characters, or with a wide character (see `isWide`). */
const MARK_CHARACTERS = ['\\', '%', '&', '\x1b', '\xad']
/** For each character code: 1 if an encoding may begin with the character, for characters beyond Latin-1. */
const isWide = new Uint8Array(65_536)
for (const [, first, last = first] of `${IGNORED}\\ufe00-\\ufe0f\\udb40${DIGITS}`.matchAll(/\\u(.{4})(?:-\\u(.{4}))?/g))
  isWide.fill(1, parseInt(first!, 16), parseInt(last!, 16) + 1)
/** If V8 stores a text with one byte for each character, this search ends at once. */
const BEYOND_LATIN = /[^\x00-\xff]/

/**
 * Returns the index of the first wide character from an index on, or the length of the text. V8 would search a regular
 * expression with this class of characters far more slowly.
 */
function findWide(text: string, from: number): number {
  while (from < text.length && isWide[text.charCodeAt(from)] === 0) from++
  return from
}

/**
 * Returns whether a text may contain an encoded part. Each character is searched separately, because V8 compares many
 * bytes at a time with a single character, but only one byte at a time with a class of characters.
 */
export const mayBeEncoded = (text: string): boolean =>
  MARK_CHARACTERS.some((mark) => text.includes(mark)) || (BEYOND_LATIN.test(text) && findWide(text, 0) < text.length)

/** The maximum number of characters that one call searches, so that a call stays below the time limit of a step. */
const REACH = 65_536

/**
 * Returns a function that finds the first character of an encoding from an index on. The function must be called with
 * increasing indexes. It may return an earlier index without such a character, and returns the length of the text at
 * the end.
 */
function markFinder(text: string): (from: number) => number {
  const marks = MARK_CHARACTERS.map((character) => ({ character, at: -1 }))
  let wide = -1
  let part = ''
  let [start, end] = [0, 0]
  const read = (from: number): void => {
    start = from
    end = Math.min(text.length, from + REACH)
    part = text.slice(start, end)
    for (const mark of marks) mark.at = -1
    wide = BEYOND_LATIN.test(part) ? -1 : end
  }
  return (from) => {
    if (from >= end) read(from)
    if (wide < from) wide = start + findWide(part, from - start)
    let first = wide
    for (const mark of marks) {
      if (mark.at < from) {
        const at = part.indexOf(mark.character, from - start)
        mark.at = at < 0 ? end : start + at
      }
      if (mark.at < first) first = mark.at
    }
    return first
  }
}

/**
 * Returns views of the encoded parts between `from` and `to`, with their surroundings. Other parts are not copied,
 * because ten megabytes of text may contain only a hundred escapes.
 */
export function* decode(text: string, from: number, to: number, meter: Meter): Steps<View[]> {
  const views: View[] = []
  let open: DecodedPart | undefined
  let read = from
  let findMark = markFinder(text)
  for (let at = findMark(from), next = at; at < text.length; at = findMark(next)) {
    if (at >= to && !(open && at < open.from + MARGIN && at < to + OVERLAP)) break
    if (meter.spend(Math.max(0, at - read) + 32)) yield
    read = at
    next = at + 1
    ENCODED.lastIndex = at
    const match = ENCODED.exec(text)
    if (!match) continue
    next = ENCODED.lastIndex
    if (open && at > open.from + 2 * MARGIN) {
      views.push(open.view(text))
      open = undefined
    } else if (open && at - open.first > LONGEST) {
      views.push(open.view(text))
      open = new DecodedPart(at - OVERLAP)
      next = at - OVERLAP
      findMark = markFinder(text)
      continue
    }
    open ??= new DecodedPart(Math.max(0, at - MARGIN))
    open.add(text, match)
  }
  if (open) views.push(open.view(text))
  return views
}

/** Longer texts are read in pieces of this size, because all views together need as much memory as the text. */
const PIECE = 1_048_576

/**
 * Calls `read` for each view of a text. Returns the views of a short text, so that they can be used again, and
 * undefined for a long text.
 */
export function* eachView(
  text: string,
  known: readonly View[] | undefined,
  meter: Meter,
  read: (view: View) => Steps<void>,
): Steps<readonly View[] | undefined> {
  if (known || text.length <= PIECE) {
    const views = known ?? (mayBeEncoded(text) ? yield* decode(text, 0, text.length, meter) : NO_VIEWS)
    for (const view of views) yield* read(view)
    return views
  }
  for (let from = 0; from < text.length; from += PIECE)
    for (const view of yield* decode(text, from, Math.min(text.length, from + PIECE), meter)) yield* read(view)
  return undefined
}

export const NO_VIEWS: readonly View[] = []

/** Returns a text without its URL encoding, or unchanged if it is not encoded or its bytes are not valid UTF-8. */
export function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A segment of a view: either unchanged text or one decoded part. */
interface Segment {
  readonly viewStart: number
  readonly textStart: number
  /** The length of the decoded part in the text, or 0 if the segment is unchanged. */
  readonly decodedLength: number
}

/** Collects the decoded form of a part of a text. */
export class DecodedPart {
  /** The start of the text that has not been added yet. */
  from: number
  readonly first: number
  private readonly parts: string[] = []
  private readonly segments: Segment[]
  private length = 0

  constructor(first: number) {
    this.first = first
    this.from = first
    this.segments = [{ viewStart: 0, textStart: first, decodedLength: 0 }]
  }

  add(text: string, match: RegExpExecArray): void {
    const at = match.index
    const [whole, unicode, hex, slash, percent, letter, decimal, entity, named, digit] = match
    const code = unicode ?? hex ?? percent ?? entity
    const char = code
      ? String.fromCharCode(parseInt(code, 16))
      : letter
        ? decodeUrl(letter)
        : decimal
          ? String.fromCharCode(Number(decimal))
          : (slash ?? (named ? charOfEntity(named) : digit ? asciiOf(digit) : ''))
    if (!char) return this.skip(text, at, at + whole.length)
    this.copy(text, at)
    this.from = at + whole.length
    this.parts.push(char)
    this.mark(at, whole.length)
    this.length += char.length
    this.mark(this.from, 0)
  }

  /** Adds the text before a part, without the part itself. */
  skip(text: string, start: number, end: number): void {
    this.copy(text, start)
    this.from = end
    this.mark(end, 0)
  }

  private copy(text: string, to: number): void {
    const part = text.slice(this.from, to)
    this.parts.push(part)
    this.length += part.length
  }

  private mark(textStart: number, decodedLength: number): void {
    this.segments.push({ viewStart: this.length, textStart, decodedLength })
  }

  /** Returns a view of the added text and of a margin after it. */
  view(text: string): View {
    const { segments, from, first } = this
    this.copy(text, from + MARGIN)
    const segmentAt = (at: number): Segment => {
      let low = 0
      let high = segments.length - 1
      while (low < high) {
        const middle = (low + high + 1) >> 1
        if (segments[middle]!.viewStart <= at) low = middle
        else high = middle - 1
      }
      return segments[low]!
    }
    return {
      text: this.parts.join(''),
      sure: [first > 0 ? EDGE : 0, this.length - (from + MARGIN < text.length ? EDGE : 0)],
      start(at) {
        const { viewStart, textStart, decodedLength } = segmentAt(at)
        return textStart + (decodedLength > 0 ? 0 : at - viewStart)
      },
      end(at) {
        const { viewStart, textStart, decodedLength } = segmentAt(at - 1)
        return textStart + (decodedLength > 0 ? decodedLength : at - viewStart)
      },
    }
  }
}

const BARE = /^[\w.~-]*$/
const BYTES = /^[\x00-\xff]{8,4096}$/

/** Returns other forms of a value that a text may contain: escaped for JSON or a URL and, with `encode`, in base64. */
export function encodedForms(value: string, encode: boolean): string[] {
  const others: string[] = []
  const add = (other: string): void => {
    if (other !== value && !others.includes(other)) others.push(other)
  }
  if (!BARE.test(value)) {
    add(JSON.stringify(value).slice(1, -1))
    try {
      add(encodeURIComponent(value))
    } catch {
      // A lone surrogate cannot be encoded for a URL.
    }
  }
  if (encode && BYTES.test(value)) {
    const base64 = unpadded(btoa(value))
    // The end of the base64 depends on the byte after the value. There is no byte, or the line break that `echo` adds.
    add(base64)
    add(unpadded(btoa(`${value}\n`)))
    if (base64.includes('+') || base64.includes('/')) add(base64.replace(/\+/g, '-').replace(/\//g, '_'))
  }
  return others
}

const unpadded = (base64: string): string =>
  base64.endsWith('==') ? base64.slice(0, -2) : base64.endsWith('=') ? base64.slice(0, -1) : base64

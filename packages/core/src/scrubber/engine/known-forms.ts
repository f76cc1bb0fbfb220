import { namesAccount } from './code.ts'
import {
  beginsWord,
  isAlnum,
  isDigit,
  isLower,
  isUpper,
  AROUND,
  BLOCKS,
  bytes,
  COLUMNS,
  EVERY_COLUMN,
  load,
  PART,
  placesBeyond,
  WIDTH,
} from './character.ts'
import {
  changedByFolding,
  changedParts,
  changedPlaces,
  fold,
  foldText,
  blocksOf,
  HASH,
  hashAt,
  mayHold,
  sketchOf,
  type Folded,
  type Sketched,
} from './fold.ts'
import type { Meter, Steps } from './meter.ts'
import { isInPlaceholder } from './placeholder.ts'
import type { Finding, KnownForm } from './rule.ts'

/** The value to which a form belongs. */
interface Entry {
  readonly value: string
  readonly rule: Finding['rule']
  readonly only: KnownForm['only']
}

/** A form with the blocks of three characters of its words. A text that contains the form contains all these blocks. */
interface Clue {
  /** The form as folded text. */
  readonly text: string
  /** The first word of a phrase, or else the form. */
  readonly beginning: string
  readonly blocks: readonly Int32Array[]
}

/** A known form of several words. */
interface Phrase {
  readonly form: string
  /** Matches the words with a line break or any number of spaces between them. */
  readonly pattern: RegExp
}

/** A form with its value and the rule that replaces the value. */
export interface OwnedForm {
  readonly form: KnownForm
  readonly value: string
  readonly rule: Finding['rule']
}

/** Called for each form that a search finds. */
export type FormHit = (start: number, end: number, value: string, rule: Finding['rule']) => void

/**
 * Searches texts for the names, accounts, hosts and blocked terms of one trace, at word borders, without regard to case
 * and width. A search reads a text once for all forms, and leaves out forms that the sketch of the text excludes.
 */
export class KnownForms {
  private readonly entries = new Map<string, Entry>()
  /** For each character: the lengths of the forms that begin with this character, longest first. */
  private readonly lengths = new Map<number, number[]>()
  /** For each word: the phrases that begin with this word, longest first. */
  private readonly phrases = new Map<string, Phrase[]>()
  /** The clues in the order in which forms were added. */
  private readonly clues: Clue[] = []
  /**
   * For each hash of a block: 1 if the first block of a form has this hash. `allHeads` is for all forms, `someHeads`
   * for the forms that are searched in one text. These tables exclude most positions of a text.
   */
  private readonly allHeads = new Uint8Array(HEADS)
  private someHeads: Uint8Array | undefined

  private longest = 0
  private few: FewForms | undefined

  get size(): number {
    return this.entries.size
  }

  /** The number of added forms. `findIn` accepts this number as `since`. */
  get added(): number {
    return this.clues.length
  }

  /**
   * Adds the forms of values. A known form keeps its value, and is found everywhere if it was added once without
   * `only`. Returns whether a form was added or changed.
   */
  add(forms: readonly OwnedForm[]): boolean {
    let isNew = false
    for (const { form, value, rule } of forms) {
      const text = foldText(form.text)
      const known = this.entries.get(text)
      if (text.length < 2 || (known && (form.only || !known.only))) continue
      isNew = true
      this.longest = Math.max(this.longest, text.length)
      this.entries.set(text, { value, rule, ...known, only: form.only })
      const first = text.charCodeAt(0)
      // A first word of one character has no block of its own.
      const words = rule.kind === 'known' && text[1] !== ' ' ? text.split(' ') : [text]
      const clue = {
        text,
        beginning: words[0] ?? '',
        blocks: words.map(blocksOf),
      }
      this.clues.push(clue)
      addHead(clue, this.allHeads)
      if (known) continue
      if (words.length > 1) {
        this.longest = Math.max(this.longest, text.length + words.length * LONGEST_GAP)
        const phrase = { form: text, pattern: new RegExp(words.map(literal).join(GAP), 'iuy') }
        const key = wordAt(text, 0)
        const phrases = [...(this.phrases.get(key) ?? []), phrase]
        this.phrases.set(
          key,
          phrases.sort((a, b) => b.form.length - a.form.length),
        )
      }
      const list = this.lengths.get(first)
      if (!list) this.lengths.set(first, [text.length])
      else if (!list.includes(text.length)) {
        list.push(text.length)
        list.sort((a, b) => b - a)
      }
    }
    return isNew
  }

  /** Removes a form. `form` must be folded text. */
  remove(form: string): void {
    this.entries.delete(form)
  }

  /** Returns the value to which a form belongs, and the rule that replaces the value. */
  ownerOf(text: string): { readonly value: string; readonly rule: Finding['rule'] } | undefined {
    return this.entries.get(foldText(text))
  }

  /**
   * Finds the forms in a text, except the `since` forms that were added first. If forms overlap, the first form in the
   * text wins. If they begin at the same position, the longest form wins.
   */
  *findIn(sketched: Sketched, hit: FormHit, meter: Meter, since = 0): Steps<void> {
    const { text } = sketched
    const few = this.fewForms(since)
    const changed = few ? yield* changedPlaces(sketched, meter) : null
    if (few && changed) {
      yield* this.findByPattern(text, few.pattern, hit, meter)
      for (const part of changedParts(text, changed, few.longest * MOST_UNFOLDED + BEFORE)) {
        this.findFolded(text, few.heads, part, hit)
        if (meter.spend(part[1] - part[0])) yield
      }
      return
    }
    const chosen = yield* this.chooseHeads(sketched, meter, since)
    if (!chosen) return
    let past = 0
    for (let from = 0; from < text.length; from += PART) {
      const to = Math.min(text.length, from + PART)
      const places = load(text, from, to) ? NO_PLACES : placesBeyond(from, from, to)
      past = this.findInPart(text, chosen.heads, from, to, past, hit)
      if (places.length > 0)
        for (const part of changedParts(text, places, chosen.longest * MOST_UNFOLDED + BEFORE))
          this.findFolded(text, chosen.heads, part, hit)
      if (meter.spend(to - from)) yield
    }
  }

  /** Returns the forms that were added after `since`, if there are few of them and all begin with ASCII characters. */
  private fewForms(since: number): FewForms | undefined {
    const clues = this.clues.slice(since, since + FEW + 1)
    if (clues.length > FEW || clues.length === 0) return undefined
    if (this.few?.since === since && this.few.added === this.added) return this.few
    const beginnings = new Set(clues.map(({ text }) => text.slice(0, 3)))
    if (![...beginnings].every(isAscii)) return undefined
    const pattern = new RegExp([...beginnings].map((beginning) => beginning.replace(/[^]/g, eitherCase)).join('|'), 'g')
    const heads = new Uint8Array(HEADS)
    for (const clue of clues) addHead(clue, heads)
    const longest = Math.max(...clues.map(({ text }) => text.length))
    return (this.few = { since, added: this.added, pattern, heads, longest })
  }

  /**
   * Finds forms with a regular expression for their first characters. For few forms, this is faster than a look-up in a
   * table at each position.
   */
  private *findByPattern(text: string, pattern: RegExp, hit: FormHit, meter: Meter): Steps<void> {
    let past = 0
    for (let from = 0; from < text.length; from += PIECE) {
      const piece = text.length <= PIECE ? text : text.slice(from, from + PIECE + 2)
      pattern.lastIndex = 0
      for (let match = pattern.exec(piece); match && match.index < PIECE; match = pattern.exec(piece)) {
        const at = from + match.index
        if (at >= past && (startsWord(text, at) || isCamelStart(text, at)))
          past = this.findHere(text, UNFOLDED, at, hit)
        pattern.lastIndex = Math.max(match.index + 1, past - from)
        if (meter.spend(16)) yield
      }
      if (meter.spend(piece.length >> 3)) yield
    }
  }

  /** Returns the first blocks of the forms that may be in a text, or undefined if no form may be in the text. */
  private *chooseHeads(sketched: Sketched, meter: Meter, since: number): Steps<Chosen | undefined> {
    const { clues } = this
    if (since === clues.length) return undefined
    // For a short text, a search is faster than making a sketch. For many forms, a search is faster than comparing them
    // with a sketch.
    const { length } = sketched.text
    if ((length < SHORT && !sketched.sketch) || 2 * (clues.length - since) > length)
      return { heads: this.allHeads, longest: this.longest }
    const sketch = yield* sketchOf(sketched, meter)
    const heads = (this.someHeads ??= new Uint8Array(HEADS))
    let longest = 0
    for (const clue of clues.slice(since)) {
      if (!clue.blocks.every((blocks) => mayHold(sketch, blocks)) || !this.entries.has(clue.text)) continue
      if (longest === 0) heads.fill(0)
      longest = Math.max(longest, clue.text.length)
      addHead(clue, heads)
    }
    if (meter.spend((clues.length - since) >> 2)) yield
    return longest > 0 ? { heads, longest } : undefined
  }

  /** Finds the forms that begin in the part in `bytes`. Returns the index from which the next form may begin. */
  private findInPart(text: string, heads: Uint8Array, from: number, to: number, past: number, hit: FormHit): number {
    let next = past
    for (let i = nextHead(heads, 0, to - from); i < to - from; i = nextHead(heads, i + 1, to - from)) {
      const at = from + i
      if (at >= next && (startsWord(text, at) || isCamelStart(text, at))) next = this.findHere(text, UNFOLDED, at, hit)
    }
    return next
  }

  /** Finds only those forms in a part of a text that contain a character which folding changes. */
  private findFolded(text: string, heads: Uint8Array, [from, to]: readonly [number, number], hit: FormHit): void {
    const part = text.slice(from, to)
    const folded = fold(part)
    const hitInPart: FormHit = (start, end, value, rule) => {
      if (changedByFolding(part, start, end)) hit(from + start, from + end, value, rule)
    }
    const plain = folded.text
    for (let at = 0; at + 1 < plain.length;)
      at =
        heads[headAt(plain, at)] === 1 && (startsWord(plain, at) || isCamelStart(part, folded.start(at)))
          ? this.findHere(part, folded, at, hitInPart)
          : at + 1
  }

  /** Finds the longest form that begins at `start`. Returns the index from which the next form may begin. */
  private findHere(text: string, folded: Folded | typeof UNFOLDED, start: number, hit: FormHit): number {
    const plain = folded.text ?? text
    const phraseEnd = this.findPhrase(plain, folded, start, hit)
    if (phraseEnd > 0) return phraseEnd
    for (const length of this.lengths.get(smallLetter(plain, start)) ?? NO_LENGTHS) {
      const end = start + length
      if (end > plain.length) continue
      const isPart = !startsWord(plain, start)
      const isCut = !endsWord(plain, end) && isCamelEnd(text, folded.end(end))
      const last = endsWord(plain, end) || isCut ? end : endOfDigits(plain, end, length)
      if (last === 0) continue
      const entry = this.entries.get(plain.slice(start, end).toLowerCase())
      if (!entry || (last > end && !NAMED.has(entry.rule.category))) continue
      const [from, to] = [folded.start(start), folded.end(last)]
      // Inside a longer name in code, a known value is always replaced. Any other value is replaced there only at the
      // beginning of the name, and if the value is long or the name is that of a volume.
      const isOwn = !isPart && (length > LONG_NAME || text.startsWith(VOLUMES, from - VOLUMES.length))
      if ((isPart || isCut) && entry.rule.kind !== 'known' && !isOwn) continue
      if (entry.only && (isPart || isCut || !ONLY[entry.only](text, from, to))) continue
      // In `github.com/tidegate`, a host in reverse order (`com/tidegate`) is found by chance.
      const isReversed = entry.rule.placeholder === 'HOST' && text.slice(from, to).includes('/')
      if (isReversed && text[from - 1] === '.') continue
      if (isInPlaceholder(text, from)) return last
      // A host that was found without its domain: `db7.harbor` in `db7.harbor.kestrelbay.org`.
      const { placeholder, kind } = entry.rule
      const isQualified = placeholder === 'HOST' && kind !== 'known' && text.slice(from, to).includes('.')
      const tail = isQualified ? (DOMAIN.exec(text.slice(to, to + LONGEST_DOMAIN))?.[0].length ?? 0) : 0
      hit(from, to + tail, entry.value, entry.rule)
      return last + tail
    }
    return start + 1
  }

  /** Finds a phrase that begins at `start`. Returns its end, or 0. */
  private findPhrase(plain: string, folded: Folded | typeof UNFOLDED, start: number, hit: FormHit): number {
    if (this.phrases.size === 0 || !startsWord(plain, start)) return 0
    for (const { form, pattern } of this.phrases.get(wordAt(plain, start)) ?? NO_PHRASES) {
      pattern.lastIndex = start
      if (!pattern.test(plain) || !endsWord(plain, pattern.lastIndex)) continue
      const entry = this.entries.get(form)
      if (!entry || entry.only) continue
      hit(folded.start(start), folded.end(pattern.lastIndex), entry.value, entry.rule)
      return pattern.lastIndex
    }
    return 0
  }
}

/** Texts below this length are searched without a sketch. */
const SHORT = 1024
/** Up to this number of forms are searched with a regular expression. */
const FEW = 8
/** The number of characters that a regular expression searches in one step. */
const PIECE = 65_536
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text)
/** Returns a regular expression for a character in upper and lower case. */
const eitherCase = (char: string): string =>
  /[a-z]/.test(char) ? `[${char}${char.toUpperCase()}]` : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`

/** Forms whose beginnings are searched with a regular expression. */
interface FewForms extends Chosen {
  readonly since: number
  readonly added: number
  readonly pattern: RegExp
}

/** The rest of the name of a host. */
const DOMAIN = /^(?:\.[a-z\d][a-z\d-]{1,40}){1,4}(?![\w(@-]|\.\w)/i
const LONGEST_DOMAIN = 128

/** The forms that are searched in a text. */
interface Chosen {
  /** For each hash of a block: whether a form begins with the block. */
  readonly heads: Uint8Array
  /** The length of the longest form. */
  readonly longest: number
}

const same = (at: number): number => at
/** Replaces a `Folded` for a text that need not be folded. Letters are compared in lower case. */
const UNFOLDED = { text: undefined, start: same, end: same }
const NO_PLACES: readonly number[] = []
/** The number of characters that are read before and after a form, because an escape may precede a word. */
const BEFORE = 24
/** The maximum number of characters that folding combines into one, such as a letter with its accents. */
const MOST_UNFOLDED = 4

/** Returns the code of a character in lower case. */
function smallLetter(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (code < 128) return code > 64 && code < 91 ? code | 32 : code
  return text.charAt(at).toLowerCase().charCodeAt(0)
}

/** Returns whether a part of a name in code ends here: `Acme` in `AcmeClient`. */
const isCamelEnd = (text: string, end: number): boolean => isUpper(text, end) && isLower(text, end - 1)
/** Returns whether a part of a name in code begins here: `Acme` in `newAcmeClient`. */
const isCamelStart = (text: string, at: number): boolean => isUpper(text, at) && isLower(text, at - 1)
const LONG_NAME = 8
/** The folder of volumes on macOS. People name volumes after themselves: `/Volumes/janeroeMini`. */
const VOLUMES = '/Volumes/'

/** Categories of values to which people add a number: `janeroe82`. */
const NAMED = new Set(['person', 'account_name'])
const MOST_DIGITS = 4
const isDigitAt = (text: string, at: number): boolean => at < text.length && isDigit(text, at)
/**
 * Returns the end of the digits after a form, as in `janeroe82` and the key `roe2024drift`. Returns 0 if the form is
 * short or ends with a digit, or if the number of digits is 0 or too large.
 */
function endOfDigits(text: string, at: number, length: number): number {
  if (length < 5 || isDigitAt(text, at - 1)) return 0
  let end = at
  while (end - at <= MOST_DIGITS && isDigitAt(text, end)) end++
  return end - at > MOST_DIGITS ? 0 : end === at ? 0 : end
}
/** Returns whether a word begins with a capital letter and is not the second part of a name such as `Allow-Origin`. */
const isOwnWord = (text: string, at: number): boolean =>
  text[at] !== text.charAt(at).toLowerCase() && (text[at - 1] !== '-' || !isLower(text, at - 2))

/** The conditions on the places of forms that may also be ordinary words or identifiers. */
const ONLY: Record<NonNullable<KnownForm['only']>, (text: string, start: number, end: number) => boolean> = {
  capitalized: isOwnWord,
  account: namesAccount,
}

/** The text between the words of a phrase: spaces, or a line break with an indent and a mark of a quotation or comment. */
const GAP = String.raw`(?:[ \t\u00a0]{1,16}|&nbsp;|[ \t]{0,8}(?:\r?\n|\\{1,4}n)[ \t]{0,32}(?:(?:[>*#|+-]|//|--)[ \t]{0,8})?)`
const LONGEST_GAP = 56
const WORD = /[\p{L}\p{M}\p{N}]{0,64}/uy
/** Returns the word that begins at an index, in lower case. */
function wordAt(text: string, at: number): string {
  WORD.lastIndex = at
  return WORD.exec(text)?.[0].toLowerCase() ?? ''
}
/** Returns the source of a regular expression for a text. */
const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

const NO_LENGTHS: readonly number[] = []
const NO_PHRASES: readonly Phrase[] = []
const HEADS = 1 << 12
const HEAD_SHIFT = 32 - 12

/** Creates `nextHead` with constants that V8 compiles into its code. See `makeLoops` in `scanner.ts`. */
function makeNextHead() {
  const part = bytes
  const columns = COLUMNS
  const around = AROUND
  const width = WIDTH
  const most = BLOCKS - 1
  const hash = HASH
  const shift = HEAD_SHIFT
  return (heads: Uint8Array, from: number, to: number): number => {
    let block = (columns[part[around + from]!]! << width) | columns[part[around + from + 1]!]!
    for (let i = from; i < to; i++) {
      block = ((block << width) | columns[part[around + i + 2]!]!) & most
      if (heads[Math.imul(block, hash) >>> shift] !== 0) return i
    }
    return to
  }
}
/**
 * Returns the first index from `from` on at which a form may begin in the part in `bytes`. Returns `to` if there is no
 * such index.
 */
const nextHead = makeNextHead()
const headAt = (text: string, at: number): number => hashAt(text, at) >>> HEAD_SHIFT

/** Adds the first block of a form. If it begins with two characters, adds all blocks that begin with these characters. */
function addHead({ beginning }: Clue, heads: Uint8Array): void {
  if (beginning.length > 2) heads[headAt(beginning, 0)] = 1
  else for (const char of EVERY_COLUMN) heads[headAt(beginning + char, 0)] = 1
}

const LETTER = /[\p{L}\p{M}]/u
/** Scripts without spaces between words. */
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/

function startsWord(text: string, at: number): boolean {
  if (at === 0) return true
  const before = text.charCodeAt(at - 1)
  if (before < 128) return !isAlnum(text, at - 1) || beginsWord(text, at)
  return !LETTER.test(text.charAt(at - 1)) || UNSPACED.test(text.charAt(at))
}

function endsWord(text: string, end: number): boolean {
  if (end === text.length) return true
  if (text.charCodeAt(end) < 128) return !isAlnum(text, end)
  return !LETTER.test(text.charAt(end)) || UNSPACED.test(text.charAt(end - 1))
}

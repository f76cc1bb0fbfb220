import { AROUND, byteOf, bytes, load, PART } from './bytes.ts'
import { beginsWord, isAlnum, isDigit, isLower, isUpper } from './character.ts'
import { fold, foldText, type Folded } from './fold.ts'
import type { Meter, Steps } from './meter.ts'
import type { Finding, KnownForm } from './rule.ts'

/** What a form stands for. */
interface Entry {
  readonly value: string
  readonly rule: Finding['rule']
  readonly capitalized: boolean
}

/** A form of a value with the value and how it is replaced. */
export interface OwnedForm {
  readonly form: KnownForm
  readonly value: string
  readonly rule: Finding['rule']
}

/** Called for each form that is found. */
export type FormHit = (start: number, end: number, value: string, rule: Finding['rule']) => void

/**
 * The names, accounts, hosts and blocked terms of one trace, searched in every text without regard to case and width,
 * at the borders of words. A search reads the text once, whatever the number of forms.
 */
export class KnownForms {
  private readonly entries = new Map<string, Entry>()
  /** By their first character: how long the forms are that begin with it, the longest first. */
  private readonly lengths = new Map<number, number[]>()
  /** Which first two characters occur, by `pairOf`: most characters of a text are passed over by it. */
  private readonly pairs = new Uint8Array(PAIRS)

  private longest = 0

  get size(): number {
    return this.entries.size
  }

  /**
   * Adds the forms of values; a form that is known keeps its first meaning, and is found in small letters too once one
   * says so. Returns whether one of them is new.
   */
  add(forms: readonly OwnedForm[]): boolean {
    let isNew = false
    for (const { form, value, rule } of forms) {
      const text = foldText(form.text)
      const capitalized = form.capitalized === true
      const known = this.entries.get(text)
      if (text.length < 2 || (known && (capitalized || !known.capitalized))) continue
      isNew = true
      this.longest = Math.max(this.longest, text.length)
      this.entries.set(text, known ? { ...known, capitalized } : { value, rule, capitalized })
      if (known) continue
      const first = text.charCodeAt(0)
      this.pairs[pairOf(byteOf(first), byteOf(text.charCodeAt(1)))] = 1
      const list = this.lengths.get(first)
      if (!list) this.lengths.set(first, [text.length])
      else if (!list.includes(text.length)) {
        list.push(text.length)
        list.sort((a, b) => b - a)
      }
    }
    return isNew
  }

  /** Returns the value of which a text is a form, and how it is replaced. */
  ownerOf(text: string): { readonly value: string; readonly rule: Finding['rule'] } | undefined {
    return this.entries.get(foldText(text))
  }

  /**
   * Finds all forms in a text; where two overlap, the one that begins first and is longest. A long text is folded piece
   * by piece: the places of its characters take many times its own size.
   */
  *findIn(text: string, hit: FormHit, meter: Meter): Steps<void> {
    let past = 0
    for (let from = 0, to = 0; from < text.length; from = to) {
      to = pieceEnd(text, from + PIECE)
      const first = Math.max(0, from - BEFORE)
      const piece = text.slice(first, to + this.longest * MOST_UNFOLDED + BEFORE)
      past = first + this.findInPiece(piece, Math.max(from, past) - first, to - first, offsetHit(hit, first))
      if (meter.spend(to - from)) yield
    }
  }

  /** Finds the forms that begin between two places of a piece, and returns where the next one may begin. */
  private findInPiece(text: string, first: number, last: number, hit: FormHit): number {
    const folded = fold(text)
    const plain = folded.text
    // Constants of the function are read faster than those of an object or a module.
    const [pairs, part] = [this.pairs, bytes]
    let past = 0
    for (let from = 0; from < plain.length; from += PART) {
      const size = Math.min(PART, plain.length - from)
      load(plain, from, from + size)
      for (let i = 0; i < size; i++) {
        if (pairs[pairOf(part[AROUND + i]!, part[AROUND + i + 1]!)] === 0) continue
        const at = from + i
        if (at < past || folded.start(at) < first) continue
        if (!startsWord(plain, at) && !isCamelStart(text, folded.start(at))) continue
        if (folded.start(at) >= last) return Math.max(last, folded.end(past))
        past = this.findHere(text, folded, at, hit)
      }
    }
    return Math.max(last, folded.end(past))
  }

  /** Finds the longest form that begins here, and returns where the next one may begin. */
  private findHere(text: string, folded: Folded, start: number, hit: FormHit): number {
    const plain = folded.text
    for (const length of this.lengths.get(plain.charCodeAt(start)) ?? NO_LENGTHS) {
      const end = start + length
      if (end > plain.length) continue
      const isPart = !startsWord(plain, start)
      const isCut = !endsWord(plain, end) && isCamelEnd(text, folded.end(end))
      const last = endsWord(plain, end) || isCut ? end : endOfDigits(plain, end, length)
      if (last === 0) continue
      const entry = this.entries.get(plain.slice(start, end))
      if (!entry || (last > end && !NAMED.has(entry.rule.category))) continue
      // A part of a name of code: of what is known always, else where it is long.
      if ((isPart || isCut) && entry.rule.kind !== 'known' && (isPart || length <= LONG_NAME)) continue
      const [from, to] = [folded.start(start), folded.end(last)]
      if (entry.capitalized && text[from] === plain[start]) continue
      if (!isInPlaceholder(text, from, to)) hit(from, to, entry.value, entry.rule)
      return last
    }
    return start + 1
  }
}

/** Characters that are folded at once. */
const PIECE = 16_384
/** What is read on either side of a form: an escape before a word, a placeholder around it. */
const BEFORE = 64
/** A letter with its marks may become one character. */
const MOST_UNFOLDED = 4

/** Returns where a piece may end at `at` or soon after: between two characters of ASCII, which combine with nothing. */
function pieceEnd(text: string, at: number): number {
  const most = Math.min(text.length, at + BEFORE)
  for (let end = at; end < most; end++) if (text.charCodeAt(end) < 128 && text.charCodeAt(end - 1) < 128) return end
  return most
}

const offsetHit =
  (hit: FormHit, offset: number): FormHit =>
  (start, end, value, rule) =>
    hit(start + offset, end + offset, value, rule)

/** Returns whether a part of a name of code ends: `Acme` in `AcmeClient`. */
const isCamelEnd = (text: string, end: number): boolean => isUpper(text, end) && isLower(text, end - 1)
/** Returns whether a part of a name of code begins: `Acme` in `newAcmeClient`. */
const isCamelStart = (text: string, at: number): boolean => isUpper(text, at) && isLower(text, at - 1)
const LONG_NAME = 8

/** Values that people number: `janeroe82`. */
const NAMED = new Set(['person', 'account_name'])
const MOST_DIGITS = 4
const isDigitAt = (text: string, at: number): boolean => at < text.length && isDigit(text, at)
/**
 * Returns where the digits behind a form end, as in `janeroe82` and the key `roe2024drift`; 0 where the form is short,
 * ends in a digit itself, or many digits follow.
 */
function endOfDigits(text: string, at: number, length: number): number {
  if (length < 5 || isDigitAt(text, at - 1)) return 0
  let end = at
  while (end - at <= MOST_DIGITS && isDigitAt(text, end)) end++
  return end - at > MOST_DIGITS ? 0 : end === at ? 0 : end
}
const NO_LENGTHS: readonly number[] = []
const PAIRS = 4096
const pairOf = (first: number, second: number): number => (first ^ (second << 5)) & (PAIRS - 1)
const LETTER = /[\p{L}\p{M}]/u
/** Scripts that put no blanks between words. */
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/

function startsWord(text: string, at: number): boolean {
  if (at === 0) return true
  const before = text.charCodeAt(at - 1)
  if (before < 128) return !isAlnum(text, at - 1) || beginsWord(text, at)
  return !LETTER.test(text[at - 1]!) || UNSPACED.test(text[at]!)
}

function endsWord(text: string, end: number): boolean {
  if (end === text.length) return true
  if (text.charCodeAt(end) < 128) return !isAlnum(text, end)
  return !LETTER.test(text[end]!) || UNSPACED.test(text[end - 1]!)
}

/** Returns whether a part of a text belongs to a placeholder: `EMAIL` of `[EMAIL_1]`. */
function isInPlaceholder(text: string, start: number, end: number): boolean {
  if (!/^[A-Z0-9_]+$/.test(text.slice(start, end))) return false
  return (
    /\[[A-Z0-9_]{0,40}$/.test(text.slice(Math.max(0, start - 42), start)) &&
    /^[A-Z0-9_]{0,40}\]/.test(text.slice(end, end + 42))
  )
}

const LOCAL_PART = /[\w.+-]{0,64}$/
const REST_OF_ADDRESS = /^[\w.+-]{0,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])/

/**
 * Returns the mail address that a part of a text belongs to, so that no placeholder splits one: `john` in
 * `john.roe@corp.example`. Null where it belongs to none; what stands before the host of a URL is none.
 */
export function addressAround(text: string, start: number, end: number): readonly [start: number, end: number] | null {
  const rest = REST_OF_ADDRESS.exec(text.slice(end, end + 400))
  if (!rest) return null
  const from = start - LOCAL_PART.exec(text.slice(Math.max(0, start - 64), start))![0].length
  return text.slice(Math.max(0, from - 3), from) === '://' ? null : [from, end + rest[0].length]
}

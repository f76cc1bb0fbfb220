/** The classes of a character, as bits. A table contains them, because they are read millions of times a second. */
const DIGIT = 1
const LOWER = 2
const UPPER = 4
const NAME = 8
const HEX = 16
const BASE64 = 32
const COLON = 64
const RUN = 128
const JOINT = 256
const ANY = 512

/** The conditions of rules for the characters next to a keyword. These conditions are checked first. */
export const GATES = {
  digit: DIGIT,
  alnum: DIGIT | LOWER | UPPER,
  address: HEX | COLON,
  hex: HEX,
  word: NAME | BASE64,
  number: DIGIT | UPPER | LOWER | JOINT,
  any: ANY,
} as const

/** The classes of each character code. Every code has an entry, so that a look-up needs no branch. */
export const KINDS = new Uint16Array(65_536).fill(ANY)
for (let code = 0; code < 128; code++) {
  const char = String.fromCharCode(code)
  let kind = 0
  if (char >= '0' && char <= '9') kind |= DIGIT | NAME | HEX | BASE64
  if (char >= 'a' && char <= 'z') kind |= LOWER | NAME | BASE64
  if (char >= 'A' && char <= 'Z') kind |= UPPER | NAME | BASE64
  if (/[a-fA-F]/.test(char)) kind |= HEX
  if (char === '_' || char === '-' || char === '.' || char === '$') kind |= NAME
  if (char === '+' || char === '/') kind |= BASE64
  if (char === ':') kind |= COLON
  if (' -.()/+'.includes(char)) kind |= JOINT
  if (kind & BASE64 || char === '-' || char === '_') kind |= RUN
  KINDS[code] = kind | ANY
}

/** The bit in `KINDS` for characters of the two base64 alphabets. */
export const IN_RUN = RUN

/** Creates `kindAt` with constants that V8 compiles into its code. See `makeLoops` in `scanner.ts`. */
function makeKindAt() {
  const kinds = KINDS
  const any = ANY
  return (text: string, at: number): number => (at >= 0 && at < text.length ? kinds[text.charCodeAt(at)]! : any)
}
/** Returns the classes of a character, or only `ANY` outside the text. */
export const kindAt = makeKindAt()

export const isDigit = (text: string, at: number): boolean => (kindAt(text, at) & DIGIT) !== 0
export const isAlnum = (text: string, at: number): boolean => (kindAt(text, at) & (DIGIT | LOWER | UPPER)) !== 0
export const isLetter = (text: string, at: number): boolean => (kindAt(text, at) & (LOWER | UPPER)) !== 0
export const isUpper = (text: string, at: number): boolean => (kindAt(text, at) & UPPER) !== 0
export const isLower = (text: string, at: number): boolean => (kindAt(text, at) & LOWER) !== 0
export const isHex = (text: string, at: number): boolean => (kindAt(text, at) & HEX) !== 0
/** Returns whether a character may be in the name of a variable, key or flag: letters, digits, `_`, `-`, `.`, `$`. */
export const isName = (text: string, at: number): boolean => (kindAt(text, at) & NAME) !== 0
/** Returns whether a character belongs to an alphabet of base64: the standard alphabet or the alphabet for URLs. */
export const isBase64 = (text: string, at: number): boolean => (kindAt(text, at) & RUN) !== 0
export const isSpace = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at)
  return code === 32 || code === 9
}

/**
 * Returns whether a word begins at `at`. This is true right after an escape, even if the escape ends in a letter or
 * digit: an escaped newline (`\nAKIA`), a percent code (`%3DAKIA`), a unicode escape (`\u003dAKIA`) or a colour
 * (`ESC[31mAKIA`, also spelled out `\033[31m`).
 */
export function beginsWord(text: string, at: number): boolean {
  if (at === 0 || !isAlnum(text, at - 1)) return true
  const before = text.charAt(at - 1)
  if (text[at - 2] === '\\') return 'nrtbfv'.includes(before)
  if (isHex(text, at - 1) && isHex(text, at - 2)) {
    if (text[at - 3] === '%' || (text[at - 3] === 'x' && text[at - 4] === '\\')) return true
    if (isHex(text, at - 3) && text[at - 5] === 'u' && text[at - 6] === '\\') return true
  }
  if (before === 'm') {
    let open = at - 2
    const floor = Math.max(0, at - 20)
    while (open > floor && (isDigit(text, open) || text[open] === ';')) open--
    return (
      text[open] === '[' &&
      (text.charCodeAt(open - 1) === 27 ||
        /(?:\\033|\\x1[bB]|\\u001[bB]|\\e)$/.test(text.slice(Math.max(0, open - 6), open)))
    )
  }
  return false
}

/** The characters that may follow the name of a value. */
export const FOLLOWS = new Set([...'"\'`\\] \t=:?|>,-\u00a0.('].map((char) => char.charCodeAt(0)))
/** The characters that end a value without quotes. */
export const ENDS = new Set([...' \t\n\r"\'`;,)}]<>|&\u00a0'].map((char) => char.charCodeAt(0)))

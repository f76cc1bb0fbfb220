/**
 * Text as a terminal, a log or another format dresses it: coloured, split by characters of no width, escaped for JSON,
 * a URL or HTML. The rules read the plain form; what they find is mapped back, so that the dress goes with the value.
 */
export interface View {
  readonly text: string
  /** The part that is read for certain: at its ends a cut may have gone through a word. */
  readonly sure: readonly [from: number, to: number]
  /** Where the character at `at` of the view begins in the text it was made from. */
  start(at: number): number
  /** Where the character before `at` ends there. */
  end(at: number): number
}

/** A dress begins with one of these; looked for first, since one class of characters is read faster than many forms. */
const MARK = /[\x1b\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\\%&]/g

const DRESS =
  /(?:\x1b|\\{1,2}(?:u001[bB]|x1[bB]|033|e))\[[0-9;?]{0,24}[@-~]|\x1b[()][AB012]|\x1b\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)|[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]|\\{1,2}u(?:200[b-fB-F]|2060|[fF][eE][fF][fF]|00[aA][dD])|\\\r?\n[ \t]{0,8}|\\{1,4}(?:u00([2-7a-fA-F][0-9a-fA-F])|x([2-7][0-9a-fA-F]))|\\(\/)|%(?:25)?([2-7][0-9a-fA-F])|((?:%[c-fC-F][0-9a-fA-F](?:%[89abAB][0-9a-fA-F]){1,3}))|&#(\d{2,3});|&#x([2-7][0-9a-fA-F]);|&(quot|amp|lt|gt|apos);/y

const NAMED: Record<string, string> = { quot: '"', amp: '&', lt: '<', gt: '>', apos: "'" }

/** How much plain text around a dress is read with it: what a rule may look at on either side. */
const MARGIN = 600
const EDGE = 80

/**
 * The plain form of each part of a text that wears a dress, with its surroundings. Only those parts: a conversation of
 * ten megabytes with a hundred escapes is not copied whole.
 */
export function undress(text: string): readonly View[] {
  const views: View[] = []
  let dresses: RegExpExecArray[] = []
  MARK.lastIndex = 0
  while (MARK.test(text)) {
    const at = MARK.lastIndex - 1
    DRESS.lastIndex = at
    const match = DRESS.exec(text)
    if (!match) continue
    MARK.lastIndex = DRESS.lastIndex
    const last = dresses[dresses.length - 1]
    if (last && at > last.index + last[0].length + 2 * MARGIN) {
      views.push(plain(text, dresses))
      dresses = []
    }
    dresses.push(match)
  }
  if (dresses.length > 0) views.push(plain(text, dresses))
  return views
}

/** A letter of more than one byte in a URL; kept as it is where it is none. */
function lettered(codes: string): string {
  try {
    return decodeURIComponent(codes)
  } catch {
    return codes
  }
}

function plain(text: string, dresses: readonly RegExpExecArray[]): View {
  let from = Math.max(0, dresses[0]!.index - MARGIN)
  const parts: string[] = []
  const views: number[] = [0]
  const raws: number[] = [from]
  const sizes: number[] = [0]
  let length = 0
  for (const match of dresses) {
    const at = match.index
    const [whole, unicode, hex, slash, percent, letter, decimal, entity, named] = match
    const code = unicode ?? hex ?? percent ?? entity
    const char = code ? String.fromCharCode(parseInt(code, 16)) : letter ? lettered(letter) : decimal ? String.fromCharCode(Number(decimal)) : (slash ?? (named ? NAMED[named]! : ''))
    parts.push(text.slice(from, at))
    length += at - from
    from = at + whole.length
    if (char) {
      parts.push(char)
      views.push(length)
      raws.push(at)
      sizes.push(whole.length)
      length += char.length
    }
    views.push(length)
    raws.push(from)
    sizes.push(0)
  }
  parts.push(text.slice(from, from + MARGIN))
  const whole = parts.join('')
  const cut = raws[0]! > 0 ? EDGE : 0
  const rest = from + MARGIN < text.length ? EDGE : 0
  const segment = (at: number): number => {
    let low = 0
    let high = views.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (views[middle]! <= at) low = middle
      else high = middle - 1
    }
    return low
  }
  return {
    text: whole,
    sure: [cut, whole.length - rest],
    start(at) {
      const i = segment(at)
      return raws[i]! + (sizes[i]! > 0 ? 0 : at - views[i]!)
    },
    end(at) {
      const i = segment(at - 1)
      return raws[i]! + (sizes[i]! > 0 ? sizes[i]! : at - views[i]!)
    },
  }
}

/** Other spellings in which a value may come again: escaped for JSON or a URL, or in base64. */
export function spellings(value: string): string[] {
  const others = new Set<string>()
  others.add(JSON.stringify(value).slice(1, -1))
  try {
    others.add(encodeURIComponent(value))
  } catch {
    // A lone surrogate has no URL form.
  }
  if (value.length >= 8 && value.length <= 4096 && /^[\x00-\xff]*$/.test(value)) {
    const base64 = btoa(value).replace(/=+$/, '')
    // The last character may hold bits of what follows, so it is left to the end of the word.
    others.add(base64)
    others.add(btoa(`${value}\n`).replace(/=+$/, ''))
    others.add(base64.replace(/\+/g, '-').replace(/\//g, '_'))
  }
  others.delete(value)
  return [...others]
}

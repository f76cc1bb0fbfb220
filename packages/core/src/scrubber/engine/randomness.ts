/**
 * Distinguishes random values from words and names. The entropy of the characters cannot distinguish `aGVsbG8` from
 * `getUser`, but the frequency of letter pairs and the number of changes between letters and digits can.
 */

/**
 * The cost of each pair of letters, in 26 rows and 26 columns: -log2 of the probability that the letter of the column
 * follows the letter of the row. The source is 60,000 words of names and prose in public code.
 */
const PAIR_COST =
  '55456758586344857343577769355637674473784775573889593867388359448828746359997936552677387566456546577969' +
  '46446568699553756334867579367744892994863884554999694656265538746456844547897926662787497657368554688979' +
  '46445649998452368543969796456727775767773656275868584666166738756556763568797946642789398477368754468959' +
  '25772899399646439756679969374345384977764697325689796554866969644254935546589937663866598488359353489979' +
  '45564568557376874657187766375627693976553795446689595747267549776744664248785947562794299667459345688959' +
  '55563669499343849343899999278718893978885898788899993667377537767446833687789956464687488657628662788658' +
  '4545566758754352853477688746782868488677287858787755'

export interface Shape {
  readonly length: number
  readonly digits: number
  readonly lowers: number
  readonly uppers: number
  readonly others: number
  /** The number of changes between letters and digits. */
  readonly breaks: number
  /** The mean cost of a pair of letters, in bits: about 4.5 for words and camelCase, about 6.2 for random letters. */
  readonly cost: number
  readonly pairs: number
  readonly distinct: number
}

/** Returns statistics of the characters of a string. Reads only the first 256 characters. */
export function shapeOf(value: string): Shape {
  const length = Math.min(value.length, 256)
  let digits = 0,
    lowers = 0,
    uppers = 0,
    others = 0,
    breaks = 0,
    cost = 0,
    pairs = 0
  let previous = 0 // 1 digit, 2 letter
  let row = -1
  let low = 0,
    high = 0 // the characters that were seen, as bits: letters of any case, and digits
  for (let i = 0; i < length; i++) {
    const code = value.charCodeAt(i)
    let column = -1
    if (code >= 48 && code <= 57) {
      digits++
      if (previous === 2) breaks++
      previous = 1
      high |= 1 << (code - 48)
    } else if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) {
      if (code >= 97) lowers++
      else uppers++
      column = (code | 32) - 97
      if (previous === 1) breaks++
      previous = 2
      low |= 1 << column
      if (row >= 0) {
        cost += PAIR_COST.charCodeAt(row * 26 + column) - 48
        pairs++
      }
    } else others++
    row = column
  }
  return {
    length,
    digits,
    lowers,
    uppers,
    others,
    breaks,
    cost: pairs ? cost / pairs : 0,
    pairs,
    distinct: bits(low) + bits(high),
  }
}

function bits(mask: number): number {
  let count = 0
  for (let rest = mask; rest; rest &= rest - 1) count++
  return count
}

/**
 * Returns whether a string looks random: letters and digits are well mixed, or its pairs of letters are rare in words.
 * Repeated characters, counters, dates, versions, words with a number at the end and camelCase names do not look
 * random.
 */
export function isRandom(value: string): boolean {
  const shape = shapeOf(value)
  const letters = shape.lowers + shape.uppers
  if (shape.length < 8 || shape.distinct < Math.min(8, shape.length * 0.3)) return false
  if (shape.others > shape.length * 0.25) return false
  if (shape.digits === 0)
    return letters >= 14 && shape.pairs >= 10 && shape.cost >= (shape.uppers && shape.lowers ? 5.6 : 6)
  if (letters === 0) return false
  const rate = shape.breaks / (shape.length - 1)
  if (rate >= 0.22 && shape.digits >= 2 && letters >= 2) return true
  if (rate < 0.05 && shape.digits <= 4)
    return shape.cost >= (shape.pairs >= 24 && shape.lowers === 0 ? 5.6 : 6) && shape.pairs >= 10
  return shape.cost >= 5.4 - rate * 4 && shape.pairs >= 5
}

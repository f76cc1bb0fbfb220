import type { Hit } from '../../engine/findings.ts'

const MONTH_AND_YEAR = '(?:0[1-9]|1[0-2]) ?(?:\\/|%2[Ff]|-) ?(?:20)?[2-4]\\d'
const DETAIL = new RegExp(
  `(?:exp(?:ir(?:y|es|ation|ing))?(?:[ _-]?(?:date|dt|on))?|valid (?:thru|until|to)|scadenza|caducidad|validade)["']?(?: is)?\\s{0,2}[:=]?\\s{0,2}["']?(${MONTH_AND_YEAR})(?![\\d/-])|(?:code on the (?:front|back)|cv[vc]2?=)(?: is)?:? ?(\\d{3,4})(?!\\d)`,
  'iy',
)
const CARD = /card|amex|visa|\d{4}[ -]?\d{4,6}[ -]?\d{4,5}/i

/** Finds the expiry date and the security code shortly after the number of a payment card: `exp=09%2F28&cvv=417`. */
export function findCardDetail({ text, start, rule, found }: Hit): void {
  DETAIL.lastIndex = start
  const [whole = '', expiry, code] = DETAIL.exec(text) ?? []
  const value = expiry ?? code
  if (!value || !CARD.test(text.slice(Math.max(0, start - 120), start))) return
  const stop = start + whole.length
  found.push({ start: stop - value.length, end: stop, rule, value, local: true })
}

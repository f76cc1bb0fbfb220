import type { Findings } from '../../engine/findings.ts'
import { isPersonName } from '../identity/person-name.ts'
import { pushIdentity } from '../identity/learned-identity.ts'

const NAME =
  "\\p{Lu}[\\p{L}.'’-]{1,24}(?: (?:\\p{Lu}[\\p{L}.'’-]{0,24}|de|la|le|am|an der|im|do|del|upon|sur|\\d{1,2})){0,3}"
const CODE = '(?:[A-Z]{1,2}\\d[A-Z\\d]? ?\\d[A-Z]{2}|[A-Z]\\d[A-Z] ?\\d[A-Z]\\d|\\d{4,6}(?:-\\d{3,4})?)(?![\\w-])'

/** The parts after a house number: stairs and flat, postal code and town in either order, town, or postal code. */
const PARTS = [
  new RegExp(
    `,? ?(?:[Aa]pt|[Aa]partment|[Ss]uite|[Ss]te|[Uu]nit|[Ff]loor|[Ff]l|[Ff]lat|[Aa]p(?:to)?|[Pp]iso|[Pp]uerta|[Bb]loco|[Ss]tiege|[Tt]op|[Bb]l|[Ss]c|[Ee]t|[Ii]nt|D|No|m|lok|кв|оф|корп|стр|под|д|#)[.:]? ?#?[A-Z]?\\d[\\w-]{0,5}(?![\\w])`,
    'uy',
  ),
  /,? ?\d{1,2} ?[ºª°](?: ?(?:\d{1,2} ?[ºª°]|izq|dcha|der|[A-Z])\.?)?(?![\w])/uy,
  new RegExp(
    `(?:,? |,?\\n {0,4})(?:[A-Z]{1,2}-)?(?:\\d{5}(?:-\\d{3,4})?|\\d{4}(?:-\\d{3}| ?[A-Z]{2})?|\\d{3} \\d{2}|\\d{2}-\\d{3}) ${NAME}`,
    'uy',
  ),
  new RegExp(`(?:,? |,?\\n {0,4})${NAME}(?:,? ?(?:[A-Z]{2,3}))?,? ${CODE}`, 'uy'),
  new RegExp(`, ${NAME}(?:, ?[A-Z]{2}(?: \\d{5}(?:-\\d{4})?)?|/${NAME}| ?- ?[A-Z]{2})?(?![\\w])`, 'uy'),
  new RegExp(`,? ${CODE.replace('\\d{4,6}(?:-\\d{3,4})?', '\\d{5}(?:-\\d{4})?')}`, 'uy'),
] as const

/** Returns the end of an address whose street and number end at `at`. Reads at most four more parts. */
export function endOfAddress(text: string, at: number): number {
  let end = at
  for (let count = 0; count < 4; count++) {
    const part = PARTS.find((one) => {
      one.lastIndex = end
      return one.test(text)
    })
    if (!part) break
    end = part.lastIndex
  }
  return end
}

/**
 * Returns whether a town and its postal code follow, in either order. If so, the word and the number before them are a
 * street.
 */
export const isFollowedByTown = (text: string, at: number): boolean =>
  PARTS.slice(2, 4).some((one) => {
    one.lastIndex = at
    return one.test(text)
  })

const ADDRESSEE = { id: 'addressee', category: 'person', placeholder: 'PERSON', kind: 'probable' } as const

/** Adds the name of a person if this name is the whole line above an address. */
export function pushAddressee(text: string, address: number, found: Findings): void {
  const name = /(?:^|\n)[> ]{0,4}([^\n]{5,60})\n[> ]{0,4}$/
    .exec(text.slice(Math.max(0, address - 70), address))?.[1]
    ?.trim()
  if (name && isPersonName(name))
    pushIdentity({ kind: 'person', value: name, start: text.lastIndexOf(name, address), rule: ADDRESSEE }, found)
}

import type { Hit } from '../../engine/findings.ts'
import { endOfAddress, isFollowedByTown, pushAddressee } from './address-tail.ts'

const HOUSE = /\d{1,4}(?: ?[a-zA-Z](?![\w]))?(?:[-/]\d{1,3})?(?![\w%:=]|\.\d)/y
const BEFORE =
  /(?:(?:(?:An?|Am|Auf|Bei|Im|In|Zur?|Zum|Unter|Alte[rn]?|Neue[rn]?|Große|Kleine|Karl|Sankt|St\.|Obere|Untere)(?: de[rmn])? )|(?:\p{Lu}[\p{L}.'’-]{1,24} )){0,3}(\p{Lu}[\p{L}'’-]{0,30}[-]?)?\p{L}{0,3}$/u
/** Endings of street names that also occur in other words. They count only if a town follows. */
const WEAK = /(?:ring|hof|park|markt|berg|gate|gade|tie|kade|singel|t[eé]r|vej|dreef|steeg|vad|pl)\.?$/i
/** Words that end like names of streets but are not names of streets. */
const NONE =
  /^(?:String|Spring|Monitoring|Brigade|Navigate|Marketplatz|Arbeitsplatz|Speicherplatz|Norweg|Parkplatz|Sitzplatz|Stellplatz|Startplatz|Upgrade)$/

/**
 * Finds `Rosenweg 12`, `Prinsengracht 263`, `Drottninggatan 71, 111 36 Stockholm`: a name that ends with a word for
 * street, then a number.
 */
export function findStreetSuffix({ text, start, end, rule, found }: Hit): void {
  HOUSE.lastIndex = end
  const house = HOUSE.exec(text)
  if (!house) return
  const head = BEFORE.exec(text.slice(Math.max(0, start - 64), start + 1))
  if (!head || head[0] === '') return
  const name = text.slice(start + 1 - head[0].length, end - 1)
  const last = name.slice(name.lastIndexOf(' ') + 1)
  const stop = end + house[0].length
  if (!/\p{Lu}/u.test(last.charAt(0)) && last.length > 8) return
  if (
    name.length === end - 1 - start ||
    NONE.test(name) ||
    !/^\p{Lu}/u.test(name) ||
    last === last.toUpperCase() ||
    (WEAK.test(last) && !isFollowedByTown(text, stop))
  )
    return
  const to = endOfAddress(text, stop)
  const from = start + 1 - head[0].length
  found.push({ start: from, end: to, rule, value: text.slice(from, to) })
  pushAddressee(text, from, found)
}

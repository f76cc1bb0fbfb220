import type { Hit } from '../../engine/findings.ts'
import { isRole } from './accounts.ts'
import { identify, push } from './learned-identity.ts'

const WORD = String.raw`(?:[\p{L}\p{M}\d._-]|['’](?=\p{L})){0,31}`
/** A name whose blanks are encoded, as in a URL or a shell: `Jane%20Roe`, `Jane\ Roe`. */
const ENCODED = new RegExp(String.raw`[\p{L}\d]${WORD}(?:(?:%20|\\{1,4} )[\p{L}\d]${WORD}){1,4}`, 'uy')
/** A name of several words on Windows, before a folder that a home contains. */
const BEFORE_FOLDER = new RegExp(
  String.raw`[\p{L}\d]${WORD}(?: [\p{L}\d]${WORD}){1,4}(?=[\\/]{1,4}(?:AppData|Desktop|Documents|Downloads|OneDrive|Pictures|Music|Videos|source|\.[a-z]))`,
  'iuy',
)
/** A name of several words with capital letters, before another folder or the end of a quoted path. */
const CAPITALIZED = new RegExp(
  String.raw`\p{Lu}${WORD}(?: (?:(?:d[aeio]s?|de[ln]|der|v[ao]n) ){0,2}[\p{Lu}\d]${WORD}){1,3}(?=([\\/>"'${'`'}]))`,
  'uy',
)
const SINGLE = /[\p{L}\d_][\p{L}\p{M}\d._-]{0,31}/uy
/**
 * The absolute path before a folder of homes, with at most two folders: `/mnt/c` in `/mnt/c/Users`. A path on Windows
 * begins with a drive or with a server. The web server of Vite writes absolute paths behind `/@fs`.
 */
const ROOT =
  /(?:(?<![\w.@~%$\\/-]|\/#)(?:(?<!https?:)(?:\/+[\w.+@-]+){0,2}[\\/]*|[A-Za-z]:(?:\\+[\w.-]+)?\\*|(\\+)\1[\w.$-]+(?:\1[\w.$-]+)?\\*|%\w+%\\*|-[A-Za-z]*)|\/Volumes\/[^\n"'/]{1,40}|[\s=]@|\/@fs|\\[nrt])$/
const FILE =
  /\.(?:mp\d|mkv|avi|html?|png|jpe?g|gif|svg|webp|ico|css|[cm]?[jt]sx?|py|rb|go|rs|php|java|sh|latte|pdf|zip|gz|md|txt|json|ya?ml|toml|xml|csv|db|sqlite|conf|cfg|ini|log)$/i
/**
 * An instruction of a Dockerfile, also as an option of `docker commit`, or the folder of a container in which another
 * folder is mounted. The homes of an image belong to its services.
 */
const IN_IMAGE =
  /(?:(?:^|\n|\\n|-c ["'])[+ ]?(?:(?:ENV|VOLUME|WORKDIR|CMD|ENTRYPOINT|RUN) (?:[^\n\\]|\\(?!n)|\\\n){0,360}|(?:COPY|ADD) [^\n\\']{0,360})|(?:-v|--volume)[ =][^\s:]{1,80}:)$/
/** Returns whether an account is a name: `Jane.Roe`. */
const isDotted = (value: string): boolean => /^[A-Za-z]{2,}\.[A-Za-z]{2,}$/.test(value)

/** Finds the account in a home directory of Unix, macOS or Windows. The account is then also searched alone. */
export function findHome({ text, start, end, rule, found }: Hit): void {
  const before = text.slice(Math.max(0, start - 120), start)
  if (text.startsWith('Home', start + 1) || !ROOT.test(before)) return
  // The account is `home`: `/Users/home/Downloads`.
  if (/[\\/]Users$/.test(before)) return
  // `/users/` in lower case is a route, unless a drive precedes it.
  if (text.startsWith('/users/', start) && !/(?:[a-z]:|\/[a-z])$/i.test(before)) return
  // `/media` contains a user's volumes, but `/media/` in a web address is a folder of pictures.
  if (text.startsWith('/media/', start) && !/(?:^|\s|\/run)$/.test(before)) return
  let from = end
  while (from < end + 4 && (text[from] === '\\' || text[from] === '/')) from++
  const written = nameAt(text, from, before)?.replace(/[.-]+$/, '')
  if (!written) return
  const value = written.replace(/%20|\\{1,4} /g, ' ')
  // A volume may be mounted directly in `/media`: `/media/data-ssd`.
  if (text.startsWith('/media/', start) && value.includes('-')) return
  // An account at a university may consist of digits only, but it has more than three digits.
  if (isRole(value) || value.length < 2 || /^\d{1,3}$/.test(value)) return
  const stop = from + written.length
  if (IN_IMAGE.test(text.slice(Math.max(0, start - 400), start))) return
  // The rest of the name is percent-encoded. The decoded text is searched separately.
  if (/^%[\dA-F]{2}/i.test(text.slice(stop, stop + 3))) return
  // The last segment of a path is a file if it has the extension of one.
  if (FILE.test(value) && !/[\\/]/.test(text.charAt(stop))) return
  if (text[stop] === '.' && /^\.(?:js|ts|md|html|json)/.test(text.slice(stop, stop + 6))) return
  const kind = isDotted(value) || (value.includes(' ') && !/\d/.test(value)) ? 'person' : 'account'
  push({ ...identify(kind, value, rule), length: written.length }, from, found)
}

/** Returns the name of the folder that begins at `from`. Prose may follow a path without quotes. */
function nameAt(text: string, from: number, before: string): string | undefined {
  const [, quote, drive] = /(["'`])?([A-Za-z]\\?:|(?<![\w.])\/(?:mnt\/)?[a-z])?[\\/]*$/.exec(before) ?? []
  ENCODED.lastIndex = BEFORE_FOLDER.lastIndex = CAPITALIZED.lastIndex = SINGLE.lastIndex = from
  const several = ENCODED.exec(text) ?? (drive ? BEFORE_FOLDER.exec(text) : null) ?? CAPITALIZED.exec(text)
  const [whole, end] = several ?? []
  const isClosed = !end || '\\/'.includes(end) || end === (drive && end === '>' ? end : quote)
  // `/Users/jane 12/15`: only on Windows, a name may contain a number as a word.
  return whole && isClosed && (drive || quote || !/ \d/.test(whole)) ? whole : SINGLE.exec(text)?.[0]
}

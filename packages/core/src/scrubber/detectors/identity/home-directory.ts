import type { Hit } from '../../engine/findings.ts'
import { isRole } from './accounts.ts'
import { pushIdentity } from './learned-identity.ts'

/** The name of a folder. It may have several words only if another folder follows. */
const NAME =
  /\p{Lu}[\p{L}\p{M}.'’-]{0,31}(?: \p{Lu}[\p{L}\p{M}.'’-]{0,31}){1,3}(?=[\\/])|[\p{L}\d_][\p{L}\p{M}\d._-]{0,31}/uy
/**
 * The absolute path before a folder of homes, with at most two folders: `/mnt/c` in `/mnt/c/Users`. A path on Windows
 * begins with a drive or with a server. The web server of Vite writes absolute paths behind `/@fs`.
 */
const ROOT =
  /(?:(?<![\w.@~%$\\/-])(?:(?<!https?:)(?:\/+[\w.+@-]+){0,2}[\\/]*|[A-Za-z]:(?:\\+[\w.-]+)?\\*|(\\+)\1[\w.$-]+(?:\1[\w.$-]+)?\\*|%\w+%\\*|-[A-Za-z]*)|\/Volumes\/[^\n"'/]{1,40}|[\s=]@|\/@fs|\\[nrt])$/
const FILE =
  /\.(?:mp\d|mkv|avi|html?|png|jpe?g|gif|svg|webp|ico|css|[cm]?[jt]sx?|py|rb|go|rs|php|java|sh|latte|pdf|zip|gz|md|txt|json|ya?ml|toml|xml|csv|db|sqlite|conf|cfg|ini|log)$/i
/** Returns whether an account is a name: `Jane.Roe`. */
const isDotted = (value: string): boolean => /^[A-Za-z]{2,}\.[A-Za-z]{2,}$/.test(value)

/** Finds the account in a home directory of Unix, macOS or Windows. The account is then also searched alone. */
export function findHome({ text, start, end, rule, found }: Hit): void {
  const before = text.slice(Math.max(0, start - 120), start)
  if (text.startsWith('Home', start + 1) || !ROOT.test(before)) return
  // `/users/` in lower case is a route, unless a drive precedes it.
  if (text.startsWith('/users/', start) && !/(?:[a-z]:|\/[a-z])$/i.test(before)) return
  // `/media` contains a user's volumes, but `/media/` in a web address is a folder of pictures.
  if (text.startsWith('/media/', start) && !/(?:^|\s|\/run)$/.test(before)) return
  let from = end
  while (from < end + 4 && (text[from] === '\\' || text[from] === '/')) from++
  NAME.lastIndex = from
  const match = NAME.exec(text)
  if (!match) return
  const value = match[0].replace(/[.-]+$/, '')
  // An account at a university may consist of digits only, but it has more than three digits.
  if (isRole(value) || value.length < 2 || /^\d{1,3}$/.test(value)) return
  const stop = from + value.length
  // The rest of the name is percent-encoded. The decoded text is searched separately.
  if (/^%[\dA-F]{2}/i.test(text.slice(stop, stop + 3))) return
  // The last segment of a path is a file if it has the extension of one.
  if (FILE.test(value) && !/[\\/]/.test(text.charAt(stop))) return
  if (text[stop] === '.' && /^\.(?:js|ts|md|html|json)/.test(text.slice(stop, stop + 6))) return
  pushIdentity({ kind: isDotted(value) || value.includes(' ') ? 'person' : 'account', value, start: from, rule }, found)
}

import { commonWords } from '../rules/common-words.ts'

/** The number of characters that are read before and after an account. */
const NEAR = 100
/** `github.com/`, `api.github.com/repos/`, `git@github.com:`, `/users/`, `"login": "` */
const ADDRESS_BEFORE =
  /(?:(?:github|githubusercontent|gitlab|bitbucket|codeberg|gitea)\.(?:com|org)(?::\d{1,5})?(?:\\{0,3}\/|:|%2F)(?:(?:repos|users|orgs)(?:\\{0,3}\/|%2F))?|\/(?:repos|users|orgs)\\{0,3}\/|"login\\{0,7}"\s?:\s?\\{0,7}")$/
/** `.github.io`, `/tides.git`, ` <jroe@corp.io>`, `", "email":` */
const ADDRESS_BEHIND =
  /^(?:\.git(?:hub|lab)\.io|\/[\w.-]{1,80}\.git(?![\w-])| (?:<|&lt;)(?:[\w.+-]{1,64}@|\[EMAIL_)|\\{0,7}",\s{0,16}\\{0,7}"email\\{0,7}"\s?:)/
/** A path from a home directory up to a folder. It may also be inside the name of a folder: `-home-jane-`. */
export const IN_HOME =
  /(?:~|[/\\](?:home|Users)[/\\]{1,4}[\w.-]{1,32}|-(?:home|Users)-[\w.]{1,32})(?:[/\\-]{1,4}[\w.]{1,40}){0,4}[/\\-]{1,4}$/
const SEPARATE = /(?:^|[\s("'`*[,])(@?)$/
/** The rest of `jroe/tides` and `jroe:fix/tides`, but not of a file: `jroe/tides.ts`. */
const PROJECT_BEHIND =
  /^(?:\/(?![\w.-]{0,80}\.[a-z]{1,4}(?![\w.-]))[\w.-]{1,80}(?![\w./-])|:(?:main|master|[\w.-]{1,80}\/[\w.-]))/

/**
 * Returns whether a text names an account of a code host: in the address of a repository or of a profile, as an author
 * with a mail address, or, unless the account is a common word, as a folder of a home directory, an owner
 * (`jroe/tides`) or a mention (`@jroe`).
 */
export function namesAccount(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - NEAR), start)
  const behind = text.slice(end, end + NEAR)
  if (ADDRESS_BEFORE.test(before) || ADDRESS_BEHIND.test(behind)) return true
  if (commonWords.has(text.slice(start, end).toLowerCase())) return false
  const separate = SEPARATE.exec(before)
  if (!separate) return /^[/\\]/.test(behind) && IN_HOME.test(before)
  return separate[1] === '@' ? !/^[\w-]*[/(]|^\.\w/.test(behind) : PROJECT_BEHIND.test(behind)
}

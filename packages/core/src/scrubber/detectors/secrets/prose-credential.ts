import { beginsWord, isAlnum, isLetter } from '../../engine/character.ts'
import type { Finder, Hit } from '../../engine/findings.ts'
import type { Candidate, ScoreSecret, Site } from './features.ts'

/** Quotes and other marks of emphasis that may precede a value, in any script. */
const OPEN = '["\'`«»“”„‚‘’「」『』【】〈〉*_(（]{0,3}'
/**
 * Up to six words between the name and the text that joins the name to its value: `password for bob:`, `Kennwort der
 * Datenbank ist`.
 */
const AMID =
  '(?:[ \\u00a0](?!(?:is|was|are|ist|est|es|to|jest|a|an|in|or|and|must|should|will|can|not)[ \\n])(?:[^\\s:=：＝"`,;.|<>(){}?!]{1,24}|\\d[\\d.]{1,10}\\d)){0,6}'
const JOIN =
  '(?:' +
  '[ \\t]{0,4}[:=：＝]\\*{0,2}[ \\t]{0,3}(?:\\n{1,2}[ \\t]{0,8})?' +
  "|[ \\t]{1,2}(?:is (?:still|now)|is|was|now|is set to|set to|is generated|changed to|reset to|updated to|ist|lautet(?: übrigens)?|war|wäre|est|era|es|é|è|e['’]|jest|este|(?<=[hH]as[lł][^\\n.]{0,60} )to|je|to|là|adalah|ialah|olan|olarak|είναι|är|er|on|av|это|был|היא|הוא|هي|هو|คือ|теперь|是|为|は|->|=>|→|—|–|-):?[ \\t]{1,3}" +
  '|[ \\t]{0,2}(?:是|为|為|设为|改为|改成|就是|は|が|는|은|가|이|คือ|→|—|–)[ \\t：:、]{0,3}' +
  ')'
const BODY = '([!#-&(-;=?-_a-~\\u00a1-\\u00aa\\u00ac-\\u00ba\\u00bc-\\u024f]{3,64})'
const JOINED = new RegExp(`[\\p{L}]{0,5}["'\`*_）)]{0,3}${AMID}${JOIN}${OPEN}${BODY}`, 'uy')
/** `password Zx9kLm2q`, `(pw Tr33house!)`: only a space separates the name and the value. */
const BESIDE = new RegExp(`\\p{L}{0,5}["'\`*]{0,2}[ 「『]${OPEN}${BODY}`, 'uy')

/** The answer in the line after a question: `What is the password?`, then `It's Tr33house`. */
const ANSWERED = new RegExp(
  `[\\p{L} '’]{0,40}[?？][ \\t"*_)]{0,4}(?:\\n|\\\\n){1,2}[ \\t>*-]{0,4}(?:[\\p{L}]{1,12}:[ \\t]{1,3})?(?:(?:[iI]t['’]s|[iI]t is|[uU]se|[tT]ry|[sS]ure,)[ \\t]{1,2})?${OPEN}${BODY}(?=[\\s"'\`*.,;]|$)`,
  'uy',
)

const ENGLISH = /^[ (]?pass(?:w(?:or)?d| ?phrase|code)?$|^[ (]?pwd?$|token|key|secret/i
/** The arguments of a command in backticks, after its first word: an option, a path, a variable or a placeholder. */
const ARGUMENTS = /^ (?:[^`\n]{1,60} )?["']?[-/~.$<{]/
const CODE = /^["'`*]{0,3}\s{0,4}[:=](?!\*)|^["'] [\w-]+=/
/** The property of something else than the password: `password hashing mechanism defaults to bcrypt`. */
const OF_NOUN = /^(?: (?!for |of |on |in |at |to )[a-z]{2,24}){1,5} [a-z]{2,24}s to /
/** Creates the finder of passwords in sentences of any language: a keyword, a value, and the text between them. */
export const proseCredentialFinder =
  (scoreSecret: ScoreSecret): Finder =>
  (hit) => {
    const { text, start, end, found } = hit
    const take = (match: RegExpExecArray, stop: number, site: Site): boolean =>
      pushStated(hit, { match, stop, site }, scoreSecret)
    const ascii = text.charCodeAt(start) < 128
    if (
      ascii &&
      isAlnum(text, start) &&
      ((isLetter(text, start - 1) && !beginsWord(text, start)) ||
        '_.$/='.includes(text[start - 1] ?? ' ') ||
        (text[start - 1] === '-' && text[start - 2] === '-'))
    )
      return
    // The keyword `haslo` does not count inside `hasLower`.
    const word = text.slice(start, end)
    if (ascii && /[a-z][A-Z]/.test(word)) return
    if (found.isCrowded(start, 'prose')) return
    JOINED.lastIndex = end
    const joined = JOINED.exec(text)
    // If a colon or an equals sign follows the name, the text may be code, which the rule `assignment` handles.
    const english = ascii && ENGLISH.test(word)
    if (english && isLetter(text, end)) return
    if (
      joined &&
      !(english && (CODE.test(joined[0]) || OF_NOUN.test(joined[0]))) &&
      take(joined, JOINED.lastIndex, english ? 'sentence' : 'foreign-sentence')
    )
      return
    ANSWERED.lastIndex = end
    const answered = ANSWERED.exec(text)
    if (answered && take(answered, ANSWERED.lastIndex, 'answer')) return
    BESIDE.lastIndex = end
    const beside = BESIDE.exec(text)
    if (beside) take(beside, BESIDE.lastIndex, english ? 'beside' : 'foreign-beside')
  }

/** A password that a sentence states: the match that ends with the value, and the index of this end. */
interface Statement {
  readonly match: RegExpExecArray
  readonly stop: number
  readonly site: Site
}

/** Adds the value of a statement if its score shows a secret. Returns whether the value was added. */
function pushStated(
  { text, start, rule, found }: Hit,
  { match, stop, site }: Statement,
  scoreSecret: ScoreSecret,
): boolean {
  const [whole, body = ''] = match
  // The string below `def login(password):` is documentation of the function, not a password.
  const before = whole.slice(0, -body.length)
  if (/["']{3}$/.test(before)) return false
  if (before.endsWith('`') && ARGUMENTS.test(text.slice(stop, stop + 80))) return false
  // The value is a pointer in code (`*Writer`), or the author of a quotation after a dash (`- @jane`).
  if ((/\*$/.test(before) && !body.includes('*')) || (/[-–—] $/.test(before) && /^@[a-z]+$/i.test(body))) return false
  // The value is the user of a pair, not the password: `the user and the password are jane@corp.io and ...`.
  if (/^[^@]+@[\w-]+\.\w{2,}/.test(body) && /user/i.test(text.slice(Math.max(0, start - 24), start))) return false
  const isQuoted = /["'`*「『“„«]$/.test(before)
  const raw = body
    .replace(/(?:[.,;:)\]}*_]|\\[nrt].*|\\)+$/, '')
    .replace(/[?!]$/, (mark) =>
      /\d[?!]$/.test(body) ||
      /[^A-Za-z?!][?!]$/.test(body) ||
      isQuoted ||
      (mark === '!' && !(/beside$/.test(site) && /^\p{Ll}+!$/u.test(body)))
        ? mark
        : '',
    )
  const from = stop - body.length
  const end = from + raw.length
  const candidate: Candidate = {
    site,
    keyClass: rule.category === 'password' ? 'password' : 'secret',
    name: '',
    raw,
    quote: isQuoted ? '"' : '',
    operator: '',
    spaced: true,
    next: text[end] ?? '',
    lead: '',
    scheme: false,
    bracketed: false,
    followsUser: false,
  }
  const score = scoreSecret(candidate)
  if (score === null) return false
  found.push({ start: from, end, rule, value: raw, score, ...(raw.length < 6 ? { local: true } : {}) })
  return true
}

// Recognizes sample data in program code: the values that tests, examples and constants assign to fields of persons and
// passwords.

import type { Pages } from '../engine/merge.ts'
import type { Finding } from '../engine/rule.ts'

/** A line number, a diff sign or a quotation mark before a line of code. */
const PREFIX = String.raw`^\s*(?:\d{1,6}[→|:]?\s)?[+>-]?\s*`
/**
 * A statement or a declaration in a programming language. Scripts of shells, settings and queries contain the data of
 * real machines, so they do not count.
 */
const STATEMENT = new RegExp(
  PREFIX +
    String.raw`(?:(?:public|private|protected|internal|static|override|async|pub|final|const|let|var|val)\s[^;]{0,120}[({;=:]|(?:func|fun|fn|def|class|struct|interface|enum|impl|trait|namespace|package|module|object|type)\s+[\w(<.*&]|(?:import|using|use|from|#include)\s+[\w"'<{*(.:]|(?:if|for|while|switch|catch|return|throw)\b.{0,160}[;{)]\s*$|(?:if|for|while|def|with)\s.{0,160}:\s*$|@[A-Z]\w+|#!?\[\w|\[[A-Z]\w+(?:\(|\]\s*$)|(?:assert|expect|describe|it|test)\w*[.!(]|(?:\w+ = )?[\w.$>:<!?-]+\(.*[({,)\]];?\s*$|[\w.$[\]>-]+ (?::|\+)?= .*;\s*$|\w+(?:, \w+)? := |\/\/[/!]?\s|\/\*\*|\*\/|\* (?:@\w|<\/?(?:p|pre|code|ul|li)\b))`,
)
/** A line of code: it ends with a delimiter, a string or an arrow, assigns a value, or is a comment. */
const CODE_LINE =
  /["'`][\s,;)\]}+]*$|(?:[;{}(),[\]\\]|=>)\s*(?:\/\/.*)?$|^\s*(?:\/\/|\*|#)|^\s*(?:\w+ ){0,3}[@$\w.[\]]+ (?:\|\||[?&:+-]{1,2})?= [\w.]+$|\w: ?-?\d[\d.]*\s*$|^\s*[a-z]\w*[A-Z]\w*$/

/** Returns the lines of a part of a text. The line breaks may be escaped. */
const linesOf = (part: string): readonly string[] => part.replaceAll('\\n', '\n').split('\n')
/** The beginning and the end of a block of code in Markdown, and a language of programs after the beginning. */
const FENCE = '```'
const LANGUAGE =
  /^(?!json|ya?ml|toml|ini|env|dotenv|\w*sh\b|shell|console|te?xt|sql|[xh]t?ml|csv|log|diff|properties|http|md)[a-z]/i

/** The size of a part of a text for which the surrounding lines are read once, in characters. */
const PAGE = 512
const AROUND = 1000
const LEAST_STATEMENTS = 2

/**
 * Returns whether a part of a text is in a program: the block of code around it has the name of a programming language,
 * or at least two lines near it are statements.
 */
function isInProgram(text: string, at: number, pages: Pages): boolean {
  const page = Math.floor(at / PAGE)
  const known = pages.get(page)
  if (known !== undefined) return known
  const before = text.slice(Math.max(0, page * PAGE - AROUND), at).split(FENCE)
  const after = text.slice(at, (page + 1) * PAGE + AROUND).split(FENCE)
  const start = before.at(-1) ?? ''
  const isProgram =
    (before.length > 1 && LANGUAGE.test(start)) ||
    linesOf(start + (after[0] ?? '')).filter((line) => STATEMENT.test(line)).length >= LEAST_STATEMENTS
  // With a fence nearby, the result may differ for another part of the page.
  if (before.length + after.length === 2) pages.set(page, isProgram)
  return isProgram
}

/** Returns whether the line of a value is a line of code instead of a sentence. */
function isInCodeLine(text: string, start: number, end: number): boolean {
  const before = linesOf(text.slice(Math.max(0, start - 160), start)).at(-1) ?? ''
  const [after = ''] = linesOf(text.slice(end, end + 160))
  return CODE_LINE.test(before + text.slice(start, end) + after)
}

/** Categories whose values in program code are mostly samples. Numbers with check digits are not among them. */
const SAMPLE_CATEGORIES = new Set(['phone', 'street_address', 'coordinates', 'date_of_birth'])
/** The rules that find a value by the name of its field. In program code, most such values are samples. */
const FIELD_RULES = new Set(
  'personal-field personal-word name-parts user-field account distinguished-name html-table introduction code card-detail device-name'.split(
    ' ',
  ),
)

/** The beginning of an attribute of HTML with a text that the form shows until somebody enters a value. */
const PLACEHOLDER = /\bplaceholder\\{0,3}=\{?\\{0,3}["'`][^"'`\n]{0,80}$/

/** Returns whether a value is in the attribute `placeholder` of a form. */
function isInPlaceholderOfForm(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 100), start)
  return before.includes('placeholder') && PLACEHOLDER.test(before)
}

/** Categories of secrets that people also invent for tests. */
const CHOSEN_CATEGORIES = new Set(['password', 'secret'])

/** Digits and marks in the place of letters, and these letters. */
const LEET = ['01345@$!', 'oieasasi'] as const

/** Words that passwords of tests and examples contain. */
const STAND_IN =
  /pass(?!age)|secret|mock|dummy|fake|sample|example|change|default|qwert|letmein|hunter|admin|user|login|hello|tests?(?![a-z]{3})|token/
/** Several words, a name in code, a number, a version, a path of a file, a template, or a very short value. */
const WEAK =
  /^(?!(?:[a-z]{4} ){3}[a-z]{4}$)\p{L}+(?:[\s_.,:'!-]+\p{L}*)+$|^[a-z]+\d?(?:[A-Z][a-z]+)+$|^\S{1,5}$|^0x[\da-fA-F]{1,8}$|^[\w.-]+:\d+(?:\.\d+)+\W?$|^[\d_]+$|^[./]{0,2}[\w-]+(?:\/[\w-]+)*\.[a-z]{1,5}$|\{\w+(?:\.\w+)*(?:\}|$)/u

/** Categories of addresses that tests invent, and rules for random strings near the name of a service. */
const TEST_CATEGORIES = new Set(['ip_address', 'mac_address'])
const TEST_RULES = new Set(['vendor', 'azure-account-key'])
/** A token of JOSE (its header is `{"` in base64), and a line of base64 without the beginning of a private key. */
const VECTOR = /^eyJ|^(?!MI[IGHC])[A-Za-z\d+/]{64}$/
const QUOTES = '"\'`'
const LONGEST_KEY = 4096
/** A function of a test, or an assertion. */
const TEST =
  /\b(?:[aA]ssert\w*|expect|should)[.!(]|@Test\b|#\[(?:\w+::)?test\b|#\[cfg\(test|\[(?:Fact|Theory|Test\w*)\b|func Test[A-Z_]|\b(?:it|describe|test)\(\s*["'`]|def test_/

/** Returns whether a private key begins before a line of base64, also without its first line. */
function isAfterKey(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - LONGEST_KEY), at)
  return before.includes('PRIVATE KEY') || before.includes('MII')
}

/** Returns whether a value is invented for the test around it. A table of test vectors may be far from its test. */
function isTestVector(text: string, { start, end, rule, value }: Finding, pages: Pages): boolean {
  if (
    value.length > 31 &&
    VECTOR.test(value) &&
    (QUOTES.includes(text.charAt(start - 1)) || isInProgram(text, start, pages))
  ) {
    let isTest = pages.get('test')
    if (isTest === undefined) pages.set('test', (isTest = TEST.test(text)))
    return isTest && (value.startsWith('eyJ') || !isAfterKey(text, start))
  }
  return (
    (TEST_CATEGORIES.has(rule.category) || TEST_RULES.has(rule.id)) &&
    isInProgram(text, start, pages) &&
    isNearTest(text, start, pages) &&
    isInCodeLine(text, start, end)
  )
}

/** Returns whether a test or an assertion is near a part of a text. */
function isNearTest(text: string, at: number, pages: Pages): boolean {
  const page = Math.floor(at / PAGE)
  let isTest = pages.get(`test ${page}`)
  if (isTest === undefined) {
    isTest = TEST.test(text.slice(Math.max(0, page * PAGE - AROUND), (page + 1) * PAGE + AROUND))
    pages.set(`test ${page}`, isTest)
  }
  return isTest
}

/** Returns whether a value is base64 of a name and a password that is a sample: `dXNlcm5hbWU6cGFzc3dvcmQ=`. */
function isEncodedSample(value: string): boolean {
  if (value.length > 64 || value.length % 4 > 0 || !/^[A-Za-z\d+/]+={0,2}$/.test(value)) return false
  const [, password] = /^[\w-]+:([\w-]+)$/.exec(atob(value)) ?? []
  return password !== undefined && isWeakSecret(password)
}

/** Returns whether a secret is not random, names itself a sample, or is base64 of a name and such a secret. */
const isWeakSecret = (value: string): boolean => WEAK.test(value) || namesSample(value) || isEncodedSample(value)

/** Returns whether a short secret names itself a sample: `s3cret`, `Password12!`. */
const namesSample = (value: string): boolean =>
  value.length < 25 &&
  STAND_IN.test(value.toLowerCase().replace(/[01345@$!]/g, (mark) => LEET[1].charAt(LEET[0].indexOf(mark))))

/** Returns whether a finding is sample data in program code. */
export function isSampleData(text: string, finding: Finding, pages: Pages): boolean {
  const { start, end, rule, value } = finding
  if (SAMPLE_CATEGORIES.has(rule.category) && isInPlaceholderOfForm(text, start)) return true
  const isSample =
    SAMPLE_CATEGORIES.has(rule.category) ||
    FIELD_RULES.has(rule.id) ||
    (CHOSEN_CATEGORIES.has(rule.category) && isWeakSecret(value)) ||
    (rule.category === 'token' && namesSample(value))
  return (
    isTestVector(text, finding, pages) ||
    (isSample && isInProgram(text, start, pages) && isInCodeLine(text, start, end))
  )
}

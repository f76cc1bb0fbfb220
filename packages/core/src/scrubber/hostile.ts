import { draw, examples } from './examples.ts'
import { rules } from './rules/index.ts'

/**
 * Strings made to be slow, about `size` characters each: every keyword over and over, every keyword before a long run of
 * what its pattern takes, every example over and over and almost over, dresses in dresses, floods of one character, and the
 * classics that trip careless patterns. Used by the bench and the tests.
 */
export function* hostileStrings(size: number): Generator<readonly [name: string, text: string]> {
  const fill = filler(size)
  yield* floods(size)
  const keywords = new Set(rules.flatMap((rule) => rule.keywords))
  for (const keyword of keywords) yield [`${keyword} repeated`, fill(keyword)]
  for (const {
    id,
    keywords: [keyword],
  } of rules) {
    yield [`${id} and a run`, `${keyword}${fill('aB3')}`]
    yield [`${id} with a run each`, fill(`${keyword}${'aB3'.repeat(400)} `)]
    yield [`${id} in quotes`, fill(`${keyword}="`)]
    const example = draw(examples.get(id)!.match, 1)
    yield [`${id} as its example`, fill(`${example} `)]
    yield [`${id} as its example without a gap`, fill(example)]
    yield [`${id} almost`, fill(`${example.slice(0, -1)}\u00e9`)]
    yield [`${id} joined by hyphens`, fill(`${keyword}-aB3_`)]
  }
}

const UNITS = [
  'a',
  'A',
  '0',
  '1',
  ' ',
  '\n',
  '\t',
  '"',
  "'",
  '\\',
  '@',
  '.',
  ':',
  '=',
  '-',
  '/',
  '%',
  '+',
  '_',
  '(',
  '[',
  '{',
  '<',
  '\u001b',
  '\u200b',
  'é',
  '😀',
  ']',
  ')',
  '}',
  '>',
  '`',
  '$',
  '#',
  ';',
  ',',
  '|',
  '&',
  '*',
  '~',
  '!',
  '?',
  '^',
  '\r',
  '\u00ad',
  '\ufeff',
  '\u202e',
  'f',
  'deadBEEF',
  '9f',
  'eyJ-',
  'eyJ_',
  'eyJ.eyJ-',
  '\u200ba',
  'a\u200b',
  'k\u200be\u200by\u200b=',
  '\u001b[31ma',
  '\u001b[1;31mk\u001b[0m',
  '\u001b[0m\u001b[0m=',
  '%25%32%35',
  '%5cu0041',
  '\\\\u0041',
  '\\\\"',
  '\\\\\\\\',
  'a@',
  '@a',
  'a@a.',
  'a.',
  '1.',
  '1.1.1.1 ',
  '1 ',
  '1-',
  '11 ',
  '(1',
  '+1 ',
  'ff:',
  '::',
  ':f',
  '://',
  '://a:',
  '://a:b@',
  'eyJ',
  'eyJ.',
  'eyJa.eyJ',
  '-----BEGIN ',
  '-----BEGIN RSA PRIVATE KEY-----',
  '-----BEGIN RSA PRIVATE KEY-----\n',
  'key=',
  'key="',
  "key='",
  'key=\\"',
  'key: ',
  'key = "a',
  'password ',
  'password is ',
  'password: string = ',
  'token,',
  '"token","',
  '\\n',
  '\\u0041',
  '\\u00',
  '%41',
  '%2',
  '%25',
  '\u001b[',
  '\u001b[0m',
  '\u001b]',
  '&#65;',
  '&amp;',
  'YWFh',
  'aGVsbG8gd29ybGQg',
  'Zm9v',
  'cookie: a=',
  'cookie: a=b;',
  'curl -u a',
  'curl -u a:b ',
  ' -u a:',
  '1 A St',
  '1 Aa Bb St ',
  '12 Main ',
  ' street',
  'born ',
  'dob: ',
  'lat ',
  'lat: 1.',
  '/home/',
  '/home/a',
  'a@b:~$ ',
  '[EMAIL_1]',
  '[A_',
  '[A_1',
  'Author: A <',
  'sig=',
  'login a password ',
  'mysql -p',
  '$2b$12$',
  'MIIEpAIBAAKCAQEA',
  'private-lines: 1\na',
  'datadog ',
  'datadog=',
  'heroku ',
  'GB29 NWBK ',
]

const filler =
  (size: number) =>
  (unit: string): string =>
    unit.repeat(Math.ceil(size / unit.length)).slice(0, size)

/** Those that no rule is named in: floods of a few characters, dresses in dresses, many different values. */
export function* floods(size: number): Generator<readonly [name: string, text: string]> {
  const fill = filler(size)
  for (const unit of UNITS) yield [JSON.stringify(unit), fill(unit)]
  for (const [name, dress] of Object.entries(NESTED)) {
    let text = 'password: "hunter2!x" jane@acme.io '.repeat(4)
    while (text.length < size / 3) text = dress(text)
    yield [name, fill(text)]
  }
  for (const [name, make] of Object.entries(SERIES)) {
    let text = ''
    for (let i = 0; text.length < size; i++) text += make(i)
    yield [name, text]
  }
}

/** Each is put on until the text is long. */
const NESTED: Record<string, (text: string) => string> = {
  'base64 in base64': (text) => btoa(text),
  'base64 twice in base64': (text) => btoa(`${text}\n${text}`),
  'JSON in JSON': (text) => JSON.stringify(text + text.slice(0, 200)),
  'percent in percent': (text) => encodeURIComponent(text + text.slice(0, 200)),
  'entities in entities': (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;') + text.slice(0, 200),
}

const SERIES: Record<string, (i: number) => string> = {
  'different addresses': (i) => `user${i}@corp${i % 977}.io `,
  'different passwords': (i) => `PASS_${i}=pw${(i * 7919).toString(36)}x${i} `,
  'passwords that begin alike': (i) => `PASS=aaaaaaaa${'a'.repeat(i % 90)}${i} `,
  'different tokens': (i) => `ghp_${(i + 1e9).toString(36).padStart(36, 'aB3')} `,
  'different numbers': (i) => `+1 415 ${200 + (i % 700)} ${1000 + (i % 9000)} `,
  'different quads': (i) => `${20 + (i % 150)}.${i % 256}.${(i >> 8) % 256}.${(i >> 3) % 256} `,
  'different accounts': (i) => `/home/user${i.toString(36)}x/ `,
  'different names for secrets': (i) => `key${i.toString(36)}_secret=${i}\n`,
  'different prompts': (i) => `user${i.toString(36)}@host${i}:~$ ls\n`,
  'different cards': (i) => `4539 5787 6362 ${1000 + (i % 9000)} `,
  'different hexadecimal digits': (i) => (Math.imul(i + 1, 0x9e3779b1) >>> 0).toString(16),
  'different words in base64': (i) => `${btoa(`the word ${i} is here`)} `,
  'different lines of a key': (i) =>
    `${btoa(`${Math.imul(i + 7, 0x9e3779b1)}${Math.imul(i + 3, 0x85ebca6b)}${'z'.repeat(30)}`).slice(0, 64)}\n`,
  'base64 of secrets': (i) => `${btoa(`password=hunter${i}x!`)} `,
}

import { rules } from './rules/index.ts'

/**
 * Strings made to be slow, about `size` characters each: every keyword over and over, every keyword before a long run of
 * what its pattern takes, and the classics that trip careless patterns. Used by the bench and the tests.
 */
export function* hostileStrings(size: number): Generator<readonly [name: string, text: string]> {
  const fill = (unit: string): string => unit.repeat(Math.ceil(size / unit.length)).slice(0, size)
  for (const unit of UNITS) yield [JSON.stringify(unit), fill(unit)]
  for (const [name, make] of Object.entries(SERIES)) {
    let text = ''
    for (let i = 0; text.length < size; i++) text += make(i)
    yield [name, text]
  }
  const keywords = new Set(rules.flatMap((rule) => rule.keywords))
  for (const keyword of keywords) yield [`${keyword} repeated`, fill(keyword)]
  for (const { id, keywords: [keyword] } of rules) {
    yield [`${id} and a run`, `${keyword}${fill('aB3')}`]
    yield [`${id} with a run each`, fill(`${keyword}${'aB3'.repeat(400)} `)]
    yield [`${id} in quotes`, fill(`${keyword}="`)]
  }
}

const UNITS = [
  'a', 'A', '0', '1', ' ', '\n', '\t', '"', "'", '\\', '@', '.', ':', '=', '-', '/', '%', '+', '_', '(', '[', '{', '<', '\u001b', '\u200b', 'é', '😀',
  'a@', '@a', 'a@a.', 'a.', '1.', '1.1.1.1 ', '1 ', '1-', '11 ', '(1', '+1 ', 'ff:', '::', ':f', '://', '://a:', '://a:b@', 'eyJ', 'eyJ.', 'eyJa.eyJ',
  '-----BEGIN ', '-----BEGIN RSA PRIVATE KEY-----', '-----BEGIN RSA PRIVATE KEY-----\n', 'key=', 'key="', "key='", 'key=\\"', 'key: ', 'key = "a', 'password ', 'password is ',
  'password: string = ', 'token,', '"token","', '\\n', '\\u0041', '\\u00', '%41', '%2', '%25', '\u001b[', '\u001b[0m', '\u001b]', '&#65;', '&amp;', 'YWFh', 'aGVsbG8gd29ybGQg',
  'Zm9v', 'cookie: a=', 'cookie: a=b;', 'curl -u a', 'curl -u a:b ', ' -u a:', '1 A St', '1 Aa Bb St ', '12 Main ', ' street', 'born ', 'dob: ', 'lat ', 'lat: 1.', '/home/', '/home/a', 'a@b:~$ ',
  '[EMAIL_1]', '[A_', '[A_1', 'Author: A <', 'sig=', 'login a password ', 'mysql -p', '$2b$12$', 'MIIEpAIBAAKCAQEA', 'private-lines: 1\na', 'datadog ', 'datadog=', 'heroku ', 'GB29 NWBK ',
]

const SERIES: Record<string, (i: number) => string> = {
  'different addresses': (i) => `user${i}@corp${i % 977}.io `,
  'different passwords': (i) => `PASS_${i}=pw${(i * 7919).toString(36)}x${i} `,
  'passwords that begin alike': (i) => `PASS=aaaaaaaa${'a'.repeat(i % 90)}${i} `,
  'different tokens': (i) => `ghp_${(i + 1e9).toString(36).padStart(36, 'aB3')} `,
  'different numbers': (i) => `+1 415 ${200 + (i % 700)} ${1000 + (i % 9000)} `,
  'different quads': (i) => `${20 + (i % 150)}.${i % 256}.${(i >> 8) % 256}.${(i >> 3) % 256} `,
  'different accounts': (i) => `/home/user${i.toString(36)}x/ `,
  'base64 of secrets': (i) => `${btoa(`password=hunter${i}x!`)} `,
}

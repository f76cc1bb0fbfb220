import { describe, expect, test } from 'vitest'
import { createScrubber, type ScrubContext } from './index.ts'

const scrubber = createScrubber()

function scrub(texts: readonly string[], context?: ScrubContext): readonly string[] {
  const done = scrubber.scrub(texts, context)
  if (!done.ok) throw new Error(done.reason)
  return done.texts
}

/** Each function puts a text into a container, such as JSON, a diff or base64. */
const containers: Record<string, (text: string) => string> = {
  'plain text': (text) => text,
  'a string of JSON': (text) => JSON.stringify({ content: text }),
  'a string in a string of JSON': (text) => JSON.stringify({ content: JSON.stringify({ content: text }) }),
  'a diff': (text) => text.replace(/^/gm, '+'),
  'numbered lines': (text) =>
    text
      .split('\n')
      .map((line, i) => `${i + 1}`.padStart(6) + `\t${line}`)
      .join('\n'),
  'a quotation': (text) => text.replace(/^/gm, '> '),
  'an indent': (text) => text.replace(/^/gm, '      '),
  'Windows line ends': (text) => text.replaceAll('\n', '\r\n'),
  'the query of a URL': (text) => `GET /log?text=${encodeURIComponent(text)}`,
  'base64': (text) => Buffer.from(text).toString('base64'),
}

/** Texts that show the name of a person or a machine, with the values that must be replaced. */
const proofs: readonly (readonly [name: string, text: string, values: readonly string[]])[] = [
  ['a name next to its mail address', 'Tjark Hinrichsen – tjark.hinrichsen@kraehennest.de', ['Tjark', 'Hinrichsen']],
  ['a mail address before its name', '| oona.kettunen@hiillos.fi | Oona Kettunen |', ['Oona', 'Kettunen']],
  ['a name in a row of a table', '| 4 | Hemi Te Moananui | htemoananui@oxbow.nz |', ['Moananui', 'htemoananui']],
  ['an account and a machine', 'ran as okettunen@hiillos-nb-11 today', ['okettunen', 'hiillos-nb-11']],
  ['an account and a machine with the same name', 'I ran it as ciaran@fh-ciaran with MIX_ENV unset', ['ciaran']],
  ['a prompt of the fish shell', 'tbettencourt@faial ~/infra (main)> ls', ['tbettencourt', 'faial']],
  [
    'a list of processes',
    'UID          PID    PPID\nroot           1       0\nmfossheim   4242       1',
    ['mfossheim'],
  ],
  ['a second author in a list', '"authors": [{"name": "Ayumi Tsukahara"}, {"name": "Eskil Brandvold"}]', ['Brandvold']],
]

describe.each(proofs)('scrub of %s', (_, text, values) => {
  test.each(Object.entries(containers))('replaces the values in %s', (__, contain) => {
    const [out = ''] = scrub([contain(text)])
    for (const value of values) expect(out).not.toContain(value)
    expect(out).not.toContain(Buffer.from(text).toString('base64').slice(0, 24))
  })
})

/** Names of companies, each with a mail address whose host was made from the name. */
const companies = [
  ['Guacamaya Pagos', 'luz@guacamayapagos.co'],
  ['Cépages Vivants', 'd.marchetti@cepages-vivants.fr'],
  ['Brückenkopf', 'akuhn@brueckenkopf.io'],
  ['Полярка', 'vera@polyarka.dev'],
  ['Moss & Rivet', 'clare@mossandrivet.com'],
  ['ASHLAR_POINT', 'mc@ashlarpoint.com'],
] as const

describe('scrub of the company in a known mail address', () => {
  test.each(companies.slice(0, 5))('replaces %s for %s', (company, email) => {
    expect(scrub([`© ${company}, all rights`], { identity: { emails: [email] } })).toEqual([`© [HOST_1], all rights`])
  })

  test('keeps two words in lower case', () => {
    const text = 'it improves relay health'
    expect(scrub([text], { identity: { emails: ['will@relayhealth.org'] } })).toEqual([text])
  })
})

describe('scrub of the company of an author', () => {
  test.each([
    ['an account that matches the mail address', '/home/mfossheim/x\nmail marit.fossheim@kystlast.no'],
    ['a name that matches the mail address', 'user.name=Marit Fossheim\nmail mfossheim@kystlast.no'],
    ['a home folder with the label of the host', '/home/mf/src/kystlast/api\nmail post.marit@kystlast.no'],
    ['an account and an address with one name', '/home/mfossheim/x of Marit Fossheim\nmail marit@kystlast.no'],
  ])('replaces the company after %s', (_, proof) => {
    expect(scrub([proof, 'Kystlast wants registry.kystlast.no'])[1]).toBe('[HOST_1] wants registry.[HOST_1]')
  })

  test.each([
    ['the mail address of a stranger', '/home/mfossheim/x\nmail jose.soto@kystlast.no'],
    ['a shared mail host', '/home/mfossheim/x\nmail marit.fossheim@proton.me'],
    ['a public owner', '/home/mfossheim/x\nmail marit.fossheim@vercel.com'],
    ['a package with the name of a folder', '/home/mf/src/kystlast/api\nimport kystlast\nmail jose.soto@kystlast.no'],
  ])('keeps the company after %s', (_, proof) => {
    const text = 'Kystlast, Vercel and Proton want it'
    expect(scrub([proof, text])[1]).toBe(text)
  })
})

describe('scrub of names in mail addresses', () => {
  test('replaces the full name in other texts, also with diacritics', () => {
    expect(scrub(['from lukasz.wisniewski@tkalnia.pl', 'by Łukasz Wiśniewski, not by Wiśniewska'])[1]).toBe(
      'by [PERSON_1], not by Wiśniewska',
    )
  })

  test.each([
    'write to linux.kernel@lists.example.io: Linux Kernel',
    'help.desk@kiln.io is the Help Desk',
    'write to privacy@kiln.io, see our Privacy Policy',
  ])('keeps the words of %s', (text) => {
    expect(scrub([text])[0]).toContain(text.slice(-9))
  })
})

describe('scrub of text that looks like an account and a machine', () => {
  test.each([
    'npm i rollup@beta-10 eslint@canary-2 next@canary',
    'getty@tty1.service eth0@if12: mtu 1500',
    'x.Foo@1b2c3d uses docker/build@release-2',
    'git@github.com:rust-lang/rust.git',
    'replica@eu-west-1 deploy@main-branch',
  ])('keeps %s', (text) => {
    expect(scrub([text])).toEqual([text])
  })
})

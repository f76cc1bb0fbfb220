import { identityCases } from '@tributary/test-kit/scrubber'
import { describe, expect, test } from 'vitest'
import { createScrubber, type KnownIdentity, type ScrubContext } from './index.ts'

const scrubber = createScrubber()

const scrub = (texts: readonly string[], context?: ScrubContext): readonly string[] => {
  const done = scrubber.scrub(texts, context)
  if (!done.ok) throw new Error(done.reason)
  return done.texts
}

describe('scrub of texts that identify the author', () => {
  test.each(identityCases.map((entry) => [entry.texts.join(' | '), entry] as const))('%j', (_, entry) => {
    const out = scrub(entry.texts, entry).join('\n')
    for (const value of entry.gone) expect(out.toLowerCase()).not.toContain(value.toLowerCase())
    for (const value of entry.stays) expect(out).toContain(value)
  })
})

describe('scrub of accounts in a trace', () => {
  test('uses one placeholder for each account or organization in remotes, URLs, paths and mentions', () => {
    const learned = [
      'origin\tgit@github.com:kovohuta/tides.git (push)',
      '✓ Logged in to github.com account zdenka82 (keyring)',
      'https://modravadigital.atlassian.net/browse/API-12',
    ]
    const shown =
      'https://github.com/kovohuta/tides/pull/3 of @kovohuta, then /u/Zdenka82 and /srv/zdenka82/ModravaDigital'
    expect(scrub([...learned, shown])).toEqual([
      'origin\tgit@github.com:[ACCOUNT_1]/tides.git (push)',
      '✓ Logged in to github.com account [ACCOUNT_2] (keyring)',
      'https://[ORG_1].atlassian.net/browse/API-12',
      'https://github.com/[ACCOUNT_1]/tides/pull/3 of @[ACCOUNT_1], then /u/[ACCOUNT_2] and /srv/[ACCOUNT_2]/[ORG_1]',
    ])
  })
})

describe('scrub of the account of a remote that is also a word or an identifier', () => {
  const remote = 'origin\tgit@github.com:OWNER/tides.git (push)'
  const code = 'const OWNER = 3; the OWNER and OWNER/tides.ts, @OWNER/tides, OWNER:hover'

  test.each(['moss', 'kovohuta'])('replaces %s only where it names the account', (owner) => {
    const places = [
      'https://github.com/OWNER/other/pull/3',
      String.raw`"url":"https:\/\/api.github.com\/repos\/OWNER\/tides"`,
      String.raw`{\"login\":\"OWNER\",\"url\":\"https://api.github.com/users/OWNER\"}`,
      'see OWNER.github.io and git@tern.dev:OWNER/tides.git',
    ]
    const texts = [remote, code, ...places].map((text) => text.replaceAll('OWNER', owner))
    expect(scrub(texts).slice(1)).toEqual([texts[1], ...places.map((text) => text.replaceAll('OWNER', '[ACCOUNT_1]'))])
  })

  test('replaces an owner, a branch and a mention of an account that is no common word', () => {
    const text = 'Author: kovohuta <k@tern.io> of kovohuta/tides, `kovohuta:fix/tides`, thanks @kovohuta!'
    expect(scrub([remote, code, text].map((one) => one.replaceAll('OWNER', 'kovohuta')))[2]).toBe(
      'Author: [ACCOUNT_1] <[EMAIL_1]> of [ACCOUNT_1]/tides, `[ACCOUNT_1]:fix/tides`, thanks @[ACCOUNT_1]!',
    )
  })

  test('replaces a folder between the home directory and the repository', () => {
    const texts = [remote, code, 'ls /home/petrak/src/OWNER/tides'].map((text) => text.replaceAll('OWNER', 'kovohuta'))
    expect(scrub(texts)[2]).toBe('ls /home/[USER_1]/src/[ACCOUNT_1]/tides')
  })

  test('replaces an account that was first seen as the account of somebody else', () => {
    const texts = ['Reviewed-by: @kovohuta', 'import x from "kovohuta"\nhttps://github.com/kovohuta/x']
    expect(scrub([...texts, remote.replace('OWNER', 'kovohuta')])[1]).toContain('github.com/[ACCOUNT_1]/x')
  })
})

describe('scrub of home directories', () => {
  test.each([
    '/home/petrak/x',
    '+/home/petrak/x',
    '-I/home/petrak/x',
    '/mnt/c/Users/petrak/x',
    '/Volumes/Macintosh HD/Users/petrak/x',
    'file:///Users/petrak/x',
    'http://localhost:5173/@fs/home/petrak/x',
    String.raw`C:\Users\petrak\x`,
    String.raw`"D:\\backup\\Users\\petrak\\x"`,
    String.raw`\\wsl$\Ubuntu\home\petrak\x`,
    String.raw`{"log": "cd\n/home/petrak/x"}`,
    String.raw`"content": "ENV A=1\nls /home/petrak/x"`,
    'USER tide\nRUN ls\n$ ls /home/petrak/x',
  ])('replaces the account in %s', (text) => {
    expect(scrub([text])).toEqual([text.replace('petrak', '[USER_1]')])
  })

  test.each([
    [String.raw`C:\Users\THINKBOX 630 T2\Desktop\x`, 'THINKBOX 630 T2'],
    [String.raw`"C:\\Users\\THINKBOX 630 T2\\Desktop\\x"`, 'THINKBOX 630 T2'],
    [String.raw`C\:\\Users\\petra kovar\\Downloads\\x`, 'petra kovar'],
    [String.raw`{"cwd": "C:\\Users\\Petra van Kovar"}`, 'Petra van Kovar'],
    [String.raw`PS C:\Users\Petra Kovar> ls`, 'Petra Kovar'],
    [String.raw`cd /Users/petra\ kovar/x`, String.raw`petra\ kovar`],
    ['"/Users/Petra Kovar"', 'Petra Kovar'],
    ['file:///C:/Users/THINKBOX%20630%20T2/x', 'THINKBOX%20630%20T2'],
    ['file:///Users/petra%20kovar/x', 'petra%20kovar'],
    [String.raw`copy C:\Users\petrak D:\backup\x`, 'petrak'],
    [String.raw`In C:\Users\petrak go to Documents\x`, 'petrak'],
    ['/Users/Petra 12/15 files', 'Petra'],
    [String.raw`ls 'C:\Users\Petrak' 2>&1`, 'Petrak'],
    ['"/Users/petrak is the home"', 'petrak'],
    ['cp /home/petrak backup/Documents', 'petrak'],
    ['docker run -v /home/petrak:/data tide', 'petrak'],
    ['scp x tide:/home/petrak/x', 'petrak'],
    ["COPY tides FROM '/home/petrak/tides.csv' CSV;", 'petrak'],
  ])('replaces the whole account in %s, and no text after it', (text, account) => {
    expect(scrub([text])).toEqual([text.replace(account, '[USER_1]')])
  })

  test('replaces an account also at the beginning of the name of a volume', () => {
    const volume = 'ls /Volumes/petrakM1mini-External/x and petrakMini'
    expect(scrub(['/Users/petrak/x', volume])[1]).toBe('ls /Volumes/[USER_1]M1mini-External/x and petrakMini')
  })

  test('replaces an account of several words also with hyphens', () => {
    const texts = [String.raw`C:\Users\THINKBOX 630 T2\Desktop`, '.claude/projects/C--Users-THINKBOX-630-T2-Desktop']
    expect(scrub(texts)[1]).toBe('.claude/projects/C--Users-[USER_1]-Desktop')
  })

  test.each([
    ['/Users/moi/x', 'Laissez-moi vous aider'],
    ['/home/jestem/x', 'Nie jestem pewien'],
  ])('replaces the account in %s, and keeps the function word in %j', (text, prose) => {
    expect(scrub([text, prose])).toEqual([text.replace(/moi|jestem/, '[USER_1]'), prose])
  })

  test.each([
    "import 'package:atlas/features/home/provider/state.dart'",
    'ENV CONFIGPATH="/home/tidegate/config/ca.json"',
    'USER tidegate\nVOLUME ["/home/tidegate"]\nCMD ["tide", "/home/tidegate/x"]',
    String.raw`"content": "FROM tide\nWORKDIR /home/tidegate"`,
    'FROM tide\nRUN useradd -m -d /home/tidegate tidegate \\\n && chown -R tidegate /home/tidegate/bin',
    `docker commit -c 'WORKDIR "/home/tidegate"'`,
    'COPY --chown=tidegate . /home/tidegate/src',
    'docker run --rm -v $PWD:/home/tidegate tide',
    'tide --issue -w /home/wwwroot/tide.dev',
    "vi.mock('@/home/infrastructure/primary')",
    String.raw`use Atlas\Domain\Users\Repositories\Users`,
    String.raw`new \Atlas\Domain\Users\Repositories\Users`,
    String.raw`'\\Atlas\\Domain\\Users\\Repositories\\Users'`,
    'app/Presentation/Home/default.latte',
    '/Home/Privacy',
    'https://atlas.org/front/home/dedicated',
  ])('keeps the folder in %s', (text) => {
    expect(scrub([text])).toEqual([text])
  })
})

describe('scrub of prompts', () => {
  test.each([
    ['petrak@petrak-nb', '[USER_1]@[HOST_1]'],
    ['petrak@tower-07:\n', '[USER_1]@[HOST_1]:\n'],
    ['petrak@tower ~/x # ls', '[USER_1]@[HOST_1] ~/x # ls'],
    ['<petrak@Air-de-Petra.local>', '<[EMAIL_1]>'],
  ])('replaces the account and the machine in %j', (text, expected) => {
    expect(scrub([text])).toEqual([expected])
  })

  test.each([
    'packagename@debian11: avahi-daemon',
    'mail: dev@example.com   # (string|null) empty',
    'git clone git@gist.github.com:d1e0.git',
    'to("ferry@harborpost.local"), :harborpost',
    'kex: none,zlib@openssh.com,zlib',
    'origin  git@github.com:x (fetch)\norigin  git@github.com:x (push)',
  ])('keeps %j', (text) => {
    expect(scrub([text])).toEqual([text])
  })
})

describe('scrub by kind of evidence', () => {
  test('replaces known values with any separator, and inside names in code', () => {
    const identity = { organizations: ['Acme Tools'], emails: ['mira.holm@kestrelbay.dev'] }
    expect(
      scrub(['AcmeTools, acme-tools, acme_tools and newAcmeToolsClient() of kestrelbay.dev and KestrelBay'], {
        identity,
      }),
    ).toEqual(['[ORG_1], [ORG_1], [ORG_1] and new[ORG_1]Client() of [HOST_1] and [HOST_1]'])
  })

  test.each([
    ['Faro Bermejo S.L.', 'faro-bermejo/mapas', '[ORG_1]/mapas'],
    ['Kestrel Labs Pvt Ltd', 'com.kestrellabs.ledger', 'com.[ORG_1].ledger'],
    ['Dūmu Tehnika SIA', 'harbor.dumutehnika.lv/api', 'harbor.[ORG_1].lv/api'],
    ['株式会社ナミカゼ', 'ナミカゼの', '[ORG_1]の'],
  ])('replaces the company %s without its legal form', (company, text, expected) => {
    expect(scrub([text], { identity: { organizations: [company] } })).toEqual([expected])
  })

  test('keeps the name of a platform if it is the whole host of a site', () => {
    const text = 'a medium size, see https://medium.com/@jo'
    expect(scrub([text], { identity: { hosts: ['medium.com'] } })).toEqual([text])
  })

  test.each([
    ['initech.github.io', 'initech uses github', '[HOST_1] uses github'],
    ['initech-labs.pages.dev', 'initech-labs has two pages', '[HOST_1] has two pages'],
    ['initech.wordpress.com', 'the wordpress of initech', 'the wordpress of [HOST_1]'],
  ])('replaces %s and its first label, and keeps the name of the platform', (host, text, expected) => {
    expect(scrub([`https://${host}/x: ${text}`], { identity: { hosts: [host] } })).toEqual([
      `https://[HOST_1]/x: ${expected}`,
    ])
  })

  test.each([
    ['Luz Rojas Quispe', 'luzrojas luzrq lrojasq', '[ACCOUNT] [ACCOUNT] [ACCOUNT]'],
    ['Jari-Pekka Ylönen', 'jpylonen', '[ACCOUNT]'],
    ['Радко Милчинов', '/srv/milchinov of Radko', '/srv/[ACCOUNT] of [ACCOUNT]'],
    ['Μυρτώ Σταμάτη', 'MYRTO.STAMATI', '[ACCOUNT]'],
    ['Linnea Holt', 'Linneas-MacBook-Air Linneas-iPhone.local', '[HOST_1] [ACCOUNT].local'],
  ])('replaces account and machine names of %s', (name, text, expected) => {
    expect(scrub([text], { identity: { names: [name] } })).toEqual([expected.replaceAll('ACCOUNT', 'PERSON_1')])
  })

  test('replaces the first name in a known e-mail address that consists of a first name and an initial', () => {
    expect(scrub(['LINNEA and Linnea'], { identity: { emails: ['linnea.h@gmail.com'] } })).toEqual([
      '[ACCOUNT_1] and [ACCOUNT_1]',
    ])
  })

  test('replaces the label of a known host in code, unless the label is short or a common word', () => {
    const scrubHost = (host: string, text: string) => scrub([text], { identity: { emails: [`it@${host}`] } })[0]
    expect(scrubHost('tidegate.com', 'github.com/tidegate, src/com/tidegate/x')).toBe(
      'github.com/[HOST_1], src/[HOST_1]/x',
    )
    expect(scrub(['x.tide/gate'], { blockedTerms: ['tide/gate'] })[0]).not.toContain('tide')
    expect(scrubHost('kestrelbay.dev', 'import com.kestrelbay.Api; kestrelbay()')).toBe(
      'import com.[HOST_1].Api; [HOST_1]()',
    )
    expect(scrubHost('tempo.dev', 'import com.tempo.Api; tempo()')).toBe('import com.tempo.Api; tempo()')
    expect(scrubHost('vector.dev', 'std::vector<int> vector(3)')).toBe('std::vector<int> vector(3)')
  })

  test('replaces a proven value in other texts unless the trace uses it in code or in a heading', () => {
    const proven = 'Signed-off-by: Tarn Ekholt <tarn@socketry.dev>\nls /home/watchero/x'
    expect(scrub([proven, 'watchero and Ekholt wrote it'])).toEqual([
      'Signed-off-by: [PERSON_1] <[EMAIL_1]>\nls /home/[USER_1]/x',
      '[USER_1] and [PERSON_1] wrote it',
    ])
    expect(scrub([proven, 'const watchero = new Ekholt()', 'watchero, Ekholt'])).toEqual([
      'Signed-off-by: [PERSON_1] <[EMAIL_1]>\nls /home/[USER_1]/x',
      'const watchero = new Ekholt()',
      'watchero, Ekholt',
    ])
  })

  test.each([
    ["{ author: 'Wendeline Poyntz' }", "{ author: '[PERSON_1]' }"],
    ["authors = ['Wendeline Poyntz', 'Ode O’Tarrow']", "authors = ['[PERSON_1]', '[PERSON_2]']"],
    ["{'first_name': 'Wendeline', 'last_name': 'Poyntz'}", "{'first_name': '[PERSON_1]', 'last_name': '[PERSON_1]'}"],
    ["name: 'Wendeline Poyntz', phone: '+1 415 867 5309'", "name: '[PERSON_1]', phone: '[PHONE_1]'"],
    ['git config user.name "John Doe"', 'git config user.name "John Doe"'],
    [
      'git -c user.name="Ode Poyntz" commit; user.name = "Rigmor"',
      'git -c user.name="[PERSON_1]" commit; user.name = "Rigmor"',
    ],
    [
      'git config user.name "Imię Osoby"\n$ git config user.email imie@example.com',
      'git config user.name "Imię Osoby"\n$ git config user.email imie@example.com',
    ],
    ['[package]\nname = "tide"\nauthors = ["wpoyntz"]\n', '[package]\nname = "tide"\nauthors = ["[ACCOUNT_1]"]\n'],
    ['[tide]\nname = "tide"\nauthors = ["wpoyntz"]\n', '[tide]\nname = "tide"\nauthors = ["wpoyntz"]\n'],
    ['see https://t.me/wendeline_poyntz.', 'see https://[USER_1].'],
    [
      'origin  git@github.com:poyntz/tidelog.git (fetch)\norigin  git@github.com:poyntz/tidelog.git (push)',
      'origin  git@github.com:[ACCOUNT_1]/tidelog.git (fetch)\norigin  git@github.com:[ACCOUNT_1]/tidelog.git (push)',
    ],
    ['copied to poyntz@poyntz-box', 'copied to [USER_1]@[HOST_1]'],
    ['👤 Пользователь: Wendeline Poyntz (@wpoyntz)', '👤 Пользователь: [PERSON_1] (@wpoyntz)'],
    ['**User**: Wendeline Poyntz (@wpoyntz)', '**User**: [PERSON_1] (@wpoyntz)'],
    ['docs: Extend Readme (@wpoyntz), User: Try Again', 'docs: Extend Readme (@wpoyntz), User: Try Again'],
    ['Username: @poyntz\nsent by Ode (@poyntz)', 'Username: [USER_1]\nsent by Ode ([USER_1])'],
    ['- **Логин**: `@poyntz_w`', '- **Логин**: `[USER_1]`'],
    ['**User name:** @poyntz', '**User name:** [USER_1]'],
    ['Username: @Model.Poyntz, Login: @username', 'Username: @Model.Poyntz, Login: @username'],
    ['Login page: @PostMapping, username: @login', 'Login page: @PostMapping, username: @login'],
    ['refs/heads/main-LAPTOP-Q4ZK81WD is unchanged', 'refs/heads/main-[HOST_1] is unchanged'],
    ['notes-DESKTOP-7QK2LMN.md, DESKTOP-7QK2LMNA.md', 'notes-[HOST_1].md, DESKTOP-7QK2LMNA.md'],
    ['LAPTOP-PRIMUS15, LAPTOP-2024PLUS, DESKTOP-SETTING', 'LAPTOP-PRIMUS15, LAPTOP-2024PLUS, DESKTOP-SETTING'],
    ['Tenant id is 3f9d21c4-7b1e-4c55-9a02-6e8d1f0b7c93', 'Tenant id is [CLOUD_ID_1]'],
    ['- **Tenant ID:** `3f9d21c4-7b1e-4c55-9a02-6e8d1f0b7c93`', '- **Tenant ID:** `[CLOUD_ID_1]`'],
    ['| Tenant ID | 3f9d21c4-7b1e-4c55-9a02-6e8d1f0b7c93 |', '| Tenant ID | [CLOUD_ID_1] |'],
    [
      'Directory (tenant) ID: 3f9d21c4-7b1e-4c55-9a02-6e8d1f0b7c93, row 5b1e7d90-2c4f-4e1a-8d37-9f06a2c3e514',
      'Directory (tenant) ID: [CLOUD_ID_1], row 5b1e7d90-2c4f-4e1a-8d37-9f06a2c3e514',
    ],
  ])('replaces only the identity in %s', (text, expected) => {
    expect(scrub([text])).toEqual([expected])
  })

  test.each([
    ['GITHUB_REPOSITORY=TideDB/TideDB', 'import "github.com/TideDB/TideDB/wire"\n// The authors of TideDB'],
    ['GITHUB_REPOSITORY=TideDB/TideDB', '// Copyright 2021 TideDB Inc.\n// TideDB'],
    ['-rw-r--r-- 1 petrak petrak 0 Nov 24 a.txt', 'namespace Atlas\\Files\\Petrak;\nPetrak'],
    ['-rw-r--r-- 1 petrak petrak 0 Nov 24 a.txt', 'defp petrak_deliver(mail), petrak'],
    ['git config user.name "Deployer"', '"${DEPLOYER_EMAIL}" of Deployer'],
  ])('does not replace the value of %j elsewhere if the trace uses it as a name in code', (proven, text) => {
    expect(scrub([proven, text])[1]).toBe(text)
  })

  test('keeps the name of a data source and of a service that owns files', () => {
    const texts = ['  username: tideApplication\n  password:', '-rw-r--r-- 1 ftp ftp 0 Nov 24 a.txt', 'by FTP']
    expect(scrub(texts)).toEqual(texts)
  })

  test('replaces the company of an author whose account consists of the initials of a name', () => {
    const text = 'jvp@tern:~$ ls\nauthor: Joos van Poyntz <joos@quillanalytics.be>\nsrc/quillanalytics/dbt'
    expect(scrub([text])).toEqual(['[USER_1]@[HOST_1]:~$ ls\nauthor: [PERSON_1] <[EMAIL_1]>\nsrc/[HOST_2]/dbt'])
  })

  test.each([
    [
      '/home/watchero/x',
      '1. **watchero** (author): **watchero/sockets**',
      '1. **[USER_1]** (author): **[USER_1]/sockets**',
    ],
    ['/home/watchero/x', 'free(*watchero), watchero', 'free(*watchero), watchero'],
    ['{"firstName": "Zenobia", "lastName": "Ashcombe"}', 'Zenobia wrote it', '[PERSON_1] wrote it'],
    ['{"firstName": "Марфа", "lastName": "Снегирева"}', 'у Снегиревой', 'у [PERSON_1]'],
    ['zenobia@tern:~$ git log\nauthor: Zenobia Ashcombe <z@tern.io>', 'ask zenobia', 'ask [USER_1]'],
    ['cd ~/tide-gate\nmail: harbor@tide-gate.io', 'tide-gate of Tide Gate', '[HOST_1] of [HOST_1]'],
  ])('replaces the value of %j elsewhere if it is no ordinary word and no identifier', (proven, text, expected) => {
    expect(scrub([proven, text])[1]).toBe(expected)
  })

  test('replaces a probable value only next to its label, and never in code', () => {
    expect(
      scrub(['Reviewer: Mirabel Ashcombe', 'Mirabel Ashcombe', 'type Author = { Reviewer: Mirabel Ashcombe() }']),
    ).toEqual(['Reviewer: [PERSON_1]', 'Mirabel Ashcombe', 'type Author = { Reviewer: Mirabel Ashcombe() }'])
  })
})

describe('scrub with a known identity', () => {
  test('uses the same placeholder for all forms of a name', () => {
    const identity = { names: ['Hortense Delacroix'] }
    expect(scrub(['Hortense Delacroix, hortense.delacroix, HORTENSE and hdelacroix'], { identity })).toEqual([
      '[PERSON_1], [PERSON_1], [PERSON_1] and [PERSON_1]',
    ])
  })

  const known: readonly (readonly [KnownIdentity, string, string])[] = [
    [
      { names: ['Zofia Maślanka'] },
      'podpis Zofii Maślanki, z Zofią Maślanką',
      'podpis [PERSON_1] [PERSON_1], z [PERSON_1] [PERSON_1]',
    ],
    [
      { names: ['Ondřej Kudláček'] },
      'Ondřejovi Kudláčkovi, Ondřeje Kudláčka',
      '[PERSON_1] [PERSON_1], [PERSON_1] [PERSON_1]',
    ],
    [{ names: ['Işıl Erbaş'] }, 'IŞIL ERBAŞ, Isil Erbas', '[PERSON_1], [PERSON_1]'],
    [{ names: ['Luz Barreiro Quispe'] }, 'com.lbarreiroq.sync, lbarreiro', 'com.[PERSON_1].sync, [PERSON_1]'],
    [{ names: ['Oriol Puigdengolas'] }, 'docker.io/opuigden/tiler', 'docker.io/[PERSON_1]/tiler'],
    [{ organizations: ['Thistle & Kiln'] }, 'com.thistleandkiln.glaze', 'com.[ORG_1].glaze'],
    [
      { hosts: ['fenerbulut.com'] },
      'com.fenerbulut.billing, com/fenerbulut/A.java',
      '[HOST_1].billing, [HOST_1]/A.java',
    ],
    [
      { organizations: ['Origin'] },
      'Origin pays: git push origin, Allow-Origin',
      '[ORG_1] pays: git push origin, Allow-Origin',
    ],
    [{ phones: ['+1 415 867 5329'] }, 'x 4158675329 14158675329 94158675329', 'x [PHONE_1] [PHONE_2] 94158675329'],
    [{ phones: ['867-5329'] }, 'ring 867-5329', 'ring [PHONE_1]'],
    [{ organizations: ['Ray'] }, '@ray.remote, newRayClient() by Ray', '@ray.remote, newRayClient() by [ORG_1]'],
  ]
  test.each(known)('replaces the forms of %j', (identity, text, result) => {
    expect(scrub([text], { identity })).toEqual([result])
  })

  const phrases = [
    ['two spaces', 'Quill  Moor  Works'],
    ['a tab', 'Quill\tMoor\tWorks'],
    ['line breaks', 'Quill\nMoor\r\n    Works'],
    ['line breaks in a quotation', 'Quill\n> Moor\n> Works'],
    ['line breaks in a comment', 'Quill Moor\n// Works'],
    ['escaped line breaks', String.raw`Quill\nMoor\\n Works`],
    ['entities', 'Quill&nbsp;Moor&nbsp;Works'],
    ['no-break spaces', 'quill\u00a0moor\u00a0works'],
    ['hyphens', 'quill-moor-works'],
    ['underscores', 'QUILL_MOOR_WORKS'],
    ['full stops', 'quill.moor.works'],
    ['nothing', 'quillmoorworks'],
    ['capital letters', 'newQuillMoorWorksClient'],
  ] as const
  test.each(phrases)('replaces a company and a blocked term of several words with %s between them', (_, text) => {
    const scrubbed = text.startsWith('new') ? 'new[X_1]Client' : '[X_1]'
    const texts = [`we met ${text} today`]
    for (const [context, placeholder] of [
      [{ identity: { organizations: ['Quill Moor Works'] } }, 'ORG'],
      [{ blockedTerms: ['Quill Moor Works'] }, 'BLOCKED'],
      [{ blockedTerms: ['quill-moor-works'] }, 'BLOCKED'],
    ] as const)
      expect(scrub(texts, context)).toEqual([`we met ${scrubbed.replace('X', placeholder)} today`])
  })

  test.each(['X Corp', 'Ab Corp', 'Æ Corp', 'c++ Corp', 'O2 (UK) Corp', 'AT&T Corp'])(
    'replaces the company and the blocked term %s, whose first word is short or has other characters',
    (term) => {
      for (const text of [term, term.toUpperCase(), `(${term})`, `${term},`])
        for (const context of [{ identity: { organizations: [term] } }, { blockedTerms: [term] }])
          expect(scrub([`by ${text} today`], context)[0]).not.toContain('orp')
      expect(scrub([`by ${'x '.repeat(900)} ${term} today`], { blockedTerms: [term] })[0]).not.toContain('orp')
    },
  )

  test('keeps the words of a blocked term alone, in a list, and as a part of other words', () => {
    const texts = ['quill and moor\n\nworks. Quill\n\nMoor Works, quill, moor, works; quillmoorworkshop']
    expect(scrub(texts, { blockedTerms: ['Quill Moor Works'] })).toEqual(texts)
    expect(scrub(['// todo: to do'], { blockedTerms: ['To Do'] })).toEqual(['// todo: [BLOCKED_1]'])
    expect(scrub(['v12 and v1.2'], { blockedTerms: ['v1.2'] })).toEqual(['v12 and [BLOCKED_1]'])
  })

  test('counts known identities and blocked terms in separate categories', () => {
    const context = { identity: { organizations: ['Thornfield GmbH'] }, blockedTerms: ['Nightjar'] }
    expect(scrubber.scrub(['nightjar of Thornfield'], context)).toMatchObject({
      texts: ['[BLOCKED_1] of [ORG_1]'],
      counts: { identity: 1, blocked_term: 1 },
    })
  })

  test('replaces the whole e-mail address that contains a name', () => {
    expect(scrub(['/home/newcomb/x', 'write to john.newcomb@acme.example'])[1]).toBe('write to [EMAIL_1]')
  })

  test('does not change a scrubbed text', () => {
    const context = {
      identity: { names: ['Hortense Delacroix'], phones: ['+1 415 867 5309'] },
      blockedTerms: ['email'],
    }
    const once = scrub(['Hortense, email h@delacroix.io or 415-867-5309'], context)
    expect(scrub(once, context)).toEqual(once)
  })

  test('reads a text with many known names once', { tags: 'long' }, () => {
    const names = Array.from({ length: 2000 }, (_, i) => `Name${i.toString(36)} Surname${i.toString(36)}`)
    const text = names.join(' ')
    expect(scrub([text], { identity: { names } })[0]).not.toContain('Surname')
  })
})

test.each([
  [
    'names of a project',
    'path: /home/tidegate/.ssh\nname: tidegate-cm\nfile: tidegate-cmd.yaml\nrun: tidegate-server\nx: tidegate-y tidegate-z',
    'name: tidegate-cm\nfile: tidegate-cmd.yaml',
  ],
  [
    'the name of a heading',
    'see https://tidegate.slack.com\n\n# Tidegate\n\nimage: tidegate/server',
    '# Tidegate\n\nimage: tidegate/server',
  ],
  [
    'a package of a lock file',
    'GIT\n  remote: https://github.com/tidegate/tide\n    tidegate (>= 15)',
    'github.com/tidegate/tide',
  ],
  [
    'a part of a name that is also an ordinary word',
    '{"firstName": "Смотритель", "lastName": "Причала"}\nТокен смотрителя получен. Смотритель у причала, Причалы',
    'Токен смотрителя получен. Смотритель у причала, Причалы',
  ],
  [
    'a name of a test',
    '{"firstName": "Final", "lastName": "TestUser"}\nusername="testuser_1"',
    '"TestUser"}\nusername="testuser_1"',
  ],
  [
    'a project in a folder of a home directory',
    'cd ~/tide-gate\n"name": "tide-gate", "email": "community@tide-gate.io"\nthe tide-gate of github.com/tide-gate, tide gate',
    'the tide-gate of github.com/tide-gate, tide gate',
  ],
  ['a file in a folder of homes', '/Media/Tide-1080p.mp4 /home/env/lib', '/Media/Tide-1080p.mp4 /home/env/lib'],
  ['the local part of a test address', 'to added@localhost.localdomain and added again', 'and added again'],
])('%s are kept', (_, text, expected) => {
  const done = createScrubber().scrub([text])
  expect(done.ok && done.texts[0]).toContain(expected)
})

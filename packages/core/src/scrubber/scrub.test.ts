import { expect, test } from 'vitest'
import { draw } from '@tributary/test-kit/scrubber'
import { createScrubber, scrubJson } from './index.ts'

const scrub = (...texts: string[]): string[] => {
  const done = createScrubber().scrub(texts)
  if (!done.ok) throw new Error(done.reason)
  const again = createScrubber().scrub(done.texts)
  expect(again).toMatchObject({ ok: true, texts: done.texts, total: 0 })
  return done.texts
}

/** Joins the two halves of a token. The halves are separate, so that secret scanners do not report this file. */
const join = (text: string): string => text.replaceAll('·', '')

test.each([
  ['a provider token', join('use gh·p_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8 now'), 'use [GITHUB_TOKEN_1] now'],
  ['an e-mail address', 'mail jane.roe@acme-corp.io today', 'mail [EMAIL_1] today'],
  ['an e-mail address after an encoded `@`', 'tideapp://%40jane.roe@acme-corp.io', 'tideapp://%40[EMAIL_1]'],
  ['an international phone number', 'call +49 30 901820 today', 'call [PHONE_1] today'],
  ['a national phone number', 'call (415) 867-5309 today', 'call [PHONE_1] today'],
  ['a social security number', 'ssn 536-22-8726.', 'ssn [SSN_1].'],
  ['a payment card', 'card 4539 5787 6362 1486.', 'card [CARD_1].'],
  ['a public IP address', 'from 93.184.216.34 in', 'from [IP_ADDRESS_1] in'],
  ['a home directory', 'cd /home/jroe/work; whoami: jroe', 'cd /home/[USER_1]/work; whoami: [USER_1]'],
  ['an assignment of a random value', 'API_TOKEN=x8Kq2Lm9Zt4Rw7Yb', 'API_TOKEN=[SECRET_1]'],
  ['a password', 'password: "correcthorse9"', 'password: "[PASSWORD_1]"'],
  [
    'the value of a field called name in a record with a phone number',
    'name: Oda Brekke\nplan: gold\nphone: +47 22 19 85 40\n\nname: Night Heron',
    'name: [PERSON_1]\nplan: gold\nphone: [PHONE_1]\n\nname: Night Heron',
  ],
  [
    'only the number next to a name in lower case',
    'name: night heron\nphone: +47 22 19 85 40',
    'name: night heron\nphone: [PHONE_1]',
  ],
  [
    'the parts of a name in a record with a phone number',
    'achternaam | Kuiper\nvoornaam | Wietske\nmobiel | +31 6 41728395',
    'achternaam | [PERSON_1]\nvoornaam | [PERSON_2]\nmobiel | [PHONE_1]',
  ],
  [
    'a first name next to two last names in a table',
    'id;nombre;apellidos;movil\n1041;Anselmo;Quiroga Tejero;+34 611 482 903',
    'id;nombre;apellidos;movil\n1041;[PERSON_1];[PERSON_1];[PHONE_1]',
  ],
  [
    'a name without letter case before a mail address',
    'نويسنده: بهرام دلاور <b@delavar.ir>',
    'نويسنده: [PERSON_1] <[EMAIL_1]>',
  ],
  ['a name after other words', 'Пишите до Ивана Златева <i@zlateva.bg>', 'Пишите до [PERSON_1] <[EMAIL_1]>'],
  [
    'a name inside an element with a mail address',
    '<a email="k@tverra.no">Kåre Hol</a>',
    '<a email="[EMAIL_1]">[PERSON_1]</a>',
  ],
  ['an author with an initial', '@author R. Quintal', '@author [PERSON_1]'],
  ['the author of a comment', 'Comment by Inês Falcão, 11/Feb/26', 'Comment by [PERSON_1], 11/Feb/26'],
  [
    'a date of birth after a word with an accent',
    '"née le": "14/02/1979", né(e) le : 03/11/1980',
    '"née le": "[DATE_OF_BIRTH_1]", né(e) le : [DATE_OF_BIRTH_2]',
  ],
  [
    'a secret with special characters in a field of YAML',
    'tide_secret: "m@T4GXk)v>7d(LpH^(wvZ<q="',
    'tide_secret: "[SECRET_1]"',
  ],
  [
    'a secret in code that is commented out',
    join("//$tide_secret = 'kvhq·AakzWrX-mtFQ4PRdMoy7';"),
    "//$tide_secret = '[SECRET_1]';",
  ],
  [
    'a key of a wallet in a sentence',
    `the private key of the deployer is ${'4ddb73738f571dbe'.repeat(4)}`,
    'the private key of the deployer is [PRIVATE_KEY_1]',
  ],
  [
    'an address at home in Markdown',
    'I live here:\n**Address:** 742 Maple Street, Springfield, IL 62704\n**Coordinates:** 39.781721, -89.650148',
    'I live here:\n**Address:** [ADDRESS_1]\n**Coordinates:** [ADDRESS_2]',
  ],
  ['the date of birth in a numbered form', '3-dob: 1984-03-12', '3-dob: [DATE_OF_BIRTH_1]'],
  ['a street called Parkplatz', 'Am Parkplatz 12, 10115 Berlin', '[ADDRESS_1]'],
  ['the id of an account of Claude', `"userID": "${'a7c31f0984be2d55'.repeat(4)}"`, '"userID": "[ACCOUNT_ID_1]"'],
  ['a mailbox of a provider', 'email: ivan.petrov@list.ru', 'email: [EMAIL_1]'],
  [
    'a password before an escape',
    'curl -u deploy-robot@acme:\\!Xk9mQ2vLp7 x.io',
    'curl -u deploy-robot@acme:[PASSWORD_1] x.io',
  ],
  ['a password with words of Japanese', 'DB_PASSWORD = "こんにちはXk9mQ2"', 'DB_PASSWORD = "[PASSWORD_1]"'],
  [
    'a key of OpenVPN',
    '-----BEGIN OpenVPN tls-crypt-v2 client key-----\nhkjOPQIBBggqhkjOPQMBBwNCAASKj0MvK6CUzFqRLfDTQNQp0Zt5dcHYx+Dq1Wh9\n-----END',
    '-----BEGIN OpenVPN tls-crypt-v2 client key-----\n[PRIVATE_KEY_1]\n-----END',
  ],
  ['a key with an empty password', join('curl -u Gv·Tbg2qCLLJoZ3U0Vtm5: x.io'), 'curl -u [PASSWORD_1]: x.io'],
  ['a key of Okta', join('Authorization: SSWS 00·bszd7INvTtLi20QvxybkMkO7EnF'), 'Authorization: SSWS [SECRET_1]'],
  [
    'numbers of doctors and of insured people in Germany, and of people in Korea and Thailand',
    'LANR: 482193607, eGK-Nummer: M482193607, RRN: 9601211021413, TNIN: 2345678901234',
    'LANR: [NATIONAL_ID_1], eGK-Nummer: [NATIONAL_ID_2], RRN: [NATIONAL_ID_3], TNIN: [NATIONAL_ID_4]',
  ],
  [
    'a password after a sentence that begins like the result of a test',
    'ok the box is up. the password is Velmar-Katten!7531, same',
    'ok the box is up. the password is [PASSWORD_1], same',
  ],
  [
    'the value of an element with attributes',
    '<PassportNumber country="EE">K8472918</PassportNumber>',
    '<PassportNumber country="EE">[PASSPORT_1]</PassportNumber>',
  ],
  [
    'a secret in both parts of a manifest',
    'kind: Secret\ndata:\n  password: dFE3IXZLejAtV200eFJ1\nstringData:\n  cookie: 4A4TWRAKT6UCZNK336PK\n',
    'kind: Secret\ndata:\n  password: [PASSWORD_1]\nstringData:\n  cookie: [SECRET_1]\n',
  ],
  [
    'an account before a path with spaces',
    'kvrnholm@DESKTOP-8QJ2M0T:/mnt/c/my tide/src$ make',
    '[USER_1]@[HOST_1]:/mnt/c/my tide/src$ make',
  ],
  [
    'no request for a certificate',
    '-----BEGIN NEW CERTIFICATE REQUEST-----\nhkjOPQIBBggqhkjOPQMBBwNCAASKj0MvK6CUzFqRLfDTQNQp0Zt5dcHYx+Dq1Wh9\n-----END',
    '-----BEGIN NEW CERTIFICATE REQUEST-----\nhkjOPQIBBggqhkjOPQMBBwNCAASKj0MvK6CUzFqRLfDTQNQp0Zt5dcHYx+Dq1Wh9\n-----END',
  ],
  [
    'no things of an inventory',
    "INSERT INTO tools (kind, name, serial_number) VALUES ('glass', 'Alcohol Lamp', 'SN-1');",
    "INSERT INTO tools (kind, name, serial_number) VALUES ('glass', 'Alcohol Lamp', 'SN-1');",
  ],
  ['no folder of an account with the name home', '/Users/home/Downloads/x.pdf', '/Users/home/Downloads/x.pdf'],
  [
    'no message of a catalog, no variable, and no assistant',
    "'password.hint': '请检查服务器用户名是否正确1', cfg.Password = harborPass\nCreated By: AI Assistant",
    "'password.hint': '请检查服务器用户名是否正确1', cfg.Password = harborPass\nCreated By: AI Assistant",
  ],
  [
    'no address of nobody',
    'User1@tide.io, anonymous@cvs.tide.io, yourapp@tide.io',
    'User1@tide.io, anonymous@cvs.tide.io, yourapp@tide.io',
  ],
  [
    'no component of React, no schema of a table, no repository of a team, and no hash after a private key',
    '<Company>Our services</Company> {"user_profile": {"name": "user_profile"}} USERDNSDOMAIN: process.env.X\n> git fetch -- git@git.moor.example:infra/t.git\nprivate key not found in module 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    '<Company>Our services</Company> {"user_profile": {"name": "user_profile"}} USERDNSDOMAIN: process.env.X\n> git fetch -- git@git.moor.example:infra/t.git\nprivate key not found in module 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ],
  [
    'a public place in a guide, the address in a placeholder, and the contract of a token',
    '### 4. Tide Museum\n**Address:** 172 Harbour Street, 75006 Moor\n**Coordinates:** 48.8540° N, 2.3326° E\n<input placeholder="Hotel, 123 Main St, Moor">\nhttps://sepolia.etherscan.io/token/0xc927a80e891930c585d6aad91eddefee3e4874c9',
    '### 4. Tide Museum\n**Address:** 172 Harbour Street, 75006 Moor\n**Coordinates:** 48.8540° N, 2.3326° E\n<input placeholder="Hotel, 123 Main St, Moor">\nhttps://sepolia.etherscan.io/token/0xc927a80e891930c585d6aad91eddefee3e4874c9',
  ],
  [
    'no mailing list, no address of numbers that were counted up, and no login of a test',
    'tide@lists.moor.org, git@vger.kernel.org, tides@googlegroups.com, 101.102.103.104, "login": "test1"',
    'tide@lists.moor.org, git@vger.kernel.org, tides@googlegroups.com, 101.102.103.104, "login": "test1"',
  ],
  ['no sample of a pair', 'Authorization: Basic YWRtaW46cGFzc3dvcmQ=', 'Authorization: Basic YWRtaW46cGFzc3dvcmQ='],
  ['no block of Kotlin', 'val tidePasswordModule = module {\n}', 'val tidePasswordModule = module {\n}'],
  [
    'no parts of a template for a command',
    'curl -u <user:password> --user "xxx:yyy" x.io',
    'curl -u <user:password> --user "xxx:yyy" x.io',
  ],
  [
    'no name or id of a store of keys',
    'key_vault_name: "web21prqodx24021", keyId: e8e4df5120544x9b0ab1cZ516',
    'key_vault_name: "web21prqodx24021", keyId: e8e4df5120544x9b0ab1cZ516',
  ],
  [
    'no word with the prefix of a token',
    'tide-xoxo-indieweb-1.jpg, xoxb-Slack_BOT_TOKEN',
    'tide-xoxo-indieweb-1.jpg, xoxb-Slack_BOT_TOKEN',
  ],
  [
    'a password after a version',
    'la contraseña de Nube 5.2.1 es Gato.Verde#19',
    'la contraseña de Nube 5.2.1 es [PASSWORD_1]',
  ],
  ['a password in the line after its name', 'password:\n  tRam7way!Lilac', 'password:\n  [PASSWORD_1]'],
  [
    'numbers with a meaning next to their words',
    'zip: 94107, card 4980916519894289629, host 20.4.3.31',
    'zip: [POSTCODE_1], card [CARD_1], host [IP_ADDRESS_1]',
  ],
  [
    'a mailbox of digits, and an account in a review',
    "13812345678@163.com: 'tram_otto opened this pull request'\n zetaq merged commit 3f9d21c into main",
    "[EMAIL_1]: '[ACCOUNT_1] opened this pull request'\n [ACCOUNT_2] merged commit 3f9d21c into main",
  ],
  ['people after words of East Asia', '客户是王小明，作者名: 李雷', '客户是[PERSON_1]，作者名: [PERSON_2]'],
  [
    'people after labels',
    'created_by = "Ylva Quist"\nclient_company: Kelp Robotics\n"author": "杨娟"',
    'created_by = "[PERSON_1]"\nclient_company: Kelp Robotics\n"author": "[PERSON_2]"',
  ],
  ['a host of one word', 'Host box\n  HostName tidebastion', 'Host box\n  HostName [HOST_1]'],
  ['a password with a dollar sign', "IDENTIFIED BY '$tRam7way'", "IDENTIFIED BY '[PASSWORD_1]'"],
  ['a password in a table', '| password | tRam7way!Lilac |', '| password | [PASSWORD_1] |'],
  [
    'a quoted password after a user name',
    "curl -u svc:'tRam7way!Lilac' https://x.io",
    "curl -u svc:'[PASSWORD_1]' https://x.io",
  ],
  ['a date of birth in Portuguese', 'nasci em 05/09/1954', 'nasci em [DATE_OF_BIRTH_1]'],
  ['an East Asian name in a record', '{name: "표영숙", rrn: "580314-2140512"}', '{name: "[PERSON_1]", rrn: "[RRN_1]"}'],
  ['a long part of a token', `api_key: ${draw('{b64:36}', 8)}...`, 'api_key: [SECRET_1]...'],
  ['a password before three dots', 'password: "tRam7way!..."', 'password: "[PASSWORD_1]"'],
  ['the owner of a folder of code', 'CODEOWNERS:12:/src/api @wendelinq', 'CODEOWNERS:12:/src/api @[ACCOUNT_1]'],
  ['the company of a synced folder', 'D:\\Users\\OneDrive - Tidewords\\a', 'D:\\Users\\OneDrive - [ORG_1]\\a'],
  ['a password after a key with dots', 'tide.db.password=Wybierzx\na=b', 'tide.db.password=[PASSWORD_1]\na=b'],
  ['a password before a word', 'password = tRam_Way7 and pass x9', 'password = [PASSWORD_1] and pass x9'],
  ['a password in backticks', 'wachtwoord:\n\n`tRam7way!Lilac` - x', 'wachtwoord:\n\n`[PASSWORD_1]` - x'],
  ['a default', 'password for kelp defaults to `tRam7way`', 'password for kelp defaults to `[PASSWORD_1]`'],
  ['the id of a secret', 'secret_id: 7f0c3b7a-9e1d-4c82-a6f0-b3d7e9c1a450', 'secret_id: [SECRET_1]'],
  ['a token', `--api-key a=sk-or-v1-${draw('{hex:64}', 1)}\n=======`, '--api-key a=[OPENROUTER_KEY_1]\n======='],
  ['a passphrase', 'password: "kelp wanders past 9 harbours."', 'password: "[PASSWORD_1]"'],
  [
    'an IP address in a log with the version of a browser',
    '81.2.69.142 - - "GET / HTTP/1.1" 200 "Mozilla/5.0 Chrome/126.0.6478.127"\n81.2.69.160 - - "GET /a"',
    '[IP_ADDRESS_1] - - "GET / HTTP/1.1" 200 "Mozilla/5.0 Chrome/126.0.6478.127"\n[IP_ADDRESS_2] - - "GET /a"',
  ],
  ['a card number after an escaped space', 'pan=%204539578763621486&x', 'pan=%20[CARD_1]&x'],
  ['a Spanish number after its label', 'NIE Y-6622359-Y', 'NIE [NATIONAL_ID_1]'],
  ['a number plate after a hash sign', 'number plate #: FK48 2RT', 'number plate #: [LICENSE_PLATE_1]'],
  [
    'a card number next to the same number with a mistake',
    'card 4539 5787 6362 1486, not 4539 5787 6362 1487',
    'card [CARD_1], not 4539 5787 6362 1487',
  ],
  [
    'a session between the other cookies of a cut line',
    join('%3A07=6; SESSTAG=QK7TQ·m2ZpV9LrW4xB8yN; SESSNAME=first-page-of-three; lang=de'),
    '%3A07=6; SESSTAG=[COOKIE_1]; SESSNAME=first-page-of-three; lang=de',
  ],
  ['a password in a URL', join('postgres://app:s3cr·etpw@db.acme.io/x'), 'postgres://app:[PASSWORD_1]@db.acme.io/x'],
])('replaces %s', (_, text, expected) => {
  expect(scrub(text)).toEqual([expected])
})

test.each([
  ['a name after a label in another language', 'namn: Torvald Björkestrand', 'namn: [PERSON_1]'],
  ['a payer', 'Zahlungspflichtige: Kunigunde Ehrlinspiel', 'Zahlungspflichtige: [PERSON_1]'],
  ['an account holder', '"titulaire": "Anatole Verchère"', '"titulaire": "[PERSON_1]"'],
  ['a name of two words', 'imię i nazwisko: Żywisława Okrąglicka', 'imię i nazwisko: [PERSON_1]'],
  ['a name to display in quotes', '"displayName": "Torvald Björkestrand"', '"displayName": "[PERSON_1]"'],
  ['a quoted name after a key with dots', "spec.author = 'Torvald Björkestrand'", "spec.author = '[PERSON_1]'"],
  ['a name after a role in a sentence', 'the customer Torvald Björkestrand called', 'the customer [PERSON_1] called'],
  ['a name in kana', 'フリガナ: タカナシ ミオ', 'フリガナ: [PERSON_1]'],
])('uses the label to replace %s', (_, text, expected) => {
  expect(scrub(text)).toEqual([expected])
})

test('scrub replaces the cells of a row that ends with a delimiter', () => {
  expect(scrub('key,full_name,dob\n1,"Bao-Anh Pelletier",1974-07-30,\n2,Marisela Vantongeren,1988-11-02')).toEqual([
    'key,full_name,dob\n1,"[PERSON_1]",[DATE_OF_BIRTH_1],\n2,[PERSON_2],[DATE_OF_BIRTH_2]',
  ])
})

test.each([
  ['a public key', 'minisign public key: RWQYNA9ly1kdel8I9QddUdXveNrNrOH/CZIdc6LnXjJy6T+0cGmKghtA'],
  ['the next field after an empty password', 'pool: x\n  password:\n  kelp9ware:\n    size: 4'],
  ['the next line after an empty key', 'password=\nTIDE_LINE4=aB3dE6gH'],
  ['the next argument after a password', '-e REDIS_PASSWORD=password \\\n  kelpworks/tide-cache:al7'],
  ['a filter of a template', 'password: {{ $password | b64enc | quote }}'],
  ['an object in a log', 'Bad session token: org.tide.Session@4be29ac1, wtoken = SurfToken{9f4ef63'],
  ['the start of a call', 'AccessToken <- R6::R6Class(\n  "AccessToken",'],
  ['a field of a line with colons', 'heron:pass:1001:100:upload'],
  ['the mode of a login', 'if (AuthMode == "WPA3PSK8X" && "passwordless": "allowed")'],
  ['the alphabet of a generator', "$keyspace = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'"],
  ['a host after a directive', 'uwsgi_pass tideline:9031;'],
  ['the next line after an empty network key', 'WPAPSK=\nDefaultKey=1'],
  ['a flag inside a word', '[a rar](https://tide.dev/plug#site-p4lugs)'],
  ['the name of an algorithm', 'new SecretKeySpec(decode(key), "HmacSHA256")'],
  ['a type called Owner', 'type Owner = TideCommunity;'],
  ['the type of a key', 'variable "tide_key_type" { default = "ed25519" }'],
  ['a variable in SQL', "CREATE USER tide WITH PASSWORD '$TIDE_DB_PASSWORD'"],
  ['a constant in SQL', "ALTER ROLE tide WITH LOGIN PASSWORD 'RANDOM_PASSWORD'"],
  ['a constant in a command', `usermod -p 'PASSWORD_HASH' tide; usermod -p "$(mkpasswd -m sha-256 'RAW_PASSWORD')"`],
  ['a masked password inside backticks', 'never use `docker login -p xxx`)，like this'],
  ['an encoded placeholder', "--data 'username=test&password=%3CREDACTED%3E'"],
  ['an argument of a format', 'And your password is: %4$s<br/>'],
  ['the id of a run', 'wandb: run id 8d2e1f0a77c4b19e'],
  ['the id of a trace', 'datadog: trace id: "5f0c3b7a9e1d4c82a6f0b3d7e9c1a450"'],
  ['versions of four parts after an operator', 'kelp-node (~> 24.12.0.1)\n  kelp-node (24.12.0.1-x64)'],
  ['a number called a version', 'Example version number: `1.25.99.1`'],
  ['a sentence about commits', 'Left("No merged commit IDs found"), if Tide wants to merge later'],
  ['the numbers of sections', '- id: 6.2.3.31 and - id: 1.1.1.10, P802.11n, 7.3.2.60'],
  ['the address of a network', 'addRoute("64.0.0.0", "192.0.0.0")'],
  ['the path of a drawing', 'd="M1.08.58 1.23.82.72 1.21 1.87.87"'],
  ['ids in the form of card numbers', 'served block blk_-4980916519894289629, IdUid(6, 4973796228302910111)'],
  ['the heading of a column in the form of a street', '|  Gen 0 | Allocated |'],
  ['the size of an archive', 'SIZE(tide-1.8.6-p368.zip)= 5619494'],
  ['the date of a registration', '"RegistrationEndDate": "2025-01-01T00:00:00Z"'],
  ['a phone number of zeros', '"telephone":"0000000000"'],
  ['the start of a fingerprint', 'SHA256 Fingerprint=EE:5C:E1:DF:A7:A4...'],
  ['the id of a message', '"id": "<20111114174239.25659.5817@samples.tidemail.org>"'],
  ['a UUID with a host', '"message_id": "d7eabab3-5936-42ff-a419-711cc76f23c8@mx.tidemail.org"'],
  ['a file of launchd', '~/Library/LaunchAgents/homebrew.mxcl.postgresql@11.plist'],
  ['the name of a compression', 'kex_parse_kexinit: none,zlib@openssh.com,zlib'],
  ['a short form of a verb', "I've opened issues at the tracker"],
  ['a company with its legal form', 'Contributor: Tidewords, Inc.'],
  ['a sentence after a word for a person', '作者原来是一个外行，患者看到的是下面这样，客户的总和是多少'],
  ['the next sentence', '作者在1998年创建了这个库。\n\n今天，还在维护这个库'],
  ['the text of a key in a catalog', 'headline.new_client = "Neuer Kunde"'],
  ['the text of an internal key', "$lang['_manager'] = 'Site Kaptan';"],
  ['a label as the value of a label', '"display_name": "表示名", "author": "작성자", "contact": "연락처"'],
  ['a company in a catalog', 'label.company_name = "Firmenname"\nnote.enter_company = "Bitte Namen eingeben"'],
  ['the name of a template', 'displayName: Tideline Administrator Username'],
  ['a topic after a word for a host', '* [Tide: Hostname Verification](https://tide.dev)'],
  ['the end of a message', '"Benutzername oder Passwort fehlerhaft!"'],
  ['the plural of a word', '{{plurality TaskCount "password" "passwords"}}'],
  ['an attribute after a kind of field', '<input type="password" name="d[confirm]" id="confirm"/>'],
  ['versions of four parts', 'driver 10.0.19045.3570\ndriver 31.0.15.4601\ntool 23.11.42.17'],
  ['serial numbers in the form of card numbers', 'lot 4539-5787-6362-1486\nlot 4539-5787-6362-1487'],
  ['a range of numbers', 'seq = 370000000000002..370000000000999'],
  ['a number in the line before a label', "['luhn', '79927398710'],\n['iban', null]"],
  ['encrypted values that may be committed', 'password: ENC[AES256_GCM,data:hKbWTN7iygZnlnN8sq,iv:5qFaxjkE,type:str]'],
  ['translations of the names of fields', '{"firstName": "Vorname", "lastName": "Nachname"}'],
  ['a phone number of ascending digits', '"phone.placeholder": "z. B. 030 1234567"'],
  ['the address of a public smart contract', 'WETH: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"'],
  ['a translation of a label', '"ko": { "heading.contact": "연락처" }'],
  ['a field called name in a record about a thing', 'name: Night Heron\nversion: 3.1'],
  [
    'the public key of a push service',
    '"vapid_key": "BNbxGYvKdxtw1GBjSx5QE4q9qmzMpl0c-KpqwXy8Qjkz_tGu1F9cZ2lWs7RVhA3"',
  ],
  ['the id of a signing key', 'git config --global user.signingkey 9D41C7E2A05B86F3'],
  ['the checksums of a lock file', `  Sentry: ${draw('{hex:40}', 3)}\n  quill_view: ${draw('{hex:40}', 4)}\n`],
  ['a SHA-512 hash in base64', `"resolved": "2.1.0", "fileHash": "${draw('{b64:86}==', 5)}"`],
  ['the id of a message', `Postmark.send(mail) == {:ok, %{id: "${draw('{uuid}', 6)}"}}`],
  [
    'a heading with a word for a customer',
    '## Customer Mooring Method (`CreateMooring`), Patient Harbour Leaflet, Comment',
  ],
  [
    'a sentence after the name of a code host',
    '- [ ] GitHub: pilotage `main`, previews on Kelp. Push it to GitHub: Kelp',
  ],
  ['the assignment of an owner', 'Owner = parcelInfo.Owner,'],
  ['the long form of an abbreviation', '## TBML format\n- **Nom complet** : Tideline Buoy Markup Language'],
  ['the name of a step in a pipeline', '- task: PowerShell@2\n  displayName: Build Gangway'],
  [
    'the label of a setting',
    '{"name": "TIDE_LIMIT", "displayName": "Tide Limit", "description": "How often the tide turns"}',
  ],
  ['a word before code or Latin letters in a sentence', 'sender: 调用 `moor()` 方法, client: 将它们的 JavaScript 发送'],
  ['a key of a catalog with dots', 'Person.create.patient=Buat Pasien\nPerson.find=Temukan satu orang'],
  ['a text of an Android app', '<string name="tide_no_sender">भेजनेवाले नहीं</string>'],
  ['a heading with a line below it', 'written by various contributors:\n\nGangway Pilot Lead\n``````````````````\n- x'],
  ['a date and a count in a Polish sentence', 'te menu nie działa (2025-06-01 19:43:53), nie ma 48213906 wierszy'],
  ['a time after a date and a label', 'NIE: (2025-06-01 19:43:53)'],
  ['a colour after a word for a plate', 'icon plate, solid brand CTA (`#E5383B`)'],
  ['a time after an escaped quote', '%27e_time%27%3A%20%271783409568717%27'],
  ['colors in CSS', '--tide-ring: rgb(59 130 246 / 0.5); color: rgb(254 240 138 / var(--x)); rgb(254 252 232)'],
  [
    'the id of an object in Python',
    "assert <AsyncMock name='tide' id='140637858687568'> is None, <Mock id='140637858687568'>",
  ],
  ['members of objects after an at sign', 'modified: TideStore@9.loader, BuoyStore@31.projectId, @/tide@BuoyQueue.kt'],
  ['a row below the headings of a table', 'created_at  addresses\n0  Buoy Smith   30  2024-01-01'],
  ['a variable in place of a host', 'ssh root@YOUR_DROPLET_IP'],
  ['the version of a package with a label in its name', '+ permission_tide_html 0.1.3+5'],
  ['a time in milliseconds as an id', '{"customer_id": 1783409568717, "phone": "1768659550718"}'],
  ['the first characters of a token', 'share_token: 3dcd784c-... and "api_key": "Ab12Cd34Ef56..."'],
  ['the first characters of a token in a table', '| id | share_token |\n|---|---|\n| 574a26c5-... | 3dcd784c-... |'],
  ['an id with a time', 'kb_token: kb_1768659550718_e4z5lg'],
  ['a folder of a synced drive', 'D:\\Users\\OneDrive\\Documentos\\pilot'],
  ['the scope of a package in a command', 'npm install @kelpworks/tide-limit @kelpworks/tides'],
  ['words after pass', 'a_pass = pass_1 and pass_kelp\nretrace; PASS-4: agrees with. Could pass KelpBody2D on'],
  ['the next command', '"$a_password" | kelp64; password: export PWD_A=x; proxy_pass unix:$TIDE/.s.kelp.5432;'],
  ['the next key and a duration', '"weakTide(!)Password",\n  "_justification": 1; PASSWORD_WITHIN=6.hours'],
  [
    'a command in backticks',
    'password requests:\n\n`kelp-agent --list`, its passphrase:\n\n`tideset tideKey {{/dev/x}}`',
  ],
  ['an argument after a path', 'CMD ["--password-file", "/srv/Kelp9/password", "/srv/Kelp9/Pilot.json"]'],
  ['ports and the line after a usage', '# usage: login name password\n# a\ndocker run --link a:mysql -p 3000:3000'],
  ['optional parts of a usage', 'mosquitto_sub [-P password] or mqtt(s)://[name[:password]@]host'],
  ['a template in a form', '<input type="password" value="@tide.mail.map(_.password)"/>'],
  ['a key before a comment', `kelp_ca: ecdsa-sha2-nistp256 ${draw('AAAAE2VjZHNhLXNoYTI{b64:60}', 9)}\n\n# Secrets`],
  ['the value of something else', 'The password hashing tide defaults to `kelpbcrypt` on'],
  ['the id of a store of secrets', '<TideSecretsId>7f0c3b7a-9e1d-4c82-a6f0-b3d7e9c1a450</TideSecretsId>'],
  ['the argument of a call', `tide.PilotKey("${draw('{b64:43}', 7)}"); authority.Load("${draw('{b64:43}', 8)}")`],
  ['a text after a key with dots', 'error.password.weak=Wybierz silniejsze hasło\nlogin.password.upper=zawiera literę'],
  ['a sentence of a catalog', "'current_password' => 'Huidig wachtwoord is onjuist.',"],
  ['the example hash in bcrypt documents', 'verify("$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy")'],
])('keeps %s', (_, text) => {
  expect(scrub(text)).toEqual([text])
})

// promise: same-value-same-placeholder
test('scrub uses the same placeholder for a value in all texts, also without its context', () => {
  expect(
    scrub('I got pq8vXz31LmWt back', 'DB_PASS=pq8vXz31LmWt', 'jane@acme.io and JANE@acme.io and bob@acme.io'),
  ).toEqual(['I got [PASSWORD_1] back', 'DB_PASS=[PASSWORD_1]', '[EMAIL_1] and [EMAIL_1] and [EMAIL_2]'])
})

test('scrub replaces one line of a private key, and keeps one line of a certificate', () => {
  const line = draw('{b64:62}7Q', 5)
  expect(scrub(`what is this?\n${line}\nthanks`)).toEqual(['what is this?\n[PRIVATE_KEY_1]\nthanks'])
  expect(scrub(`+${line}`)).toEqual(['+[PRIVATE_KEY_1]'])
  expect(scrub(JSON.stringify({ a: `x\n${line}\n` }))).toEqual(['{"a":"x\\n[PRIVATE_KEY_1]\\n"}'])
  const alphabet = `const A = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'`
  expect(scrub(alphabet)).toEqual([alphabet])
  const certificate = `-----BEGIN CERTIFICATE-----\n${line}\n${draw('{b64:62}3a', 6)}\n-----END CERTIFICATE-----`
  expect(scrub(certificate)).toEqual([certificate])
})

test.each([5, 18, 25, 60, 100, 120])('scrub replaces a token that a terminal wrapped after %s characters', (column) => {
  const encode = (part: object) => btoa(JSON.stringify(part)).replace(/=+$/, '')
  const token = `${encode({ alg: 'HS256' })}.${encode({ sub: 'kmeier', iat: 1751298562, iss: 'Lagernord' })}.`
  const wrap = (text: string) => `${text.slice(0, column)}\n${text.slice(column)}`
  const lead = '$ curl -s http://localhost:8080/api/v1/orders/136 -H'
  const whole = token + draw('{b64:43}', 7).replace(/[+/]/g, '-')
  expect(scrub(`${lead} 'Authorization: Bearer ${wrap(whole)}'\nok`)).toEqual([
    `${lead} 'Authorization: Bearer [JWT_1]'\nok`,
  ])
  const next = token + draw('{b64:43}', 8).replace(/[+/]/g, '-')
  const text = (first: string, second: string) => `${lead} ${first}\n${second}\nrow42 is the last\n`
  expect(scrub(text(whole, next))).toEqual([text('[JWT_1]', '[JWT_2]')])
})

test('scrub keeps public keys and certificates of any length, and replaces the private keys next to them', () => {
  const lines = (count: number, seed: number) => Array.from({ length: count }, (_, i) => draw('{b64:62}7Q', seed + i))
  const pem = (label: string, seed: number, count = 20) =>
    [`-----BEGIN ${label}-----`, ...lines(count, seed), `-----END ${label}-----`, ''].join('\n')
  const pgp = pem('PGP PUBLIC KEY BLOCK', 100, 400)
  const [line] = lines(1, 900)
  expect(scrub(`${pgp}then\n${line}\nthanks`)).toEqual([`${pgp}then\n[PRIVATE_KEY_1]\nthanks`])
  const [certificate, key] = [pem('CERTIFICATE', 600), pem(join('PRIV·ATE KEY'), 700)]
  const secret = (crt: string, tls: string) => `kind: Secret\ndata:\n  tls.crt: ${crt}\n  tls.key: ${tls}\n`
  expect(scrub(secret(btoa(certificate), btoa(key)))).toEqual([secret(btoa(certificate), '[PRIVATE_KEY_1]')])
  expect(scrub(`cluster_auth: ${btoa(certificate)}\ncluster_pair: ${btoa(certificate + key)}`)).toEqual([
    `cluster_auth: ${btoa(certificate)}\ncluster_pair: [PRIVATE_KEY_1]`,
  ])
  const openSsh = ['ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ' + line?.slice(34), ...lines(3, 800)].join('\n')
  expect(scrub(`${openSsh}\nand\n${line}`)).toEqual([`${openSsh}\nand\n[PRIVATE_KEY_1]`])
})

test('scrub replaces a value that contains escapes, and a JSON number', () => {
  expect(scrub('{"phone": 4155552671, "n": 12}')).toEqual(['{"phone": "[PHONE_1]", "n": 12}'])
  expect(
    scrub(`{"k": "${join('gh·p_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8').replace('C3d4', '\\u0043\\u0033d4')}"}`),
  ).toEqual(['{"k": "[GITHUB_TOKEN_1]"}'])
})

test('scrub gives new placeholders higher numbers than the placeholders in a text', () => {
  expect(scrub('[EMAIL_3] wrote to jane@acme.io')).toEqual(['[EMAIL_3] wrote to [EMAIL_4]'])
})

test("scrub replaces a finding of an app's detector that looks like a sample in program code", () => {
  const code =
    'class Desk {\n  static phone = "ext 4471";\n  constructor(private id: string) {}\n  name() { return this.id; }\n}'
  const find = (text: string) => [...text.matchAll(/ext \d+/g)].map(({ index }) => ({ start: index, end: index + 8 }))
  const detector = { id: 'desk', category: 'phone', placeholder: 'DESK', find }
  expect(createScrubber({ detectors: [detector] }).scrub([code])).toMatchObject({
    texts: [code.replace('ext 4471', '[DESK_1]')],
  })
})

test('scrub refuses a trace after a rejected category, a failing detector or an exceeded time limit', () => {
  expect(createScrubber({ reject: ['email'] }).scrub(['jane@acme.io'])).toEqual({
    ok: false,
    reason: 'holds email, which may not be kept',
  })
  const broken = {
    id: 'x',
    category: 'x',
    placeholder: 'X',
    find: () => {
      throw new Error('jane@acme.io')
    },
  }
  expect(createScrubber({ detectors: [broken] }).scrub(['text'])).toEqual({ ok: false, reason: 'the scrubber failed' })
  let time = 0
  expect(createScrubber({ now: () => (time += 10), limitMs: 5 }).scrub(['text'])).toEqual({
    ok: false,
    reason: 'the scrubber ran out of time',
  })
})

test('scrubJson keeps the shape, and scrubs keys and the values that keys reveal', () => {
  expect(
    scrubJson(createScrubber(), { 'a': [1, null, 'jane@acme.io'], 'jane@acme.io': true, 'password': 'hunter2!' }),
  ).toMatchObject({
    ok: true,
    value: { 'a': [1, null, '[EMAIL_1]'], '[EMAIL_1]': true, 'password': '[PASSWORD_1]' },
  })
})

test('scrub replaces a value inside two pairs of quotes, and does not replace placeholders again', () => {
  expect(scrub(`password = '"qwe7rty#9"'`)).toEqual([`password = '"[PASSWORD_1]"'`])
  expect(scrub(`check secret('"foo\\\\u000Xbar9"', 'a')`)).toHaveLength(1)
  expect(scrub('password: "x[EMAIL_1]y9#"')).toEqual(['password: "x[EMAIL_1]y9#"'])
})

test('scrub searches a stored clean text again for values that other texts of the trace contain', () => {
  const scrubber = createScrubber()
  const instructions = `Ask the reviewer before you deploy anything. ${'Read each file before you change it. '.repeat(12)}tomlindq owns it.`
  for (let i = 0; i < 4; i++) expect(scrubber.scrub([instructions, 'ok'])).toMatchObject({ total: 0 })
  expect(scrubber.scrub([instructions, 'cd /home/tomlindq/work'])).toMatchObject({
    texts: [instructions.replace('tomlindq', '[USER_1]'), 'cd /home/[USER_1]/work'],
  })
  expect(scrubber.scrub(['What is your full name?', instructions])).toMatchObject({ total: 0 })
  expect(scrubber.scrub([instructions], { blockedTerms: ['reviewer'] })).toMatchObject({ total: 1 })
})

/**
 * Lines with values for three rules: the first rule reads the next line, the second a table, and the third the
 * beginning of a line.
 */
const lines = ['$ hostname', 'mbp-van-ylva', 'user,password', 'bob,csvPass5', 'PASS t9bOLTWzgJHr7a', '230 Login ok']
test.each<[string, (line: string, at: number) => string]>([
  ['numbers', (line, at) => `${String(at + 1).padStart(6)}→${line}`],
  ['numbers and tabs', (line, at) => `${String(at + 9).padStart(6)}\t${line}`],
  ['quotation marks', (line) => `> ${line}`],
  ['times', (line, at) => `2024-03-04T10:00:0${at}.123Z ${line}`],
  ['names of containers', (line) => `web-1  | ${line}`],
])('scrub replaces values in lines with a prefix of a program: %s', (_, prefix) => {
  const [text] = scrub(`x\n${lines.map(prefix).join('\n')}\n`)
  for (const secret of ['mbp-van-ylva', 'csvPass5', 't9bOLTWzgJHr7a']) expect(text).not.toContain(secret)
})

test('scrub does not treat numbers that are not consecutive as line numbers', () => {
  const text = 'x\n4\t$ hostname\n9\tmbp-van-ylva\n'
  expect(scrub(text)).toEqual([text])
})

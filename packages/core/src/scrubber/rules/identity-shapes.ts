import { isListedCompany } from './listed-companies.ts'
import { ALONE, identity, isPersonalAccount, LINE, LOGIN, NAME, NL } from './identity-rule.ts'
import { isColleague } from './mentions.ts'
import { isCustomer } from './identity-hosts.ts'
import { isHandle } from '../detectors/identity/field-value.ts'
import { impersonalDeeds } from './identity-words.ts'
import type { Rule } from '../engine/rule.ts'

/** What people do to each other's work: behind `NAME` at the beginning of a line, and before `by NAME`. */
const DEEDS =
  'wrote|commented|said|says|replied|requested|approved|merged|pushed|opened|closed|left|joined|reacted|mentioned|assigned|unassigned|uploaded|posted|shared|deployed|invited|reviewed|started|created|edited|changed|added|removed|updated|moved|resolved|reopened|archived|renamed|submitted|asked|answered|sent|published|triggered|escalated|acknowledged|committed|modified|reported|marked|linked|locked|deleted|completed|forked|released|rejected|declined|accepted|subscribed|unsubscribed|dismissed|suggested|attached|scheduled|cancelled|canceled|rescheduled|pinned|is typing'
const deeds = DEEDS.split('|')
/** The same words at the beginning of a sentence too. */
const ANY_DEED = [
  ...deeds,
  'executed',
  'initiated',
  'launched',
  'queued',
  'owned',
  'authored',
  'signed',
  'run',
  'push',
  'request',
  'deploy',
  'release',
  'merge',
]
  .map((deed) => `[${deed[0]}${deed[0]!.toUpperCase()}]${deed.slice(1)}`)
  .join('|')
/** Works of well-known people are published, not requested or merged. */
const PUBLISHED =
  'written|developed|published|powered|inspired|designed|sponsored|maintained|founded|invented|coined|popularized|popularised|proposed|introduced|directed|acquired|narrated|composed|translated|recommended|loved|trusted|caused|illustrated|promoted|painted|sung|made|discovered|formulated|taught|offered|authored|described'
const OTHER_DEEDS = [...impersonalDeeds, ...PUBLISHED.split('|')].join('|')

/** A character of prose, which has none of the signs of code. */
const PROSE = '[^\\n{}();=<>*/\\\\`"]'

const CAPITALIZED_WORD = "\\p{Lu}[\\p{L}\\p{M}\\d&'’-]{1,30}"
/** Two to four capitalized words, with particles between: in a sentence the words behind a name are none of it. */
const CAPITALIZED =
  "\\p{Lu}[\\p{L}\\p{M}.'’-]{0,30}(?: (?:d[aeiou]s?|v[ao]n|de[lnr]|la|le|bin|al)){0,2}(?: \\p{Lu}[\\p{L}\\p{M}.'’-]{0,30}){1,3}"

/** Hosts on which anybody's repositories are, and those of public projects. */
const PUBLIC_HOST =
  '(?:github\\.com|gitlab\\.com|bitbucket\\.org|codeberg\\.org|gitea\\.com|ssh\\.dev\\.azure\\.com|vs-ssh\\.visualstudio\\.com|git\\.sr\\.ht|hf\\.co|huggingface\\.co|salsa\\.debian\\.org|gitlab\\.(?:gnome|freedesktop)\\.org|invent\\.kde\\.org)'
const DOMAIN = '[A-Za-z\\d][\\w-]{0,62}(?:\\.[\\w-]{1,63}){1,4}'

/** Sites whose paths name packages and not people. */
const PACKAGES =
  '(?:npmjs|jsr|unpkg|jsdelivr|esm|skypack|registry|deno|yarnpkg|cdnjs|npm|bundle|packagephobia|api\\.github|(?:github|gitlab|bitbucket)\\.\\w{3}\\/user)'

/** Companies that everybody names: makers of software, authorities of certificates, and words of manuals. */
const WELL_KNOWN =
  /(?:google|microsoft|apple|amazon|meta|facebook|oracle|ibm|intel|nvidia|adobe|github|gitlab|digicert|let's encrypt|sectigo|globalsign|godaddy|comodo|entrust|verisign|cloudflare|mozilla|canonical|red hat|vmware|docker|openai|anthropic|vercel|stripe|acme|example|contoso|internet widgits|company|foundation|software|samsung|sony|cisco|salesforce|twilio|jetbrains|elastic|mongodb|netflix|uber|airbnb|spotify|twitter|linkedin|paypal|shopify|atlassian|automattic|alibaba|tencent|bytedance|huawei|my |your |the |pwc|ubuntu|isrg|certificate|trust|security|root)/i
/** Returns whether a company is none that everybody names. */
export const isPrivateCompany = (value: string): boolean =>
  !WELL_KNOWN.test(value) && !isListedCompany(value) && isCustomer(value)

/** What stands before `at` and a workplace. */
const ROLES =
  'work|working|worked|job|developer|engineer|dev|designer|manager|lead|team|desk|intern|internship|consultant|admin|architect|analyst'.split(
    '|',
  )

/** Shapes that name somebody in what any tool prints and anybody writes. */
export const identityShapeRules: readonly Rule[] = [
  identity(
    'done-by',
    'namedGroups',
    [' by ', ' assigned to ', ' requested from ', ' on behalf of ', ' delegated to ', ' escalated to ', 'assigned to '],
    `(?:(?<=[a-z]{2}(?:ed|en|wn|nt|lt|un|ut))(?<!\\b(?:${OTHER_DEEDS})) by|(?<=^|\\s|\\w) ?(?:(?:[rR]e)?[aA]ssigned to|[rR]equested from|[oO]n behalf of|[dD]elegated to|[eE]scalated to)) (?!Adobe|Inkscape|Figma|Sketch|Microsoft|Canva|Xcode|Spring|Visual)(?<person>${CAPITALIZED})(?=$|[\\n"'\\\\,;:.<>|()\\]]|\\s{0,3}(?:$|${NL})| (?:on|at|in(?! \\d{4})|about|and|for|from|to|via|who|with|\\d|[-–—(]))|(?:(?<=\\b(?:${ANY_DEED})) by| ?(?:[rR]e)?[aA]ssigned to| [rR]equested from) ["'@]?(?<account>${LOGIN}(?:\\.${LOGIN})?)(?:(?: and|,) @?(?<account2>${LOGIN}))?(?=\\s{0,3}(?:$|${NL})|,? (?:on|at|in|about|via|from|\\d+ [a-z]+ ago)\\b|[,)"'])`,
    { valid: (value) => /^\p{Lu}.* \p{Lu}/u.test(value) || (isHandle(value) && !/^[A-Z]|^[a-z]+ing$/.test(value)) },
  ),
  identity(
    'repository-address',
    'namedGroups',
    ['git@', 'ssh://', 'git+ssh://'],
    `(?:git@|(?:git\\+)?ssh:\\/\\/(?:[\\w.-]{1,40}@)?)(?:${PUBLIC_HOST}|(?<host>${DOMAIN}))(?::\\d{1,5})?[:/]~?(?:v3\\/)?(?<account>${LOGIN})\\/`,
  ),
  identity(
    'profile-path',
    'accountName',
    [
      '/u/',
      '/@',
      '/~',
      '/user/',
      '/users/',
      '/profile/',
      '/profiles/',
      '/people/',
      '/members/',
      '/author/',
      '/authors/',
    ],
    `(?:(?<=https?:\\/\\/(?![^\\s/]{0,60}${PACKAGES})[\\w.-]{4,80})\\/[@~]|(?<=https?:\\/\\/(?![^\\s/]{0,60}${PACKAGES})[\\w.-]{4,80}(?:\\/[\\w.-]{1,40}){0,4})\\/(?:u|users?|profiles?|people|members|authors?)\\/[@~]?)(${LOGIN})(?=[\\s"'\\\\<>)\\]/?#,;]|\\.?$)`,
    { valid: (value) => isHandle(value) && !/^[A-Z][a-z]+$/.test(value) },
  ),
  identity(
    'organization-path',
    'organization',
    [
      '/orgs/',
      '/org/',
      '/organizations/',
      '/organization/',
      '/teams/',
      '/workspaces/',
      '/workspace/',
      '/tenants/',
      '/groups/',
    ],
    `(?<=https?:\\/\\/[\\w.-]{4,80}(?:\\/[\\w.-]{1,40}){0,3})\\/(?:orgs?|organizations?|teams|workspaces?|tenants|groups)\\/(${LOGIN})(?=[\\s"'\\\\<>)\\]/?#,;]|\\.?$)`,
    { valid: (value) => isHandle(value) && isCustomer(value) },
  ),
  identity(
    'copyright-holder',
    'personName',
    ['copyright', '(c) '],
    `(?<=(?:${LINE}|\\s)(?:\\/\\/|#|\\*|<!--|--|;)[^\\n]{0,12}|(?:^|\\n)[-+])(?:[cC]opyright|COPYRIGHT|\\([cC]\\))(?: |\\([cC]\\)|©|&copy;){0,4}(?:\\d{4}(?:\\s?[-–,]\\s?(?:\\d{2,4}|present))*,? )?(?:by )?(\\p{Lu}[\\p{L}\\p{M}'’-]{1,30}(?: \\p{Lu}[\\p{L}\\p{M}'’-]{1,30}){1,3})(?=$|[\\s"'\\\\;.<>|()])`,
  ),
  identity(
    'possession',
    'authorName',
    [
      "'s mac",
      '’s mac',
      "'s laptop",
      "'s iphone",
      '’s iphone',
      "'s ipad",
      '’s ipad',
      "'s imac",
      "'s airpods",
      "'s thinkpad",
      "'s phone",
      '’s phone',
    ],
    `(?<=(?:^|[\\s"'(\\[=:+]|\\\\[nrt])(\\p{Lu}[\\p{Ll}\\p{M}-]{2,20}(?: \\p{Lu}[\\p{Ll}\\p{M}-]{1,20}){0,2}))['’]s (?:[mM]ac|[lL]aptop|i[pP]hone|i[pP]ad|i[mM]ac|[aA]ir[pP]ods|[tT]hink[pP]ad|[pP]hone)`,
    { valid: isPersonalAccount },
  ),
  identity(
    'titled-person',
    'authorName',
    [
      'pak ',
      'ibu ',
      'mr. ',
      'mrs. ',
      'ms. ',
      'dr. ',
      'prof. ',
      'mr ',
      'mrs ',
      'herr ',
      'frau ',
      'monsieur ',
      'madame ',
    ],
    `(?<![\\p{L}\\d])(?:Pak|Ibu|Mr\\.?|Mrs\\.?|Ms\\.|Dr\\.|Prof\\.|Herrn?|Frau|Monsieur|Madame|Señora?) (${NAME})(?=$|[\\s"'\\\\,;:.!?<>|()\\]])`,
  ),
  identity(
    'stated-name',
    'authorName',
    [
      'call me ',
      "c'est ",
      'ich bin ',
      'ben ',
      'soy ',
      'ik ben ',
      'sono ',
      'my handle ',
      'my username ',
      'my login ',
      'my nick',
      'identity to ',
      'belongs to ',
      'on behalf of ',
    ],
    `(?:[cC]all me|[cC]['’]est|[iI]ch bin|[sS]oy|[iI]k ben|[sS]ono|[iI]dentity to|[bB]elongs to|(?<=^|[,.!] )ben) (?:der |die |den )?(${NAME})(?=$|[\\s"'\\\\,;.!?<>|)])|[mM]y (?:handle|username|login|nick(?:name)?)(?: \\w{2,12}){0,3} is ["'\`@]{0,2}(${LOGIN})(?=$|[\\s"'\`\\\\,;.!?])`,
    {
      valid: (value) =>
        isHandle(value) || (/ /.test(value) ? true : /^\p{Lu}\p{Ll}{2,}/u.test(value) && isHandle(value.toLowerCase())),
    },
  ),
  identity(
    'person-of-organization',
    'namedGroups',
    [
      "i'm ",
      'i am ',
      'this is ',
      "it's ",
      "c'est ",
      'ich bin ',
      'je suis ',
      'soy ',
      'hi, ',
      'hello, ',
      'hallo, ',
      'bonjour, ',
      'hola, ',
    ],
    `(?:[iI]['’]m|I am|[tT]his is|[iI]t['’]s|[cC]['’]est|[iI]ch bin|[jJ]e suis|[sS]oy|[hH]i,|[hH]ello,|[hH]allo,|[bB]onjour,|[hH]ola,) (?<author>\\p{Lu}[\\p{L}\\p{M}'’-]{2,20}(?: \\p{Lu}[\\p{L}\\p{M}'’.-]{1,30}){0,2})(?:, [\\p{L} ]{3,40})? (?:from|de chez|bei(?: der)?|de) (?<organization>(?:\\p{Lu}[\\p{L}\\d&-]{1,30} ?){1,4})(?=,| here|[.!?]|$|\\n)`,
    { valid: isCustomer },
  ),
  identity(
    'our-organization',
    'organization',
    ['we at ', 'we are ', 'our company ', 'our firm', 'our contractor', 'our client', 'our customer', 'at our '],
    `(?:[wW]e are(?: called)?|[oO]ur (?:company|firm|contractor|client|customer)(?: is)?,?) ((?:\\p{Lu}[\\p{L}\\d-]{1,30})(?: (?:& |and )?\\p{Lu}[\\p{L}\\d-]{1,30}){1,4})(?=$|[\\s"'\\\\,;.!?])|[wW]e at (\\p{Lu}[\\p{L}\\d-]{2,30}(?: \\p{Lu}[\\p{L}\\d-]{1,30}){0,3})(?=,? [a-z])`,
    { valid: isPrivateCompany },
  ),
  identity(
    'legal-entity',
    'organization',
    [' gmbh', ' llc', ' ltd', ' inc.', ' s.a.', ' b.v.', ' pty', ' s.r.l', ' kft', ' limited', ', inc'],
    `(?<=(?:^|[^\\p{L}\\d])((?:\\p{Lu}[\\p{L}\\d&'’-]{1,30} ){0,3}\\p{Lu}[\\p{L}\\d&'’-]{2,30},?)) (?:GmbH|LLC|L\\.L\\.C\\.|Ltd|Inc\\.|S\\.A\\.|B\\.V\\.|OÜ|Pty|S\\.r\\.l|Kft|Limited)(?![\\p{L}\\d])`,
    { valid: isPrivateCompany },
  ),
  identity(
    'repository-name',
    'accountName',
    [
      '--repo ',
      '--repo=',
      'full_name',
      'fullname',
      'namewithowner',
      'name_with_owner',
      'homepage',
      '"web_url',
      '"repository',
      'module github.com/',
      'module gitlab.com/',
    ],
    `(?:--repo[ =]["']?|(?<=gh [^\\n]{0,60})-R |(?:full_?[nN]ame|name_?[wW]ith_?[oO]wner)\\\\{0,7}["']?\\s?[:=]\\s?\\\\{0,7}["']|(?:homepage|"repository)\\\\{0,7}["']?\\s{0,8}[:=]\\s{0,3}[^\\n,]{0,60}?(?:github|gitlab)\\.com[:/]|"web_url\\\\{0,7}": ?\\\\{0,7}"https:\\/\\/(?:github|gitlab)\\.com\\/|module (?:github|gitlab)\\.com\\/)(${LOGIN})\\/`,
    { valid: isCustomer },
  ),
  identity(
    'own-scope',
    'organization',
    ['"@'],
    `(?<="name\\\\{0,7}": ?\\\\{0,7})"@(${LOGIN})\\/[\\w.-]{1,80}\\\\{0,7}"(?=\\s{0,3},[^{}]{0,400}(?:version|author|private|scripts|license|dependencies|main)\\\\{0,7}")`,
    { valid: isCustomer },
  ),
  identity(
    'account-comment',
    'namedGroups',
    [':x:'],
    `(?<=${LINE}(?<account>[a-z_][\\w.-]{1,31})):x:\\d{3,10}:\\d{1,10}:(?<person>[^:,\\n\\\\]{3,60})?(?=[,:])`,
    { valid: (value) => isPersonalAccount(value) && isCustomer(value) },
  ),
  identity(
    'distinguished-name',
    'namedGroups',
    ['cn=', 'dc=', 'cn = ', 'o = ', '/o='],
    `CN ?= ?(?<person>${NAME})(?= ?(?:[,/]|$|${NL}))|(?<![A-Z]=[^\\n]{0,80}),?DC=(?<organization>${LOGIN})(?=,DC=)|(?<=(?:[sS]ubject|[oO]wner) ?[=:][^\\n]{0,100}[ ,/])O ?= ?(?<organization2>[^,/\\n=]{3,60}?) ?(?=[,/]|$|${NL})`,
    { valid: isPrivateCompany },
  ),
  identity(
    'signing-identity',
    'namedGroups',
    ['apple d', 'developer id', 'iphone d', 'mac developer', '3rd party mac'],
    `(?:Apple (?:Development|Distribution)|Developer ID (?:Application|Installer)|iPhone (?:Developer|Distribution)|Mac Developer|3rd Party Mac Developer \\w{4,12}): (?<holder>[^()\\n"]{3,60}?) \\((?<id>[A-Z0-9]{10})\\)`,
  ),
  identity(
    'name-of-contact',
    'personName',
    ['name: '],
    `name: ["']?(${NAME})["']?\\s{0,4}(?:${NL}|\\\\n)\\s{0,12}(?:slack|github|gitlab|handle|login|username|user|role|title|team|e-?mail|mail|phone|tel|mobile|twitter|pager|timezone|affiliation|orcid|url|company|organi[sz]ation)\\w{0,10}:`,
  ),
  identity(
    'workplace',
    'organization',
    [
      ...ROLES.map((role) => `${role} at `),
      'trabalho n',
      'trabajo e',
      'travaille ',
      'arbeite bei',
      'lavoro ',
      'werk bij',
      'jobbar ',
      'jobber ',
      'head of ',
    ],
    `(?:(?<=${ALONE}(?:I|we|I['’]m|I am|am|my|our|last|recently)\\b[^\\n.!?]{0,40}\\b)(?:${ROLES.join('|')}) at|[hH]ead of [a-z ]{2,24} at|[tT]rabalho (?:n[ao]|para)|[tT]rabajo (?:en|para)|[tT]ravaille (?:chez|pour)|[aA]rbeite bei(?: der)?|[lL]avoro (?:in|per|presso)|[wW]erk bij|[jJ]obba?e?r (?:på|hos|for)) (?:the |The )?(${CAPITALIZED_WORD}(?: (?:(?:&|and|del?|do|da|of) )?${CAPITALIZED_WORD}){1,4})(?=$|[\\s.,;:!?"')\\\\])`,
    { valid: (value) => / /.test(value) && isPrivateCompany(value) },
  ),
  identity(
    'timed-speaker',
    'accountName',
    [' am', ' pm'],
    `(?<=\\d)(?:(?<=${LINE}\\[[\\w./-]{4,12},? \\d{1,2}:\\d\\d) [AP]M\\] (${LOGIN})(?=\\s{0,2}(?:$|${NL}))|(?<=${LINE}(${LOGIN}) {1,2}\\d{1,2}:\\d\\d) [AP]M(?=\\n))`,
    { valid: (value) => isColleague(value) && isHandle(value) && !/^[A-Z]/.test(value) },
  ),
  identity(
    'mentioned-account',
    'accountName',
    [' @'],
    // What follows is asked first: the lookbehind reads forty characters.
    `(?= @${LOGIN}[,.:;!?)]?(?: [a-z]|\\s{0,3}(?:$|${NL})))(?<!\\b(?:my|our|local|push|shift|scalar|join|foreach))(?<=(?:${LINE}(?:[-*] )?${PROSE}{0,40}|${PROSE}{40})[\\p{Ll},.:;]) @(${LOGIN})`,
    { valid: (value) => isColleague(value) && isHandle(value) && !/^[A-Z]|[a-z][A-Z]/.test(value) && value.length > 4 },
  ),
]

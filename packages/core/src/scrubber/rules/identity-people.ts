import type { Rule } from '../engine/rule.ts'
import { commonWords, isAutomation } from './common-words.ts'
import { ALONE, any, END, identity, LINE, NAME, NL, Q } from './identity-rule.ts'

/** Whom a letter greets in place of a person. */
const EVERYBODY =
  /^(?:all|team|everyone|everybody|there|folks|friends?|world|sirs?|madam|hiring|customer|support|colleagues|guys|again|dear|reader|user|claude|assistant|chatgpt|siri|alexa|bot|ai|agent|god|yes|no|please|thanks|regards|best|sent|good|welcome|thank|sorry|happy|ready|glad|sure|here|back|done|new|working|looking|trying|great|nice|cool|fine|ok|okay|not|just)$/i
const isGreeted = (value: string): boolean =>
  !EVERYBODY.test(value) && !commonWords.has(value.toLowerCase()) && !isAutomation(value)

const FIRST = String.raw`\p{Lu}[\p{Ll}\p{M}'’-]{2,20}`

/** Names of people in letters, calendars, lists and manifests, beyond the fields of `identity.ts`. */
export const identityPeopleRules: readonly Rule[] = [
  identity(
    'letter-header',
    'personName',
    ['from: ', 'to: ', 'cc: ', 'organizer: ', 'attendee: '],
    `${ALONE}(?:From|To|C[cC]|Organizer|Attendee): {1,8}(${NAME})(?=;|${NL}(?:Sent|To|From|Date|Subject|C[cC]|Organizer|Attendees?|When|Where)\\b)`,
  ),
  identity(
    'event-person',
    'personName',
    [
      'organizer: ',
      'created by ',
      'merged by ',
      'approved by ',
      'closed by ',
      'opened by ',
      'resolved by ',
      'updated by ',
      'edited by ',
      'reviewed by ',
      'verified by ',
      'modified by ',
      'reported by ',
      'organised by ',
      'organized by ',
      'presented by ',
      'requested by ',
      'submitted by ',
      'assigned to ',
    ],
    `(?:Organizer: |(?:[rR]eported|[oO]rgani[sz]ed|[pP]resented|[rR]equested|[sS]ubmitted|[cC]reated|[mM]erged|[aA]pproved|[cC]losed|[oO]pened|[rR]esolved|[uU]pdated|[eE]dited|[rR]eviewed|[vV]erified|[mM]odified) by (?!Adobe|Inkscape|Figma|Sketch|Microsoft|Canva|Xcode|Spring|Visual)|[aA]ssigned to )(${NAME})${END}`,
  ),
  identity(
    'quoted-letter',
    'personName',
    [' wrote:', ' wrote on '],
    `(?<=${ALONE}[oO]n [^\\n]{4,60}, (?:at [^\\n,]{3,12},? )?(${NAME})) wrote:|(?<=(?:^|\\n|\\\\n)> ?(${NAME})) wrote:|(?<=${LINE}(${NAME})) wrote on (?=\\d|\\p{Lu})`,
  ),
  identity(
    'calendar-person',
    'personName',
    [';cn=', 'fn:'],
    `(?:;CN=["']?|(?<=^|\\n|\\\\n)FN(?:;[^:\\n]{1,40})?:)(${NAME})(?=["';:\\r\\n\\\\]|$)`,
  ),
  identity(
    'greeting',
    'authorName',
    ['hi ', 'hello ', 'dear ', 'hey '],
    `(?<=${LINE})(?:Hi|Hello|Dear|Hey) (${FIRST}),(?= ?(?:$|${NL}))`,
    { valid: isGreeted },
  ),
  identity(
    'signature',
    'authorName',
    ['thanks,', 'best,', 'regards,', 'cheers,', 'sincerely,', 'wishes,', 'thank you,', 'love,'],
    `(?:[tT]hanks|[bB]est|[rR]egards|[cC]heers|[sS]incerely|[wW]ishes|[tT]hank you|[lL]ove),[ \\t]{0,3}(?:${NL}){1,3}(?:[-–—] ?)?(${FIRST})(?=\\s{0,3}(?:$|${NL}))`,
    { valid: isGreeted },
  ),
  identity(
    'introduction',
    'authorName',
    [
      "je m'appelle ",
      'ich hei',
      'me llamo ',
      'mein name ist ',
      'mi nombre es ',
      'mon nom est ',
      'meu nome ',
      'mi chiamo ',
      'the name is ',
      "the name's ",
      'my full name is ',
      'mijn naam is ',
      'jag heter ',
    ],
    `(?:[jJ]e m'appelle|[iI]ch hei(?:ß|ss)e|[mM]e llamo|[mM]ein Name ist|[mM]i nombre es|[mM]on nom est|[mM]eu nome (?:é|e)|[mM]i chiamo|[tT]he name(?: is|'s)|[mM]y full name is|[mM]ijn naam is|[jJ]ag heter) (${NAME})(?=$|[\\s"'\\\\,;.!<>|)])`,
    { valid: isGreeted },
  ),
  identity(
    'introduced-by-first-name',
    'authorName',
    ["i'm ", 'i am ', 'this is ', "it's "],
    `(?<!(?<!\\\\)[\\w'])(?:(?:I am|I['’]m) (${FIRST})(?=(?:,| and I | from ))|(?:I am|I['’]m|[tT]his is|[iI]t['’]s) (${FIRST})(?= here\\b| speaking\\b| from the ))`,
    { valid: isGreeted },
  ),
  identity(
    'author-command',
    'personName',
    ['__author__', '\\author{', 'name="author"', 'maintainer ', 'author = {', 'authors = {', 'author => '],
    `(?:__author__\\s?=\\s?${Q}|\\\\{1,4}author\\{|name=\\\\{0,3}"author\\\\{0,3}" content=\\\\{0,3}"|MAINTAINER |(?<=\\.)authors?\\s{1,8}=\\s?\\{\\s?${Q}|AUTHOR => ${Q}?)(${NAME})(?=$|\\s?[\\r\\n"'\\\\,;<>(}])`,
  ),
  identity('name-with-address', 'personName', ['(https://', '(http://'], `(?<=${Q}(${NAME}) )\\(https?:\\/\\/`),
  identity('person-call', 'nameParts', ['person('], `person\\(${Q}(\\p{Lu}[\\p{L}\\p{M}'’-]{1,30})(?=${Q})`),
  identity(
    'commented-by',
    'personName',
    [' commented ', ' requested changes', ' left a comment', ' reacted with '],
    `(?<=${ALONE}(${NAME})) (?:commented (?:on|\\d)|requested changes|left a comment|reacted with)`,
  ),
  identity(
    'listed-people',
    'peopleList',
    [
      'attendees',
      'participants',
      'watchers',
      'reviewers',
      'authors',
      'contributors',
      'maintainers',
      'members',
      'assignees',
    ],
    `${any('(?:attendees|participants|watchers|reviewers|authors|contributors|maintainers|members|assignees)')}${Q}?\\s{0,3}[:=]\\s{0,3}\\[?\\s{0,12}(?=[-{"'\\p{Lu}\\\\])`,
  ),
  identity('commit-authors', 'loggedNames', ['format=', 'format:'], `(?=format)`),
  identity(
    'shortlog',
    'shortlog',
    ['git shortlog -s', 'git shortlog --s'],
    `git shortlog -(?:s|-s)[^\\n\\\\]{0,60}${NL}`,
  ),
]

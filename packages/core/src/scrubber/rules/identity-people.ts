import type { Rule } from '../engine/rule.ts'
import { commonWords, isAutomation } from './common-words.ts'
import { ALONE, any, identity, LINE, NAME, NL, Q } from './identity-rule.ts'

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
    ['from: ', 'to: ', 'cc: ', 'an: ', 'organizer: ', 'attendee: '],
    `${ALONE}(?:An|To|C[cC]): (?:[^;\\n]{1,60}; ){0,6}(\\p{Lu}[\\p{L}\\p{M}'’-]{1,30}, \\p{Lu}[\\p{L}\\p{M}'’-]{1,30})(?=;|${NL})|${ALONE}(?:From|To|C[cC]|Organizer|Attendee): {1,8}(${NAME})(?=;|${NL}(?:Sent|To|From|Date|Subject|C[cC]|Organizer|Attendees?|When|Where)\\b)`,
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
    [
      'thanks,',
      'a lot,',
      'so much,',
      'again,',
      'in advance,',
      'best,',
      'regards,',
      'cheers,',
      'sincerely,',
      'wishes,',
      'thank you,',
      'love,',
      'liche gr',
      'viele gr',
      'saludos',
      'cordialement',
      'atenciosamente',
      'groeten',
      'groet,',
      'hilsen',
      'saluti',
      'beste gr',
      'pozdrawiam',
      'lsningar',
    ],
    `(?:(?:[tT]hanks|a lot|so much|again|in advance|[bB]est|[rR]egards|[cC]heers|[sS]incerely|[wW]ishes|[tT]hank you|[lL]ove)[,!]|(?:(?:liche[rn]?|[vV]iele|[bB]este) Gr(?:üße|uß)|[sS]aludos|[cC]ordialement|[aA]tenciosamente|[gG]roet(?:en)?|[hH]ilsen|[sS]aluti|[pP]ozdrawiam|lsningar),?)[ \\t]{0,3}(?:${NL}){1,3}(?:[-–—] ?)?(${FIRST}(?: \\p{Lu}[\\p{L}\\p{M}'’.-]{0,30}){0,2})(?=\\s{0,3}(?:$|${NL}))`,
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
      'je suis ',
      ' speaking',
    ],
    `(?:[jJ]e m'appelle|[iI]ch hei(?:ß|ss)e|[mM]e llamo|[mM]ein Name ist|[mM]i nombre es|[mM]on nom est|[mM]eu nome (?:é|e)|[mM]i chiamo|[tT]he name(?: is|'s)|[mM]y full name is|[mM]ijn naam is|[jJ]ag heter|[jJ]e suis(?= \\p{Lu}[\\p{L}'-]{1,30} \\p{Lu})) (${NAME})(?=$|[\\s"'\\\\,;.!<>|)])|(?<=(?:^|[.!,] |\\n)(\\p{Lu}[\\p{L}\\p{M}'’-]{1,30} \\p{Lu}[\\p{L}\\p{M}'’-]{1,30})) speaking(?=[,.!]| here)`,
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
  identity('person-call', 'nameParts', ['person('], `person\\(${Q}(\\p{Lu}[\\p{L}\\p{M}'’-]{1,30})(?=${Q})`),
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

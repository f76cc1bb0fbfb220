import { isPerson } from '../detectors/identity/home-directory.ts'
import type { Rule } from '../engine/rule.ts'
import { commonWords } from './common-words.ts'
import { any, END, identity, LOGIN, NAME } from './identity-rule.ts'

/** Decorators, tags of comments and rules of style sheets, which are written like mentions; and words for roles. */
const NO_LOGIN =
  /^(?:experimental|alpha|unstable|stable|todo|decorator|hidden|defaultValue|typeParam|inheritDoc|typedef|category|min[vV]ersion|class|extends|augments|namespace|protected|readonly|abstract|callback|fires|enum|constant|fileoverview|ignore|jsx\w*|vitest\w*|jest\w*|internal|remarks|packageDocumentation|override|property|param|params|returns?|throws|deprecated|ts-\w+|eslint.*|types?|babel|latest|channel|everyone|reviewers?|maintainers?|owners?|contributors?|authors?|we|someone|anyone|nobody|already|classdesc|description|prop|props)$/i
/** Returns whether what is mentioned is a person: no decorator, no tag of comments, no role. */
export const isColleague = (value: string): boolean =>
  isPerson(value) && !NO_LOGIN.test(value) && !commonWords.has(value.toLowerCase())

const MENTION = `@(${LOGIN})(?![\\w/(-]|\\.\\w)`

/**
 * Places where people speak of each other: review comments, letters, owners of files, and who says a name of their own.
 */
export const mentionRules: readonly Rule[] = [
  identity(
    'mention-behind-word',
    'accountName',
    [
      'thanks @',
      'thank you @',
      'cc @',
      'cc: @',
      'ping @',
      'hey @',
      'hi @',
      'reviewer: @',
      'assignee: @',
      'by @',
      'pinged @',
      'asked @',
      'assigned @',
      'told @',
      'with @',
    ],
    `(?:${any('thanks|thank you|cc:?|ping|pinged|asked|assigned|unassigned|told|with|hey|hi|reviewer:|assignee:|by')}) ${MENTION}(?:,? (?:and )?${MENTION})?(?:,? (?:and )?${MENTION})?`,
    { valid: isColleague },
  ),
  identity(
    'mention-before-word',
    'accountName',
    [' could you', ' can you', ' would you', ' please', ' ptal', ' wdyt', ' what do you think', ' good catch'],
    `(?<=(?:^|[\\s("'+>]|\\\\[nrt])@(${LOGIN})[,:]?) (?:${any('could you|can you|would you|please|ptal|wdyt|what do you think|good catch')})`,
    { valid: isColleague },
  ),
  identity(
    'review-author',
    'accountName',
    [
      ' commented on this pull request',
      ' requested changes on this pull request',
      ' approved these changes',
      ' approved this pull request',
      ' left review comments',
      ' opened this pull request',
      ' opened this issue',
      ' merged commit ',
      ' wants to merge ',
      ' commented:',
      ' opened issue',
      ' opened pull request',
    ],
    `(?<=(?:^|[\\s"'@*+>]|\\\\[nrt])(${LOGIN})) (?:commented(?: on|:)|requested changes on|approved t|left review|opened (?:this|issue|pull)|merged commit|wants to merge)`,
    { valid: isColleague },
  ),
  identity(
    'code-owner',
    'accountName',
    [' @'],
    `(?<=(?:(?:^|\\n|\\\\n)[+]?(?:\\*|\\*\\.\\w{1,8}|[\\w.*-]{1,40}\\/[\\w./*-]{0,80})|\\/[.*]{0,2}\\w[\\w./*-]{0,80})[ \\t]{0,20}(?:@[\\w/-]{2,60} ?){0,4}) @(${LOGIN})(?=[\\s"']|\\\\|$|\\/[\\w-]{1,60}(?:\\s|$))`,
    { valid: (value) => isColleague(value) && !/[a-z][A-Z]/.test(value) },
  ),
  identity(
    'trailer-name',
    'personName',
    ['-by:', 'cc:', 'reply-to:', 'sender:', 'sent by', 'forwarded message from '],
    `(?:-by:|[bB]?[cC][cC]:|[rR]eply-[tT]o:|[sS]ender:|[sS]ent by:?|[fF]orwarded message from)[ \\t]{1,4}["']?(${NAME})${END}`,
  ),
  identity(
    'said-name',
    'authorName',
    ['my name is ', "my name's ", 'i am called '],
    `(?:[mM]y name(?: is|'s)|I am called) (${NAME})(?=$|[\\s"'\\\\,;.!<>|)])`,
  ),
]

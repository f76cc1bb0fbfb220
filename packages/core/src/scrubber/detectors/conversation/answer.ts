import type { View } from '../../engine/decode.ts'

/** An answer that is a name: two words with capital letters, or one that is all of it. */
const NAME = /^\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’.-]*){1,3}(?=[.,!;]|$)|^\p{Lu}\p{Ll}{2,20}[.!]?\s*$/u

/**
 * What a question asks for, and the words that say so right before a value: the rules know these. The
 * last tells an answer from other sentences.
 */
const TOPICS: readonly (readonly [asks: RegExp, label: string, answer?: RegExp])[] = [
  [/pass(?:word|wd|phrase|code)|\bpwd\b|passwort|contraseñ|mot de passe|senha/i, 'password?\n'],
  [
    /(?:api|access|secret|auth|private|license|signing|service)[ _-]?(?:key|token|secret)|\btokens?\b|\bsecret\b|credential/i,
    'api key?\n',
  ],
  [/\bpin\b|(?:verification|security|one[- ]time|confirmation|2fa|login) code|\botp\b/i, 'PIN: '],
  [
    /\b(?:your|full|first|last|legal|passenger'?s?|guest'?s?|customer'?s?|contact) (?:(?:full|first|last|legal|sur) ?)?name\b|who am i (?:speaking|talking|chatting)|(?:call|address) you\b|^\W*name\W*$/i,
    'my name is ',
    NAME,
  ],
  [/phone|mobile|\bcell\b|\btel\b|number to (?:reach|call)|number can|reach you|call you (?:back|at|on)/i, 'phone: '],
  [/date of birth|birth ?da(?:te|y)|\bdob\b|(?:were|was) (?:you|he|she) born/i, 'date of birth: '],
  [
    /\b(?:your|home|street|mailing|shipping|billing|postal|delivery|current|residential) address|where (?:do you live|should (?:we|i|it))|(?:ship|send|deliver) (?:it|this|them) to|^\W*address\W*$/i,
    'address: ',
  ],
  [/social security|\bssn\b/i, 'social security number: '],
  [/passport/i, 'passport number: '],
  [/driver'?s? licen[cs]e|driving licen[cs]e/i, 'driver license number: '],
  [/(?:bank )?account number|\biban\b/i, 'bank account number: '],
  [/card number|credit card|debit card/i, 'card number: '],
  [/user ?(?:name|id)\b|\blogin\b/i, 'username: '],
]

/** A message that asks: a question, a label, or a request as its last sentence. */
const ASKS =
  /[?？][\s"'*_)]*$|[:：=][\s"'*_`]*$|\b(?:is|are)\s*$|\b(?:please|provide|send|share|give|enter|type|paste|tell|need|confirm)\b(?:[^.!?\n]|\.(?=\w)){0,160}[.!]?\s*$/i
const BEHIND_SENTENCE = /[\s"'*_)`]/
const LONGEST_SENTENCE = 200
const LEAD =
  /^[\s"'`*>]*(?:(?:sure(?: thing)?|ok(?:ay)?|yes|yeah|yep|well|hi|hello|of course|certainly|thanks|here(?: (?:it is|you go|they are))?|here['’]s (?:it|mine|the one)|it(?:['’]s| is)|its|use|try|mine is|that(?:['’]s| is| would be)|this is|i['’]m|i am|i was born(?: on)?|my [a-z ]{2,24} is)(?:[,.:;!–-]{1,2}\s+|\s+|:)){0,3}["'`*]*/i
const LONGEST = 240

/** The answers of one message to what the message before asks for, each behind the words that the rules know. */
export function readAnswer(question: string, answer: string): readonly View[] {
  const end = question.slice(-320).trimEnd()
  if (!ASKS.test(end)) return []
  const topics = topicsOf(lastSentence(end))
  const views: View[] = []
  for (const [, label, shape] of topics.length > 0 ? topics : topicsOf(end)) {
    const view = viewOf(label, answer)
    if (!shape || shape.test(view.text.slice(label.length))) views.push(view)
  }
  return views
}

const topicsOf = (asked: string): readonly (typeof TOPICS)[number][] => TOPICS.filter(([asks]) => asks.test(asked))

/** Returns the last sentence of a text; read backwards, since an expression would begin at each character before it. */
function lastSentence(text: string): string {
  let end = text.length
  while (end > 0 && BEHIND_SENTENCE.test(text[end - 1]!)) end--
  if (end > 0 && '?？.!:：='.includes(text[end - 1]!)) end--
  else end = text.length
  let start = end
  while (start > 0 && end - start < LONGEST_SENTENCE && !'.!?？\n'.includes(text[start - 1]!)) start--
  return text.slice(start)
}

function viewOf(label: string, answer: string): View {
  const head = answer.slice(0, LONGEST)
  const lead = LEAD.exec(head)![0].length
  const line = head.slice(lead).split('\n', 1)[0]!
  const shift = lead - label.length
  const place = (at: number): number => at + shift
  return { text: label + line, sure: [label.length, label.length + line.length], start: place, end: place }
}

import { buildAutomaton, ENDS, SHIFT, type Automaton } from '../../engine/automaton.ts'
import { bytes, load } from '../../engine/bytes.ts'
import type { View } from '../../engine/decode.ts'

/** An answer that is a name: two words with capital letters, or one that is all of it. */
const NAME = /^\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’.-]*){1,3}(?=[.,!;]|$)|^\p{Lu}\p{Ll}{2,20}[.!]?\s*$/u

/** What a question may ask for. */
interface Topic {
  /** In lower case: without one of these the expression finds nothing. Searched first, in a fraction of the time. */
  readonly words: readonly string[]
  readonly asks: RegExp
  /** The words that say so right before a value: the rules know these. */
  readonly label: string
  /** Tells an answer from other sentences. */
  readonly answer?: RegExp
}

const TOPICS: readonly Topic[] = [
  {
    words: ['pass', 'pwd', 'contrase', 'senha'],
    asks: /pass(?:word|wd|phrase|code)|\bpwd\b|passwort|contraseñ|mot de passe|senha/i,
    label: 'password?\n',
  },
  {
    words: ['key', 'token', 'secret', 'credential'],
    asks: /(?:api|access|secret|auth|private|license|signing|service)[ _-]?(?:key|token|secret)|\btokens?\b|\bsecret\b|credential/i,
    label: 'api key?\n',
  },
  {
    words: ['pin', 'code', 'otp'],
    asks: /\bpin\b|(?:verification|security|one[- ]time|confirmation|2fa|login) code|\botp\b/i,
    label: 'PIN: ',
  },
  {
    words: ['name', 'who am i', 'call you', 'address you'],
    asks: /\b(?:your|full|first|last|legal|passenger'?s?|guest'?s?|customer'?s?|contact) (?:(?:full|first|last|legal|sur) ?)?name\b|who am i (?:speaking|talking|chatting)|(?:call|address) you\b|^\W*name\W*$/i,
    label: 'my name is ',
    answer: NAME,
  },
  {
    words: ['phone', 'mobile', 'cell', 'tel', 'number', 'reach you', 'call you'],
    asks: /phone|mobile|\bcell\b|\btel\b|number to (?:reach|call)|number can|reach you|call you (?:back|at|on)/i,
    label: 'phone: ',
  },
  {
    words: ['address', 'where', 'ship', 'send', 'deliver'],
    asks: /\b(?:your|home|street|mailing|shipping|billing|postal|delivery|current|residential) address|where (?:do you live|should (?:we|i|it))|(?:ship|send|deliver) (?:it|this|them) to|^\W*address\W*$/i,
    label: 'address: ',
  },
  {
    words: ['digit', 'cvv', 'cvc'],
    asks: /\b(?:three|four|3|4)[ -]digits?\b|\bdigits? (?:above|on the|at the|under)\b|\bcv[vc]2?\b/i,
    label: 'CVV: ',
  },
  { words: ['card'], asks: /card number|credit card|debit card/i, label: 'card number: ' },
  { words: ['user', 'login'], asks: /user ?(?:name|id)\b|\blogin\b/i, label: 'username: ' },
]

/** What stands in most other labels, in any language. */
const LABEL_WORDS =
  `num nr no. id iban dni ssn pass licen plate registr mrn code zip tel geb nac naiss nasc born dat kenn kfz targa matr
  matric konto cuenta conta rekening rachun fisc steuer pesel bsn cpf rg nif nie curp rfc vin imei imsi serial handle
  gram insta discord skype card kart cart polic poli member client klant klient kund patient permis patente erschein
  postl plz cep adres anschrift indirizzo direcc domicil morada endere utr nino sin tfn ird nhi mbi aadhaar pan voter
  nic nik nric hkid cel mobil cell portable handy fono gsm immat kenteken placa booking pnr locator reserv buchung
  meter employee student claim docket account routing taj cnp egn oib jmbg amka afm hetu cpr nnr cnh clabe cbu snils
  wechat whatsapp signal parol nip sim socio numer mero codice legajo digo hnelt ttumaa dowod`.split(/\s+/)

const REQUEST_WORDS = [
  'please',
  'provide',
  'send',
  'share',
  'give',
  'enter',
  'type',
  'paste',
  'tell',
  'need',
  'confirm',
]
/** The end of a message that asks for something: a request as the last sentence, not `"type": "function"}]`. */
const REQUEST = new RegExp(
  String.raw`\b(?:${REQUEST_WORDS.join('|')})\b(?!["'\\])(?:[^.!?\n]|\.(?=\w)){0,160}[.!]?\s*$`,
  'i',
)
/** A label without its value. */
const OPEN_LABEL = /\b(?:is|are)\s*$/i
/** What may stand behind the last mark of a question, and of a label. */
const BEHIND_QUESTION = ' \u00a0\t\n\r"\'*_)'
const BEHIND_LABEL = ' \u00a0\t\n\r"\'*_`'

/**
 * Returns whether the end of a message asks: most do by their last mark, which is read first.
 * @param words what `wordsIn` says of it.
 */
function asks(end: string, words: number): boolean {
  return (
    '?？'.includes(lastBefore(end, BEHIND_QUESTION)) ||
    ':：='.includes(lastBefore(end, BEHIND_LABEL)) ||
    OPEN_LABEL.test(end.slice(-4)) ||
    ((words & REQUESTS) !== 0 && REQUEST.test(lastPart(end)))
  )
}

/** A request is at most so long, with the character before it. */
const LONGEST_REQUEST = 180

/** Returns the end of a text that one request can be: none goes on behind a line break, `!` or `?`. */
function lastPart(end: string): string {
  const part = end.slice(-LONGEST_REQUEST)
  const last = part.length - 2
  return part.slice(
    Math.max(part.lastIndexOf('\n', last), part.lastIndexOf('!', last), part.lastIndexOf('?', last)) + 1,
  )
}

/** Returns the last character that is none of those to skip; a blank where there is no other. */
function lastBefore(text: string, skipped: string): string {
  let at = text.length - 1
  while (at >= 0 && skipped.includes(text[at]!)) at--
  return text[at] ?? ' '
}

const BEHIND_SENTENCE = /[\s"'*_)`]/
/** A question so short asks for one thing. */
const SHORT = 32
const LONGEST_SENTENCE = 200
const LEAD =
  /^[\s"'`*>]*(?:(?:sure(?: thing)?|ok(?:ay)?|yes|yeah|yep|well|hi|hello|of course|certainly|thanks|here(?: (?:it is|you go|they are))?|here['’]s (?:it|mine|the one)|it(?:['’]s| is)|its|use|try|mine is|that(?:['’]s| is| would be)|this is|i['’]m|i am|i was born(?: on)?|my [a-z ]{2,24} is)(?:[,.:;!–-]{1,2}\s+|\s+|:)){0,3}["'`*]*/i
const LONGEST = 240

/**
 * Makes what reads the answers of one message to the questions of the message before, each behind the words that the
 * rules know.
 * @param labelsIn returns the labels that a question asks for, in their order.
 */
export const answerReader =
  (labelsIn: (question: string) => readonly string[]) =>
  (question: string, answer: string): readonly View[] => {
    const end = question.slice(-320).trimEnd()
    const words = wordsIn(end)
    if (((words & ANY_TOPIC) === 0 && end.length > SHORT) || !asks(end, words)) return []
    const possible = topicsOf(words)
    const sentence = lastSentence(end)
    const last = wordsIn(sentence)
    const topics = topicsOf(last).filter((topic) => topic.asks.test(sentence))
    const labels = (last & LABELS) === 0 && sentence.length > SHORT ? [] : labelsIn(sentence)
    const views = viewsOfLabels(labels, answer)
    const isAsked = topics.length + labels.length > 0
    for (const { label, answer: shape } of isAsked ? topics : possible.filter((topic) => topic.asks.test(end))) {
      const view = viewOf(label, answer)
      if (!shape || shape.test(view.text.slice(label.length))) views.push(view)
    }
    return views
  }

// One bit for each topic, from the lowest on, and two more.
/** The bit of a word of a label. */
const LABELS = 1 << TOPICS.length
/** The bits of all topics and of labels. */
const ANY_TOPIC = 2 * LABELS - 1
/** The bit of a word of a request. */
const REQUESTS = 2 * LABELS

/** The words of topics and requests, found in one pass, and by state of the automaton the bits of those that end there. */
let compiled: { readonly automaton: Automaton; readonly bits: Uint16Array } | undefined

function compileWords(): NonNullable<typeof compiled> {
  const lists = [...TOPICS.map((topic) => topic.words), LABEL_WORDS, REQUEST_WORDS]
  const automaton = buildAutomaton([...new Set(lists.flat())])
  const bitsOf = [...new Set(lists.flat())].map((word) =>
    lists.reduce((sum, list, i) => (list.includes(word) ? sum | (1 << i) : sum), 0),
  )
  return { automaton, bits: Uint16Array.from(automaton.ends, (ends) => ends.reduce((sum, i) => sum | bitsOf[i]!, 0)) }
}

/** Returns a bit for each topic of which a text holds a word, and one for a word of a request. */
function wordsIn(text: string): number {
  const { automaton, bits } = (compiled ??= compileWords())
  const { columns, table } = automaton
  load(text, 0, text.length)
  let held = 0
  for (let i = 0, state = 0; i < text.length; i++) {
    const next = table[(state << SHIFT) + columns[bytes[i]!]!]!
    state = next & ~ENDS
    if (next >= ENDS) held |= bits[state]!
  }
  return held
}

const topicsOf = (words: number): readonly Topic[] => TOPICS.filter((_, i) => (words & (1 << i)) !== 0)

/** Returns the last sentence of a text; read backwards, since an expression would begin at each character before it. */
function lastSentence(text: string): string {
  let end = text.length
  while (end > 0 && BEHIND_SENTENCE.test(text[end - 1]!)) end--
  if (end > 0 && '?？.!:：='.includes(text[end - 1]!)) end--
  else end = text.length
  let start = end
  while (start > 0 && end - start < LONGEST_SENTENCE && !endsSentence(text.charCodeAt(start - 1))) start--
  return text.slice(start)
}

/** Returns a full stop, `!`, `?` of either width, or a line break. */
const endsSentence = (code: number): boolean =>
  code === 46 || code === 33 || code === 63 || code === 0xff1f || code === 10

/** Several answers stand in the order of their labels. */
const BETWEEN = /, |;|\n| (?:and|und|et|en|y|e|i|och|og) /g

function viewsOfLabels(labels: readonly string[], answer: string): View[] {
  const starts = [0, ...[...answer.slice(0, LONGEST).matchAll(BETWEEN)].map((match) => match.index + match[0].length)]
  return labels.map((label, i) => viewOf(`${label}: `, answer, labels.length === starts.length ? starts[i] : 0))
}

function viewOf(label: string, answer: string, from = 0): View {
  const head = answer.slice(0, from + LONGEST)
  const lead = from + LEAD.exec(head.slice(from))![0].length
  const line = head.slice(lead).split('\n', 1)[0]!
  const shift = lead - label.length
  const place = (at: number): number => at + shift
  return { text: label + line, sure: [label.length, label.length + line.length], start: place, end: place }
}

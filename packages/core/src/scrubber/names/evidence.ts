import type { WordKind } from './lexicon.ts'

const wordsOf = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/))

/** What stands where a name may be: what the lexicon says of a word, or what its letters do. */
export type TokenKind = WordKind | 'initial'

/** The least sum of weights of a name. */
export const THRESHOLD = 34

/** Weights of the first word of a name, in tenths. */
export const FIRST: Readonly<Record<TokenKind, number>> = {
  given: 30,
  both: 26,
  ambiguous: 18,
  surname: 10,
  unknown: 6,
  initial: 6,
  word: -40,
}
/** Weights of its last word. `surnameEnd` is an unknown word that ends as surnames do. */
export const LAST: Readonly<Record<TokenKind | 'surnameEnd', number>> = {
  given: 10,
  both: 20,
  ambiguous: 4,
  surname: 22,
  surnameEnd: 22,
  unknown: 12,
  initial: 4,
  word: -30,
}
/** Weights of a word between the two. */
export const MIDDLE: Readonly<Record<TokenKind, number>> = {
  given: 6,
  both: 6,
  ambiguous: 0,
  surname: 4,
  unknown: 2,
  initial: 8,
  word: -40,
}

/** What stands around a name, with its weight. */
export const AROUND = {
  /** `Dr.`, `Herr`, `colleague`: what stands before a person's name and little else. */
  title: 22,
  /** `Reviewer:`, `"owner": "`, `Erstellt von: `: a label whose value is a person. */
  label: 24,
  /** `Name: `: of a person or of anything else. */
  nameLabel: 8,
  /** `ask`, `thanks`, `cc`, `with`: what is done to people, and to other things. */
  before: 8,
  /** `said`, `wrote`, `'s`: what people do. */
  behind: 14,
  /** `Solveig's` of a first name alone. */
  possessive: 10,
  /** A message of a chat: a name, then a time or a colon, at the beginning of its line. */
  chat: 15,
  /** A time before the name, or a handle or an address behind it. */
  time: 15,
  /** A line with a house number and a street below. */
  street: 15,
  /** All of its line, its cell or its string. */
  alone: 6,
  /** A capitalized word right before or behind: the name of a place, a company, a book. */
  titleCase: -14,
  /** Five capitalized words in a row and more: a title or a list. */
  longRow: -20,
  /** A licence, a font, an algorithm, a link to a public profile. */
  credit: -60,
} as const

/** Words, in small letters, right before a person's name. */
export const TITLES = wordsOf(`
mr mrs ms miss mx dr prof professor sir dame madam herr frau monsieur madame mme mlle senor senora sr sra don dona
signor signora colleague coworker teammate boss manager mentor tutor supervisor friend brother sister mother father
wife husband son daughter engineer designer developer lead cto ceo cfo coo founder cofounder director president
secretary minister senator judge client customer patient tenant landlord candidate applicant intern contractor dear
hi hello hey hola bonjour hallo ciao reviewer assignee reporter approver presenter speaker attendee fao attn
mvh mfg lg vg hälsningar hilsen groeten cordialement saludos hr mw dhr mevr mevrouw meneer
коллега коллеги начальник начальница менеджер директор бухгалтер клиент клиентка господин госпожа зовут кум друг подруга муж жена`)

/** Words before a name of which many stand before other names too. */
export const WORDS_BEFORE = wordsOf(`
ask asked asking tell told telling thanks thank thx cc bcc ping pinged message messaged email emailed mail mailed
call called with from by for to and or met meet meeting meets invite invited join joined hire hired blame blamed
know knows knew contact contacted notify notified assign assigned remind says said see saw per via kudos credit
praise congratulate welcome i'm am is was are named name me owner between against about behalf of my our his her
their frau de von und y e et con avec mit bei med av fra fran od przez met door bij van per da di por para par ile z ze team: author: reviewers: members: from: to:`)

/** Words before somebody, of which few stand before a thing that is written with a capital letter. */
export const PEOPLE_BEFORE = wordsOf(`
ask asked asking tell told telling thanks thank thx ping pinged met invited hired blame blamed notify remind colleague
says kollege kollegin chef chefin jefe jefa compañero compañera collègue patron collega capo colega chefe kumpel freund freundin
i'm salut ciao`)

/** The least sum of weights of a first name alone. */
export const SINGLE_THRESHOLD = 40

/** Words behind a name. */
export const WORDS_BEHIND = wordsOf(`
said says say asked asks told tells wrote writes thinks thought wants wanted needs suggested suggests reported
reports replied replies mentioned noted approved rejected reviewed merged pushed broke fixed joined left quit
called emailed pinged signed owns owned works worked lives lived agreed disagreed complained confirmed explained
decided promised sent gave took made hired leads managed manages is was has had will would can could should did
does and or who whose speaking here via
сказал сказала просит попросил попросила написал написала говорит обновил обновила предложил предложила`)

/** What a licence, a list of fonts or a paper says before it names people, who are public then. */
export const CREDIT =
  /(?:©|\(c\)|copyright|copr\.?|license[ds]?|licence|typeface|fonts?|algorithm|theorem|isbn|novel|film|painting|poem)\b[^\n]{0,40}$/i

/** Ends of words of English, which are no names unless the lexicon knows them. */
export const WORD_END =
  /(?:age|ance|ence|tion|sion|ment|ness|ity|ility|able|ible|ous|ive|ful|less|ics|ism|ist|ship|ware|ight|ture|sure|ology|graphy|ated|ized|ally|ries|ties|cies|ices|ents|ants|ors|ings|ions)$/

/** Ends of words of English and German that no name has. */
export const NEVER_NAME =
  /(?:tion|ment|ness|ility|ology|able|ible|[^aeiou]{2}ing|sion|ings|ality|.{4}ung|ungen|heit|keit|schaft|schaften|zeichen|tät|ionen|ierer|ieren|eichnis)$/

/** Words that begin sentences in other languages, and the German address, none of which is a name. Folded. */
export const FUNCTION_WORDS = wordsOf(`
endian tiering breakpoints werte sie ihr ihre ihren ihnen ihrem der die das den dem des ein eine einen einem einer es wir ich er man mein dein unser
und oder aber wenn weil dass ob wie was wo wann warum wer welche welcher welches dieser diese dieses alle alles kein
keine nicht nur noch schon auch sehr bei mit nach von zu zum zur aus auf in als bis durch fur gegen ohne um unter uber
vor zwischen bitte danke ja nein hier dort dann jetzt haben hat ist sind war waren wird werden kann konnen soll sollen
muss mussen darf bezeichner option optionen datei dateien ausgabe ausgaben eigenschaft eigenschaften funktion
funktionen andere anderer wollten stellen verwenden lassen fugen erwagen finden schliessen geben setzen prufen klicken
wahlen les un une de et ou mais si que qui quoi quand comment pourquoi je il elle nous vous ils elles mon mes ton ta
votre notre leur ce cette ces dans sur sous avec sans pour par chez merci bonjour oui non est sont el los las una unos
unas y o pero como cuando donde quien yo ella nosotros usted ustedes ellos nuestro este esta estos esto para por con
sin sobre gracias hola no son hay lo gli uno e che chi cosa quando dove perche io lui lei noi voi loro mio tuo suo
questo questa per senza grazie os as uma mas quem eu ele ela nos voces meu minha seu sua isto com sem obrigado nao sim
het een en maar dat wat waar wanneer ik jij hij zij wij mijn jouw dit deze voor met zonder naar bij dank nee`)

/** Ends of surnames in many languages: such a word needs no entry in the lexicon. Without marks. */
export const SURNAME_END =
  /..(?:sson|sen|sdottir|dottir|qvist|kvist|strom|berg|mann|stein|bauer|meier|meyer|ski|ska|sky|skaya|wicz|czyk|czak|enko|chuk|ovic|evic|ov|ova|ev|eva|yev|escu|eanu|ian|yan|oglu|poulos|akis|idis|adze|shvili|elli|etti|ucci|ini|acci|ez|eira|ade|okun|unle|iwala|wala|singh|swamy|murthy|nathan|moto|mura|kawa|saki|yama|ashvili|enas|aitis|unas|ovs|ovich|ulis|huis|stra|sma|veld|burg|dahl|lund|gaard|rud|vik|uri|ola|onen|ainen|inen|ala|ова|ева|ов|ев|ин|ина|ский|ская|енко|чук|юк|ович)$/u

/** Towns that are first names or surnames too. Folded. */
const TOWNS: ReadonlySet<string> = new Set(
  `adelaide alexandria alma amman arlington atlanta augusta austin bergen bern berlin boston bristol brooklyn burgos
cadiz camden cannes carolina charlotte chester chelsea cologne cordoba dallas denver devon dresden durham florence
geneva georgia hamburg hamilton hannover havana helena houston jackson kingston lancaster lincoln lisbon london lourdes
lyon madison madrid malaga marseille mercedes milan milano monaco montana munich napoli odessa orlando oxford paris
perth phoenix preston regina roma rome salem santiago savannah seville sheffield siena sofia sydney toledo troy turin
valencia valladolid venice verona victoria vienna vigo virginia warsaw york zaragoza`.split(/\s+/),
)
const TO_TOWN = /\b(?:from|in|to|at|near|around|via|of|nach|aus|von|bis|à|de|en|da|di|till|från|naar|uit)\s$/i

/** Returns whether a word is a town where somebody is, comes from or goes to: `a customer from Milan`. */
export const isTownAt = (text: string, start: number, name: string): boolean =>
  TOWNS.has(name.toLowerCase()) && TO_TOWN.test(text.slice(Math.max(0, start - 8), start))

/** Full names of people of public life and of examples: they stay. Folded. */
export const PUBLIC_NAMES: ReadonlySet<string> = new Set(
  `john doe|jane doe|john smith|jane smith|joe bloggs|max mustermann|erika mustermann|mario rossi|john appleseed|
johnny appleseed|alan turing|ada lovelace|ada byron|grace hopper|edsger dijkstra|donald knuth|linus torvalds|
dennis ritchie|ken thompson|brian kernighan|bjarne stroustrup|guido van rossum|james gosling|brendan eich|
tim berners lee|vint cerf|john von neumann|claude shannon|john mccarthy|marvin minsky|barbara liskov|tony hoare|
leslie lamport|niklaus wirth|alonzo church|haskell curry|kurt godel|martin fowler|kent beck|robert martin|
rich hickey|richard stallman|eric raymond|larry wall|yukihiro matsumoto|rob pike|ryan dahl|dan abramov|evan you|
rich harris|douglas crockford|john resig|sindre sorhus|steve jobs|bill gates|mark zuckerberg|elon musk|jeff bezos|
larry page|sergey brin|sam altman|dario amodei|satya nadella|tim cook|sundar pichai|geoffrey hinton|yann lecun|
yoshua bengio|andrew ng|andrej karpathy|ilya sutskever|albert einstein|isaac newton|marie curie|charles darwin|
nikola tesla|galileo galilei|leonardo da vinci|carl friedrich gauss|carl gauss|leonhard euler|blaise pascal|
pierre de fermat|bernhard riemann|david hilbert|george boole|thomas bayes|srinivasa ramanujan|emmy noether|
william shakespeare|jane austen|mark twain|charles dickens|george orwell|agatha christie|ernest hemingway|
franz kafka|oscar wilde|leo tolstoy|fyodor dostoevsky|victor hugo|jules verne|edgar allan poe|lewis carroll|
arthur conan doyle|stephen king|barack obama|donald trump|joe biden|george washington|abraham lincoln|
winston churchill|nelson mandela|mahatma gandhi|martin luther king|angela merkel|vladimir putin|napoleon bonaparte|
julius caesar|alexander hamilton|benjamin franklin|thomas jefferson|pablo picasso|vincent van gogh|claude monet|
wolfgang amadeus mozart|johann sebastian bach|taylor swift|michael jackson|michael jordan|lionel messi|
cristiano ronaldo|serena williams|roger federer|sherlock holmes|harry potter|james bond|monte carlo|helvetica neue|
rosetta flash|snow leopard|rose pine|homer simpson|bart simpson|luke skywalker|steve ballmer|warren buffett|
stephen hawking|richard feynman|neil armstrong|jimmy wales|aaron swartz|edward snowden|satoshi nakamoto|
vitalik buterin|ward cunningham|phil karlton|jamie zawinski|jeff atwood|joel spolsky|paul graham|jakob nielsen|
don norman|edward tufte`
    .replaceAll('\n', '')
    .split('|'),
)

/**
 * `npm run fit:names`: makes the lexicon of names that `names/lexicon.ts` reads, of the given names and surnames of
 * three packages and of the words that documents of node_modules use.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { allLocales } from '@faker-js/faker'
import {
  CELL_VALUES,
  FIRST_CELL,
  foldName,
  placesOf,
  sumOf,
  type CellPlaces,
  type WordKind,
} from '../../src/scrubber/names/lexicon.ts'
import { commonWords } from '../../src/scrubber/rules/common-words.ts'
import { SURNAME_END } from '../../src/scrubber/names/evidence.ts'

const require = createRequire(import.meta.url)
const root = join(import.meta.dirname, '..', '..', '..', '..', '..')

/** Scripts with capital letters: the others do not say where a name begins. */
const LETTERS = /^(?:\p{Script=Latin}{3,}|\p{Script=Cyrillic}{3,}|\p{Script=Greek}{3,})$/u
const LATIN = /^\p{Script=Latin}+$/u
/** Most surnames of these are known by how they end. */
const ENDINGS_SAY = new Set(['cs_CZ', 'sk', 'hr', 'sr_RS_latin', 'mk', 'lv', 'ro_MD', 'fi', 'sl_SI'])
/** Esperanto's names and the jokes of a locale of Australia name few people. */
const SKIPPED_LOCALES = new Set(['eo', 'en_AU_ocker'])

function stringsIn(value: unknown, strings: string[] = []): string[] {
  if (typeof value === 'string') strings.push(value)
  else if (Array.isArray(value)) for (const item of value) stringsIn(item, strings)
  else if (value !== null && typeof value === 'object')
    for (const item of 'value' in value ? [value.value] : Object.values(value)) stringsIn(item, strings)
  return strings
}

const add = (set: Set<string>, names: readonly string[], separator: RegExp): void => {
  for (const name of names) for (const part of foldName(name).split(separator)) if (LETTERS.test(part)) set.add(part)
}

function collectNames(): { given: Set<string>; surnames: Set<string> } {
  const [given, surnames] = [new Set<string>(), new Set<string>()]
  for (const [id, { person }] of Object.entries(allLocales)) {
    if (!person || SKIPPED_LOCALES.has(id)) continue
    const isVietnamese = id === 'vi'
    add(given, isVietnamese ? [] : stringsIn(person.first_name), /[ -]/)
    if (!ENDINGS_SAY.has(id)) add(surnames, stringsIn(person.last_name), /[ -]/)
  }
  const people = listedPeople()
  for (const [name, languages] of namesByLanguage())
    if (LETTERS.test(name) && (languages > 1 || people.has(name))) given.add(name)
  return { given, surnames }
}

/** Returns given names with the number of languages whose list has them. */
function namesByLanguage(): Map<string, number> {
  const folder = join(require.resolve('gender-detection-from-name'), '..', 'names')
  const counts = new Map<string, number>()
  for (const file of readdirSync(folder)) {
    const own = new Set(
      [...readFileSync(join(folder, file), 'utf8').matchAll(/\['([^' ]+)'/g)].map((m) => foldName(m[1]!)),
    )
    // The lists of four languages are kept by hand, the two long ones are what offices registered.
    for (const name of own) counts.set(name, (counts.get(name) ?? 0) + (/^(?:en|fr)/.test(file) ? 1 : 2))
  }
  return counts
}

/** Returns names, given ones and surnames, that are frequent in the United States. */
function listedPeople(): Set<string> {
  const path = join(require.resolve('@cspell/dict-people-names/cspell-ext.json'), '..', 'dict', 'people-names.txt')
  const names = readFileSync(path, 'utf8').match(/^\p{Lu}\p{L}{2,}$/gmu) ?? []
  return new Set(names.map(foldName).filter((name) => LETTERS.test(name)))
}

interface Words {
  /** Words of a dictionary and of documents that are no names, or that are names too. */
  readonly words: ReadonlySet<string>
  /** Names that are places or products too. */
  readonly ambiguous: ReadonlySet<string>
}

/** In how many packages' documents a word must stand to be one that is written without a person in mind. */
const [IN_SMALL_LETTERS, CAPITALIZED] = [5, 3]

function collectWords(given: ReadonlySet<string>, surnames: ReadonlySet<string>): Words {
  const words = new Set<string>()
  const { en } = allLocales
  const plain = new Set<string>(commonWords)
  add(
    plain,
    stringsIn([en.word, en.color, en.commerce, en.date, en.science, en.animal?.type, en.food?.ingredient]),
    /[^a-z]/,
  )
  for (const word of plain) if (given.has(word) || surnames.has(word)) words.add(word)
  const [small, capitalized] = countWords()
  for (const [word, count] of small) if (count >= IN_SMALL_LETTERS) words.add(word)
  for (const [word, count] of capitalized)
    if (count >= CAPITALIZED && !given.has(word) && !surnames.has(word)) words.add(word)
  const ambiguous = new Set<string>()
  for (const [id, { location }] of Object.entries(allLocales))
    if (location && id.startsWith('en'))
      add(
        ambiguous,
        stringsIn([location.country, location.state, location.continent, location.county, location.city_name]),
        /[^a-z]/,
      )
  return { words, ambiguous }
}

/** Returns for each word in how many packages' documents it stands in small letters, and with a capital letter. */
function countWords(): [small: Map<string, number>, capitalized: Map<string, number>] {
  const counts: [Map<string, number>, Map<string, number>] = [new Map(), new Map()]
  const folder = join(root, 'node_modules', '.pnpm')
  const seen = new Set<string>()
  for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    const found = [new Set<string>(), new Set<string>()] as const
    // Versions of one package say the same.
    const plain = name.replace(/(?<=.)@.*/, '')
    if (seen.has(plain) || name === 'node_modules') continue
    seen.add(plain)
    for (const path of documents(join(folder, name)))
      for (const [, word] of readFileSync(path, 'utf8').matchAll(/(?<![\w./@`-])([A-Z]?[a-z]{2,})(?![\w/@-])/g))
        found[word! < 'a' ? 1 : 0].add(word!.toLowerCase())
    for (const [i, set] of found.entries())
      for (const word of set) counts[i]!.set(word, (counts[i]!.get(word) ?? 0) + 1)
  }
  return counts
}

function* documents(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* documents(path)
    else if (entry.isFile() && /\.(?:md|txt)$/i.test(entry.name) && statSync(path).size < 500_000) yield path
  }
}

/** Returns what each word of the lexicon is. A surname that its end gives away needs no entry. */
function kindsOf(): Map<string, WordKind> {
  const { given, surnames } = collectNames()
  const { words, ambiguous } = collectWords(given, surnames)
  const kinds = new Map<string, WordKind>()
  for (const word of words) kinds.set(word, 'word')
  for (const name of surnames)
    if (kinds.has(name) || ambiguous.has(name)) kinds.set(name, 'ambiguous')
    else if (!SURNAME_END.test(name) && LATIN.test(name)) kinds.set(name, 'surname')
  for (const name of given)
    kinds.set(name, words.has(name) || ambiguous.has(name) ? 'ambiguous' : surnames.has(name) ? 'both' : 'given')
  for (const word of [...DATES, ...SITES]) kinds.set(word, 'word')
  return kinds
}

/** What stands behind the name of a place. */
const SITES =
  'airport station university college school hospital hotel museum bridge church cathedral square avenue boulevard stadium street county'.split(
    ' ',
  )

/** In logs they stand beside each other far more often than in a name. */
const DATES = 'sat sun mon tue wed thu fri jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/** Cells for each word: fewer, and there is no order in which all words find a cell of their own. */
const CELLS_FOR_A_WORD = 1.24

/**
 * Returns cells so that the three of each word add up to its sum: takes words away whose cell no other word has, one
 * after the other, and fills the cells in the opposite order.
 */
function fillCells(kinds: ReadonlyMap<string, WordKind>): string {
  const part = Math.ceil((kinds.size * CELLS_FOR_A_WORD) / 3)
  // Of two words with the same places only one can be said.
  const entries = [
    ...new Map([...kinds].map(([word, kind]) => [String(placesOf(word, part).places), { word, kind }])).values(),
  ].map(({ word, kind }) => ({ ...placesOf(word, part), kind }))
  const counts = new Uint32Array(3 * part)
  const owners = new Uint32Array(3 * part)
  const change = ({ places }: CellPlaces, by: number, index: number): void => {
    for (const place of places) {
      counts[place] = counts[place]! + by
      owners[place] = owners[place]! ^ index
    }
  }
  for (const [index, entry] of entries.entries()) change(entry, 1, index)
  const lone = [...counts.keys()].filter((place) => counts[place] === 1)
  const order: [index: number, place: number][] = []
  for (let place = lone.pop(); place !== undefined; place = lone.pop()) {
    if (counts[place] !== 1) continue
    const index = owners[place]!
    order.push([index, place])
    change(entries[index]!, -1, index)
    for (const other of entries[index]!.places) if (counts[other] === 1) lone.push(other)
  }
  if (order.length < entries.length) throw new Error('the words share their cells: change CELLS_FOR_A_WORD')
  const cells = new Uint8Array(3 * part)
  for (const [index, place] of order.toReversed()) {
    const { places, check, kind } = entries[index]!
    const others = places.reduce((sum, other) => sum + (other === place ? 0 : cells[other]!), 0)
    cells[place] = (((sumOf(check, kind) - others) % CELL_VALUES) + CELL_VALUES) % CELL_VALUES
  }
  return [...cells].map((cell) => String.fromCharCode(cell + FIRST_CELL)).join('')
}

const kinds = kindsOf()
console.log(kinds.size)
const cells = fillCells(kinds)
const lines = cells.match(/.{1,100}/g)!.map((line) => `  '${line.replace(/['\\]/g, String.raw`\$&`)}',`)
writeFileSync(
  join(root, 'packages/core/src/scrubber/names/lexicon-cells.ts'),
  `/** Made by \`npm run fit:names\`: see \`kindOf\`. */\nexport const CELLS = [\n${lines.join('\n')}\n].join('')\n`,
)
const totals = new Map<WordKind, number>()
for (const kind of kinds.values()) totals.set(kind, (totals.get(kind) ?? 0) + 1)
console.log(Object.fromEntries(totals), `${cells.length} cells`)

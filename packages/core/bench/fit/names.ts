/**
 * `npm run fit:names`: makes the lexicon of names that `names/lexicon.ts` reads, of the given names and surnames of
 * three packages and of the words that documents of node_modules use.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { allLocales } from '@faker-js/faker'
import { CELL_VALUES, FIRST_CELL, placesOf, sumOf, type WordKind } from '../../src/scrubber/names/lexicon.ts'
import { fillCells, partFor, sourceOf } from './cells.ts'
import { addWords, collectNames, LATIN, stringsIn } from './name-lists.ts'
import { commonWords } from '../../src/scrubber/rules/common-words.ts'
import { SURNAME_END } from '../../src/scrubber/names/evidence.ts'

const root = join(import.meta.dirname, '..', '..', '..', '..', '..')

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
  addWords(
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
      addWords(
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
  'airport station university college school hospital hotel museum bridge church ' +
  'cathedral square avenue boulevard stadium street county'.split(' ')

/** In logs they stand beside each other far more often than in a name. */
const DATES = 'sat sun mon tue wed thu fri jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

const kinds = kindsOf()
console.log(kinds.size)
const part = partFor(kinds.size)
const cells = fillCells(
  [...kinds].map(([word, kind]) => {
    const { places, check } = placesOf(word, part)
    return { places, sum: sumOf(check, kind) }
  }),
  part,
  CELL_VALUES,
)
writeFileSync(
  join(root, 'packages/core/src/scrubber/names/lexicon-cells.ts'),
  sourceOf('CELLS', 'Made by `npm run fit:names`: see `kindOf`.', cells, FIRST_CELL),
)
const totals = new Map<WordKind, number>()
for (const kind of kinds.values()) totals.set(kind, (totals.get(kind) ?? 0) + 1)
console.log(Object.fromEntries(totals), `${cells.length} cells`)

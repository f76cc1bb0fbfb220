/**
 * `npm run fit:dictionary`: makes the dictionary that `names/dictionary.ts` reads, of the words of cspell's
 * dictionaries of English and of software, of messages in other languages, and of the names of places.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { allLocales } from '@faker-js/faker'
import { cellsOf, type Entry } from '../../src/scrubber/names/dictionary.ts'
import { CELL_VALUES, FIRST_CELL, foldName } from '../../src/scrubber/names/lexicon.ts'
import { isFormOf } from '../../src/scrubber/names/rare-kinds.ts'
import { commonWords } from '../../src/scrubber/rules/common-words.ts'
import { rules } from '../../src/scrubber/rules/index.ts'
import { fillCells, partFor, sourceOf } from './cells.ts'
import { moreWords } from './dictionary-words.ts'
import { collectNames, stringsIn } from './name-lists.ts'

const root = join(import.meta.dirname, '..', '..', '..', '..', '..')
const packages = join(root, 'node_modules', '.pnpm')
/** Dictionaries of people, of other languages, of jokes, and of mere abbreviations. */
const SKIPPED =
  /people-names|lorem|win32|scientific|latex|cryptocurrencies|gaming|fonts|misspell|flutter|monkey|cpp|dict-ada|dict-al|en-gb/
const LONGEST = 13

/** Languages whose words TypeScript's messages have. */
const LANGUAGES = ['cs', 'de', 'es', 'fr', 'it', 'pl', 'pt-br', 'tr']

/** Returns words of other languages than English: of compilers' messages, of dates, colours and wares. */
function collectForeign(): Set<string> {
  const words = new Set<string>()
  const add = (text: string): void => {
    for (const word of text.match(/\p{L}{4,}/gu) ?? []) {
      const folded = foldName(word)
      if (/^[a-z]{4,14}$/.test(folded)) words.add(folded)
    }
  }
  const typescript = join(
    packages,
    readdirSync(packages).find((name) => name.startsWith('typescript@5'))!,
  )
  for (const language of LANGUAGES) {
    const path = join(typescript, 'node_modules/typescript/lib', language, 'diagnosticMessages.generated.json')
    for (const message of Object.values(JSON.parse(readFileSync(path, 'utf8')) as object)) add(String(message))
  }
  for (const { date, color, commerce, word } of Object.values(allLocales))
    for (const text of stringsIn([date, color, commerce, word])) add(text)
  return words
}

interface TrieLibrary {
  importTrie(lines: readonly string[]): unknown
  iteratorTrieWords(trie: unknown): Iterable<string>
}
const trieFolder = readdirSync(packages).find((name) => name.startsWith('cspell-trie-lib@'))!
const { importTrie, iteratorTrieWords } = (await import(
  pathToFileURL(join(packages, trieFolder, 'node_modules/cspell-trie-lib/dist/index.js')).href
)) as TrieLibrary

/** Returns the words of a file of cspell. */
function* wordsIn(path: string): Generator<string> {
  const content = readFileSync(path)
  const lines = (path.endsWith('.gz') ? gunzipSync(content) : content).toString('utf8').split('\n')
  if (path.includes('.trie')) {
    for (const word of iteratorTrieWords(importTrie(lines)))
      if (!word.startsWith('~')) yield word.replace(/^[!+*]+/, '')
  } else for (const line of lines) if (!/^\s*[#!]/.test(line)) yield* line.split(/[\s,|>:]+/)
}

function* files(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory() && entry.name !== 'src') yield* files(path)
    else if (/\.(?:txt|trie)(?:\.gz)?$/.test(entry.name)) yield path
  }
}

/** Returns words of English in small letters, and each part of the words of software. */
function collectWords(): Set<string> {
  const words = new Set<string>()
  const add = (word: string): void => {
    if (word.length > 2 && word.length <= LONGEST) words.add(word)
  }
  for (const name of readdirSync(packages)) {
    if (!name.startsWith('@cspell+dict-') || SKIPPED.test(name)) continue
    const isEnglish = name.includes('dict-en')
    const own = name.replace(/^@cspell\+|(?<=.)@.*/g, '')
    for (const path of files(join(packages, name, 'node_modules/@cspell', own)))
      for (const word of wordsIn(path))
        if (isEnglish) {
          if (/^[a-z]+$/.test(word)) add(word)
        } else for (const part of word.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []) add(part.toLowerCase())
  }
  for (const word of commonWords) add(word)
  for (const word of moreWords) words.add(word)
  for (const { keywords } of rules)
    for (const keyword of keywords) for (const part of keyword.match(/[a-z]{4,}/g) ?? []) add(part)
  return words
}

function collectPlaces(): Set<string> {
  const places = new Set<string>()
  for (const { location } of Object.values(allLocales))
    for (const name of stringsIn([location?.country, location?.state, location?.continent, location?.city_name]))
      for (const part of foldName(name).match(/[a-z]{4,}/g) ?? []) places.add(part)
  return places
}

const { given, surnames } = collectNames()
const entries = new Map<string, Entry>()
const words = collectWords()
// A stem comes before its forms.
for (const word of [...words].sort((a, b) => a.length - b.length))
  if (!commonWords.has(word) && (given.has(word) || surnames.has(word))) entries.set(word, 'name')
  else if (word.length < 5 || !isFormOf(word, (stem) => entries.has(stem))) entries.set(word, 'word')
for (const place of [...collectForeign(), ...collectPlaces()])
  if (!entries.has(place)) entries.set(place, given.has(place) || surnames.has(place) ? 'name' : 'word')
const part = partFor(entries.size)
const cells = fillCells(
  [...entries].map(([word, entry]) => cellsOf(word, part, entry)),
  part,
  CELL_VALUES,
)
writeFileSync(
  join(root, 'packages/core/src/scrubber/names/dictionary-cells.ts'),
  sourceOf('DICTIONARY', 'Made by `npm run fit:dictionary`: see `entryOf`.', cells, FIRST_CELL),
)
console.log(entries.size, `${cells.length} cells`)

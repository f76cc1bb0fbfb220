import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { allLocales } from '@faker-js/faker'
import { foldName } from '../../src/scrubber/names/lexicon.ts'

const require = createRequire(import.meta.url)

/** Scripts with capital letters: the others do not say where a name begins. */
const LETTERS = /^(?:\p{Script=Latin}{3,}|\p{Script=Cyrillic}{3,}|\p{Script=Greek}{3,})$/u
export const LATIN = /^\p{Script=Latin}+$/u
/** Most surnames of these are known by how they end. */
const ENDINGS_SAY = new Set(['cs_CZ', 'sk', 'hr', 'sr_RS_latin', 'mk', 'lv', 'ro_MD', 'fi', 'sl_SI'])
/** Esperanto's names and the jokes of a locale of Australia name few people. */
const SKIPPED_LOCALES = new Set(['eo', 'en_AU_ocker'])

/** Returns the strings of a value, also of weighted ones. */
export function stringsIn(value: unknown, strings: string[] = []): string[] {
  if (typeof value === 'string') strings.push(value)
  else if (Array.isArray(value)) for (const item of value) stringsIn(item, strings)
  else if (value !== null && typeof value === 'object')
    for (const item of 'value' in value ? [value.value] : Object.values(value)) stringsIn(item, strings)
  return strings
}

/** Adds the folded parts of names that have letters of a script with capital letters. */
export const addWords = (set: Set<string>, names: readonly string[], separator: RegExp): void => {
  for (const name of names) for (const part of foldName(name).split(separator)) if (LETTERS.test(part)) set.add(part)
}

/** Returns the given names and surnames of three packages. */
export function collectNames(): { given: Set<string>; surnames: Set<string> } {
  const [given, surnames] = [new Set<string>(), new Set<string>()]
  for (const [id, { person }] of Object.entries(allLocales)) {
    if (!person || SKIPPED_LOCALES.has(id)) continue
    const isVietnamese = id === 'vi'
    addWords(given, isVietnamese ? [] : stringsIn(person.first_name), /[ -]/)
    if (!ENDINGS_SAY.has(id)) addWords(surnames, stringsIn(person.last_name), /[ -]/)
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

import { formatUsd } from '../money.ts'
import { firstOf } from '../lists.ts'
import type { Messages } from '../messages/index.ts'
import type { Lazy } from '../lazy.ts'

/** The texts of a group of pages or mails in English, by key. `{name}` stands for a value. */
export type Texts = Readonly<Record<string, string>>

/**
 * The keys of a group. The plural forms of a text share one key; the keys of the forms end with `_one` and `_other`.
 */
export type TextKey<Group extends Texts> = keyof Group extends infer Key
  ? Key extends `${infer Base}_one` | `${infer Base}_other`
    ? Base
    : Key & string
  : never

type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never
type FormsOf<Group extends Texts, Key extends string> = Group[(Key | `${Key}_one` | `${Key}_other`) & keyof Group]
type Names<Group extends Texts, Key extends string> = Exclude<NamesIn<FormsOf<Group, Key>>, 'brand'>

/** The parameters of a text: a value for each name in the text. A text without names has no parameters. */
export type TextParams<Group extends Texts, Key extends string, Value> = [Names<Group, Key>] extends [never]
  ? []
  : [params: Readonly<Record<Names<Group, Key>, Value>>]

/** A text in English, or its plural forms if the text depends on a count. */
export type English = string | { readonly one: string; readonly other: string }

/** Returns a text of a group in English. */
export function findEnglish(group: Texts, key: string): English {
  return group[key] ?? { one: group[`${key}_one`] ?? key, other: group[`${key}_other`] ?? key }
}

/** Replaces `{name}` by the value of that name. */
export function fillText(template: string, params: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (mark, name: string) => params[name] ?? mark)
}

/** One language of a service. */
export interface Language {
  /** The BCP 47 tag: `en`, `de`, `pt-BR`. */
  readonly tag: string
  /** Returns a text of a group with its values filled in, for a mail. */
  text<const Group extends Texts, Key extends TextKey<Group>>(
    group: Group,
    key: Key,
    ...params: TextParams<Group, Key, string | number>
  ): string
  /** Returns the text of a key before its values are filled in. `english` is the English text. */
  template(key: string, english: English, count?: number): string
  /**
   * Returns whether the text of a key is in this language. Returns false if the text is English because it has no
   * translation.
   */
  isTranslated(key: string): boolean
  /** Returns a number with the language's separators. */
  number(value: number): string
  usd(value: number, decimals?: number): string
  /** Returns a timestamp in UTC to the minute. */
  time(iso: string): string
  /** Returns the names of countries by their two-letter codes, joined to a list. */
  countries(codes: readonly string[], isText?: boolean): string
}

/** The languages of a service. */
export interface Languages {
  readonly pick: PickLanguage
  readonly tags: readonly string[]
  /**
   * The language of a mail that was not caused by a request of its recipient: the first language that the app provides.
   */
  readonly first: Language
  /**
   * Rejects when a language has a text that no page uses. Loads every text, but only when the app provided languages.
   */
  readonly check: Lazy<void>
}

/** Chooses the language of a request by its `accept-language` header. */
export type PickLanguage = (acceptLanguage: string | undefined) => Language

/** Creates the languages of a service: English, and the languages that the app provides by tag. */
export function createLanguages(
  given: Readonly<Record<string, Messages>>,
  values: Readonly<Record<string, string>>,
): Omit<Languages, 'check'> {
  const languages = new Map(
    Object.entries(given).map(([tag, texts]) => [tag.toLowerCase(), createLanguage(tag, texts, values)]),
  )
  const english = languages.get('en') ?? createLanguage('en', {}, values)
  languages.set('en', english)
  const [first = english] = languages.values()
  return {
    tags: [...languages.values()].map(({ tag }) => tag),
    first,
    pick(acceptLanguage) {
      if (languages.size === 1) return english
      for (const wanted of acceptedTags(acceptLanguage ?? '')) {
        const found = languages.get(wanted) ?? languages.get(firstOf(wanted.split('-', 1)))
        if (found) return found
      }
      return english
    },
  }
}

/** The codes of countries whose English names have an article in a sentence. */
const namesWithArticle = new Set(
  'AE AX BQ BS CC CD CF CK DO FK FO GB GM HM IM IO KM KY MH MP MV NL PH PN SB SC TC TF UM US VA VG VI'.split(' '),
)

function createLanguage(tag: string, texts: Texts, values: Readonly<Record<string, string>>): Language {
  const isEnglish = tag === 'en'
  let made: ReturnType<typeof createFormats> | undefined
  const formats = () => (made ??= createFormats(tag))
  const language: Language = {
    tag,
    text(group, key, ...[given]) {
      const params: Readonly<Record<string, string | number>> = given ?? {}
      const { count } = params
      const shown = Object.entries(params).map(([name, value]) => [
        name,
        typeof value === 'number' ? language.number(value) : value,
      ])
      const template = language.template(key, findEnglish(group, key), typeof count === 'number' ? count : undefined)
      return fillText(template, { ...values, ...Object.fromEntries(shown) })
    },
    template(key, english, count) {
      if (typeof english === 'string') return texts[key] ?? english
      const translated = texts[`${key}_${formats().plural.select(count ?? 0)}`] ?? texts[`${key}_other`]
      return translated ?? (count === 1 ? english.one : english.other)
    },
    isTranslated: (key) => /^en(?:-|$)/.test(tag) || Object.hasOwn(texts, key) || Object.hasOwn(texts, `${key}_other`),
    number: (value) => formats().number.format(value),
    usd: (value, decimals) => formatUsd(value, formats().locale, decimals).replace('-', '−'),
    countries(codes, isText = false) {
      const article = (code: string): string => (isText && isEnglish && namesWithArticle.has(code) ? 'the ' : '')
      return formats().list.format(codes.map((code) => article(code) + (formats().countries.of(code) ?? code)))
    },
    // English times have the form of ISO 8601, which readers from every country understand alike.
    time: (iso) => (isEnglish ? `${iso.slice(0, 10)} ${iso.slice(11, 16)}` : formats().time.format(new Date(iso))),
  }
  return language
}

/** Makes the formats of a language, or the English formats if the runtime does not know the language. */
function createFormats(tag: string) {
  const [locale = 'en'] = Intl.NumberFormat.supportedLocalesOf(tag)
  return {
    locale,
    number: new Intl.NumberFormat(locale),
    plural: new Intl.PluralRules(locale),
    countries: new Intl.DisplayNames(locale, { type: 'region' }),
    list: new Intl.ListFormat(locale),
    time: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
  }
}

/**
 * Returns the tags of an `accept-language` header in lower case, the most preferred first (RFC 9110, section 12.5.4).
 */
function acceptedTags(header: string): string[] {
  return header
    .slice(0, 1_000)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
      const quality = Number(/^\s*q=([\d.]+)/.exec(parameters.join(';'))?.[1] ?? 1)
      return { tag: tag.trim(), quality }
    })
    .filter(({ tag, quality }) => tag !== '' && quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)
}

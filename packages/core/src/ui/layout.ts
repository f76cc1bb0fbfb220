import type { ResolvedBrand } from './brand.ts'
import { itemAt } from '../lists.ts'
import { escape } from './escape.ts'
import { layoutMessages } from '../messages/layout.ts'
import { replaceMarks } from './marks.ts'
import type { FinishedPage } from '../http/page-renderer.ts'
import type { Headers } from '../http/message.ts'
import type { Lazy } from '../lazy.ts'
import { fillText, type Language, type Languages, type TextKey } from './messages.ts'

/** The parts of a page that are known only when the page is sent: the language of the request, and the brand. */
export interface Layout {
  readonly languages: Lazy<Languages>
  readonly brand: ResolvedBrand
  /** The path of the public URL, with which every link starts. */
  readonly prefix: string
}

/** The mark of Tributary, two streams that join. */
const defaultLogo =
  '<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2.6" ' +
  'stroke-linecap="round"><path d="M5 3c0 7 7 6 7 12v6" /><path d="M19 3c0 5-4 6-6 9" /></svg>'

/** Allows only the service's own forms, styles and scripts, no frames, and nothing inline. */
const pagePolicy = (logoOrigin: string | null): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    `img-src 'self' data:${logoOrigin === null ? '' : ` ${logoOrigin}`}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** Returns the headers of every page. */
const pageHeaders = (logoOrigin: string | null): Headers => [
  ['content-type', 'text/html; charset=utf-8'],
  ['content-security-policy', pagePolicy(logoOrigin)],
  ['x-frame-options', 'DENY'],
]

/** A part of the page layout that does not come from `messages`. */
export type LayoutPart = 'language' | 'brand' | 'logo' | 'footer'

/**
 * Replaces the marks in a page: the marks of `messagesOf` and the other marks of `html.ts`. Returns the page with its
 * headers.
 */
export async function finishPage(
  page: string,
  acceptLanguage: string | undefined,
  { brand, languages, prefix }: Layout,
): Promise<FinishedPage> {
  const { pick, tags } = await languages()
  const language = pick(acceptLanguage)
  const [translated, english] = [new Set<string>(), new Set<string>()]
  const inItsLanguage = (key: string, text: string): string => {
    const isTranslated = language.isTranslated(key)
    ;(isTranslated ? translated : english).add(key)
    return isTranslated ? text : `${englishStart}${text}${englishEnd}`
  }
  const parts: Readonly<Record<LayoutPart, () => string>> = {
    language: () => pageLanguage,
    brand: () => escape(brand.name),
    logo: () =>
      brand.logoUrl === undefined ? defaultLogo : `<img src="${escape(brand.logoUrl)}" alt="" height="22" />`,
    footer: () => footer(brand, language, prefix, inItsLanguage),
  }
  const body = replaceMarks(page, (kind, [first = '', ...rest]) => {
    if (Object.hasOwn(parts, kind)) return parts[kind as LayoutPart]()
    if (kind === 'number') return escape(language.number(Number(first)))
    if (kind === 'usd') return escape(language.usd(Number(first), rest[0] === undefined ? undefined : Number(rest[0])))
    if (kind === 'countries') return escape(language.countries([first, ...rest]))
    if (kind === 'countriesInText') return escape(language.countries([first, ...rest], true))
    if (kind === 'countryOptions') return countryOptions(first, rest, language)
    if (kind === 'time') return escape(language.time(first))
    const isPlural = kind === 'plural'
    const [count, one = '', other = ''] = rest
    const template = isPlural
      ? language.template(first, { one, other }, Number(count))
      : language.template(first, rest[0] ?? '')
    const values = rest.slice(isPlural ? 3 : 1)
    const params: Record<string, string> = { brand: escape(brand.name) }
    for (let at = 0; at < values.length; at += 2) params[itemAt(values, at)] = itemAt(values, at + 1)
    return inItsLanguage(first, fillText(escape(template), params))
  })
  // A page without any translated text is in English.
  const tag = translated.size === 0 ? 'en' : language.tag
  const shownTags = english.size > 0 && tag !== 'en' ? `${tag}, en` : tag
  const headers: Headers[number][] = [...pageHeaders(brand.logoOrigin), ['content-language', shownTags]]
  if (tags.length > 1) headers.push(['vary', 'accept-language'])
  const marked = markEnglish(body, tag).replace(titleElement, withoutTags)
  return { body: keepWordsWhole(marked), headers }
}

// Control characters, which no value of a page contains, mark the places of values that are known only when all texts
// are filled in.
const [englishStart, englishEnd, pageLanguage] = ['\u0001', '\u0002', '\u0003']
/** Matches a tag, an element that contains only text, or the start or end of a text in English. */
// oxlint-disable-next-line no-control-regex -- the marks above
const englishTexts = /<(title|option|textarea)\b[^]*?<\/\1>|<[^>]*>|[\u0001\u0002]/gi
// oxlint-disable-next-line no-control-regex -- the marks above
const englishMarks = /[\u0001\u0002]/g

/**
 * Fills in the language of the page, and marks the English texts of a page in another language (WCAG 3.1.2). Texts in
 * attributes and in elements that hold only text cannot be marked.
 */
function markEnglish(page: string, tag: string): string {
  const marked = page.replace(englishTexts, (found) => {
    if (found.length > 1) return found.replace(englishMarks, '')
    if (tag === 'en') return ''
    return found === englishStart ? '<span lang="en">' : '</span>'
  })
  return marked.replaceAll(pageLanguage, escape(tag))
}

const titleElement = /(?<=<title>)[^]*?(?=<\/title>)/

/** Removes the tags from a text, because browsers show tags literally in the title of a tab. */
const withoutTags = (html: string): string => html.replace(/<[^>]*>/g, '')

/** Matches a tag, an element that contains only text, or a word that browsers break at its hyphen. */
const breakable = /<(title|option|textarea)\b[^]*?<\/\1>|<[^>]*>|\be-mails?\b/gi

/** Keeps `e-mail` on one line, because browsers break a line at a hyphen and CSS cannot prevent this. */
function keepWordsWhole(page: string): string {
  if (!/e-mail/i.test(page)) return page
  return page.replace(breakable, (found) => (found.startsWith('<') ? found : `<span class="whole">${found}</span>`))
}

/** Returns the options of a country selection, sorted by name. */
function countryOptions(selected: string, codes: readonly string[], language: Language): string {
  return codes
    .map((code) => [code, language.countries([code])] as const)
    .sort(([, a], [, b]) => a.localeCompare(b))
    .map(([code, name]) => `<option value="${code}"${code === selected ? ' selected' : ''}>${escape(name)}</option>`)
    .join('')
}

/** Returns the footer: support if there is any, terms, privacy and the API reference. */
function footer(
  { supportEmail }: ResolvedBrand,
  language: Language,
  prefix: string,
  inItsLanguage: (key: string, text: string) => string,
): string {
  const links: (readonly [string, Extract<TextKey<typeof layoutMessages>, `layout.${string}`>])[] = []
  if (supportEmail !== undefined) links.push([`mailto:${supportEmail}`, 'layout.support'])
  links.push([`${prefix}/terms`, 'layout.terms'])
  links.push([`${prefix}/privacy`, 'layout.privacy'])
  links.push([`${prefix}/docs`, 'layout.docs'])
  return `<footer>${links
    .map(([url, key]) => {
      const text = inItsLanguage(key, escape(language.text(layoutMessages, key)))
      return `<a href="${escape(url)}">${text}</a>`
    })
    .join(' ')}</footer>`
}

import type { ResolvedBrand } from './brand.ts'
import { escape } from './escape.ts'
import type { Language, MessageKey, PickLanguage } from './messages.ts'

/** What the layout of a page gets only when the page is sent: the language of the request, and the brand. */
export interface Layout {
  readonly brand: ResolvedBrand
  readonly pick: PickLanguage
  /** The tags of all languages. */
  readonly tags: readonly string[]
  /** The path of the public address, which every link starts with. */
  readonly prefix: string
}

/** The mark of Tributary, two streams that join. */
const defaultLogo =
  '<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2.6" ' +
  'stroke-linecap="round"><path d="M5 3c0 7 7 6 7 12v6" /><path d="M19 3c0 5-4 6-6 9" /></svg>'

/** A part of the layout that is no text of the catalogue. */
export type LayoutPart = 'language' | 'brand' | 'logo' | 'footer'

/**
 * Replaces the marks that `message` and `layoutPart` left in a page, and returns it with its headers. A mark is a name between two
 * NUL characters, which no value of a page contains, since `html` removes them.
 */
export function finishPage(
  page: string,
  acceptLanguage: string | undefined,
  { brand, pick, tags, prefix }: Layout,
): { readonly body: string; readonly headers: readonly (readonly [string, string])[] } {
  const language = pick(acceptLanguage)
  const parts: Readonly<Record<LayoutPart, () => string>> = {
    language: () => escape(language.tag),
    brand: () => escape(brand.name),
    logo: () =>
      brand.logoUrl === undefined ? defaultLogo : `<img src="${escape(brand.logoUrl)}" alt="" height="22" />`,
    footer: () => footer(brand, language, prefix),
  }
  // oxlint-disable-next-line no-control-regex -- the mark
  const body = page.replace(/\0([a-zA-Z.]+)\0/g, (_, name: LayoutPart | MessageKey) =>
    Object.hasOwn(parts, name) ? parts[name as LayoutPart]() : escape(language.text(name as MessageKey)),
  )
  const headers: [string, string][] = [['content-language', language.tag]]
  if (tags.length > 1) headers.push(['vary', 'accept-language'])
  return { body, headers }
}

/** Returns the footer: support, and privacy where there is a text. Empty without either. */
function footer({ supportEmail, privacyText }: ResolvedBrand, language: Language, prefix: string): string {
  const links: (readonly [string, MessageKey])[] = []
  if (supportEmail !== undefined) links.push([`mailto:${supportEmail}`, 'layout.support'])
  if (privacyText !== undefined)
    links.push([`${prefix}/terms`, 'layout.terms'], [`${prefix}/privacy`, 'layout.privacy'])
  if (links.length === 0) return ''
  return `<footer>${links.map(([url, key]) => `<a href="${escape(url)}">${escape(language.text(key))}</a>`).join(' ')}</footer>`
}

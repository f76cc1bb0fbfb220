import { englishMessages, type Messages } from './index.ts'

const accented: Readonly<Record<string, string>> = { a: 'á', e: 'é', i: 'í', o: 'ó', u: 'ú' }

/**
 * The English texts with accented vowels, each text between brackets. A text on a page without these marks is not in
 * the catalog.
 */
export const pseudoMessages: Messages = Object.fromEntries(
  Object.entries(englishMessages).map(([key, text]) => [
    key,
    `⟦${text.replace(/\{\w+\}|[aeiou]/gi, (part) => accented[part.toLowerCase()] ?? part)}⟧`,
  ]),
)

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

/** Returns the words of a pseudo-locale page that a person sees or hears and that are not from the catalog. */
export function findUntranslatedWords(html: string, data: readonly (string | RegExp)[] = []): string[] {
  let page = html
  for (const one of data) page = page.replaceAll(typeof one === 'string' ? one : new RegExp(one, 'g'), ' ')
  const spoken = [...page.matchAll(/ (?:aria-label|title|placeholder|alt|data-label)="([^"]*)"/g)].map(
    ([, text]) => text,
  )
  const shown = page.replace(/<(style|script|code|pre|bdi|time|mark)\b[^>]*>[^]*?<\/\1>/g, ' ').replace(/<[^>]*>/g, ' ')
  let text = [shown, ...spoken].join('\n').replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity]!)
  const plain = text.match(/[a-z]*[aeiou][a-z]*/gi) ?? []
  while (/⟦[^⟦⟧]*⟧/.test(text)) text = text.replace(/⟦[^⟦⟧]*⟧/g, ' ')
  return [...plain, ...(text.match(/\p{L}+/gu) ?? [])]
}

import type { Messages } from '../messages/index.ts'
import { lazy, type Lazy } from '../lazy.ts'
import type { Languages } from './messages.ts'

/**
 * Creates the languages of a service: English, and the languages that the app provides by tag. The texts load with the
 * first page or mail. Throws for a tag that is not a language tag.
 */
export function loadLanguages(given: Readonly<Record<string, Messages>>, brandName: string): Lazy<Languages> {
  const wrong = Object.keys(given).find((tag) => !/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/.test(tag))
  if (wrong !== undefined) throw new Error(`messages: ${wrong} is not a language tag`)
  const check = lazy(async () => {
    if (Object.keys(given).length > 0) (await import('../messages/index.ts')).checkTranslations(given)
  })
  return lazy(async () => {
    const { createLanguages } = await import('./messages.ts')
    return { ...createLanguages(given, { brand: brandName }), check }
  })
}

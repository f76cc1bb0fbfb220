/**
 * The texts of the layout, the navigation and the mails, in English. `{name}` stands for a value. An app overrides or translates them
 * by the option `messages`; texts that are not here yet stand in the pages themselves.
 */
export const englishMessages = {
  'layout.skip': 'Skip to the content',
  'layout.account': 'Account',
  'layout.support': 'Support',
  'layout.terms': 'Terms',
  'layout.privacy': 'Privacy',
  'nav.traces': 'Traces',
  'nav.uploads': 'Uploads',
  'nav.earnings': 'Earnings',
  'nav.account': 'Account',
  'nav.signIn': 'Sign in',
  'nav.signOut': 'Sign out',
  'privacy.title': 'Privacy',
  'mail.code.subject': '{code} is your {brand} sign-in code',
  'mail.code.text':
    'Your sign-in code is {code}\n\n' +
    'Enter it in the browser or program where you requested it. It works once, only there, and expires in 10 minutes.\n' +
    "{brand} will never ask you for this code. If you didn't try to sign in, you can ignore this e-mail.\n",
  'mail.support': 'Questions? Write to {email}.\n',
} as const

export type MessageKey = keyof typeof englishMessages

/** The texts of one language. A text that is left out is shown in English. */
export type Messages = Readonly<Partial<Record<MessageKey, string>>>

type Params = Readonly<Record<string, string>>

/** One language of a service, chosen for a request. */
export interface Language {
  /** The BCP 47 tag: `en`, `de`, `pt-BR`. */
  readonly tag: string
  /** Returns a text with its values filled in. */
  text(key: MessageKey, params?: Params): string
}

/** The languages of a service. */
export interface Languages {
  readonly pick: PickLanguage
  readonly tags: readonly string[]
}

/** Chooses the language of a request by its `accept-language` header. */
export type PickLanguage = (acceptLanguage: string | undefined) => Language

/**
 * Makes the languages of a service: English, and those that the app gives, by tag. Throws on a tag or key that does not exist, so
 * that a misspelt one is not left untranslated.
 */
export function createLanguages(given: Readonly<Record<string, Messages>>, values: Params): Languages {
  const languages = new Map<string, Language>()
  const all: Readonly<Record<string, Messages>> = { en: {}, ...given }
  for (const [tag, texts] of Object.entries(all)) {
    if (!/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/.test(tag)) throw new Error(`messages: ${tag} is not a language tag`)
    const unknown = Object.keys(texts).find((key) => !Object.hasOwn(englishMessages, key))
    if (unknown !== undefined) throw new Error(`messages.${tag}: there is no message ${unknown}`)
    languages.set(tag.toLowerCase(), {
      tag,
      text: (key, params = {}) =>
        (texts[key] ?? englishMessages[key]).replace(
          /\{(\w+)\}/g,
          (mark, name: string) => params[name] ?? values[name] ?? mark,
        ),
    })
  }
  const english = languages.get('en')!
  return {
    tags: [...languages.values()].map(({ tag }) => tag),
    pick(acceptLanguage) {
      if (languages.size === 1) return english
      for (const wanted of acceptedTags(acceptLanguage ?? '')) {
        const found = languages.get(wanted) ?? languages.get(wanted.split('-', 1)[0]!)
        if (found) return found
      }
      return english
    },
  }
}

/** Returns the tags of an `accept-language` header in lower case, the most wanted first (RFC 9110, section 12.5.4). */
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

import { html, type Html, messagesOf } from '../../ui/html.ts'
import { traceMessages } from '../../messages/traces.ts'
import { traceState } from '../rules.ts'
import type { SaleState } from '../store.ts'

const message = messagesOf(traceMessages)

/** Returns the state of a trace as a tag. */
export function stateTag(trace: SaleState & { readonly withdrawnAt: number | null }): Html {
  if (trace.withdrawnAt !== null) return html`<span class="tag bad">${message('trace.withdrawn')}</span>`
  const state = traceState(trace)
  const text =
    state === 'sold' && trace.saleCount > 1
      ? message('traces.soldTimes', { count: trace.saleCount })
      : message(`traces.${state}`)
  const kind = { for_sale: '', excluded: ' quiet', sold: ' good' }[state]
  return html`<span class="tag${kind}">${text}</span>`
}

type CategoryKey = Extract<keyof typeof traceMessages, `category.${string}`>

/**
 * Returns the name of a category of redactions. A category of the embedding app keeps its name, with spaces for
 * underscores.
 */
export function categoryName(category: string): Html | string {
  const key = `category.${category}`
  return Object.hasOwn(traceMessages, key) ? message(key as CategoryKey) : category.replaceAll('_', ' ')
}

/** Returns the name of a category for operators. */
export const operatorCategoryName = (category: string): Html | string =>
  category === 'identity' ? message('redactions.contributorsDetails') : categoryName(category)

/** The categories of placeholder words. Every other word means an access token. */
const categoriesByWord: Readonly<Record<string, string>> = {
  ACCOUNT: 'account_name',
  ACCOUNT_ID: 'account_name',
  ADDRESS: 'street_address',
  BLOCKED: 'blocked_term',
  CARD: 'card',
  CODE: 'secret',
  COOKIE: 'secret',
  EMAIL: 'email',
  CLOUD_ID: 'cloud_account',
  HOST: 'host_name',
  IP_ADDRESS: 'ip_address',
  LICENSE_KEY: 'secret',
  ORG: 'organization',
  PASSWORD: 'password',
  PASSWORD_HASH: 'password',
  PERSON: 'person',
  PHONE: 'phone',
  PRIVATE_KEY: 'private_key',
  RECOVERY_KEY: 'secret',
  SECRET: 'secret',
  SEED_PHRASE: 'secret',
  USER: 'user_name',
  VAULT: 'password',
  WEBHOOK: 'webhook',
}
const tokenWord = /(?:^|_)(?:TOKEN|KEY|SECRET|SIGNATURE|JWT|CREDENTIALS?|PASSWORD|CODE|URL|SESSION)$/

/**
 * Returns the category of the word in a placeholder, `EMAIL` in `[EMAIL_1]`. The category of an unknown word is the
 * word in lower case.
 */
export function placeholderCategory(word: string): string {
  const known = Object.hasOwn(categoriesByWord, word) ? categoriesByWord[word] : undefined
  return known ?? (tokenWord.test(word) ? 'token' : word.toLowerCase())
}

/** The action that the person just completed, and its result. */
export interface CompletedAction {
  readonly action: 'exclude' | 'include' | 'delete'
  readonly count: number
  readonly skipped: number
}

/** Returns a description of the completed action, as one or two sentences. */
export function doneText({ action, count, skipped }: CompletedAction): Html {
  const key = { exclude: 'traces.doneExclude', include: 'traces.doneInclude', delete: 'traces.doneDelete' } as const
  return html`${message(key[action], { count })}${skipped > 0 ? html` ${message('traces.skipped', { count: skipped })}` : null}`
}

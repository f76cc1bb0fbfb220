import { counted } from '../../http/format.ts'
import { html, type Html } from '../../http/html.ts'
import { traceState } from '../rules.ts'
import type { SaleState, TraceState } from '../store.ts'

/** The names of the states of a trace. */
export const stateNames: Readonly<Record<TraceState, string>> = {
  for_sale: 'For sale',
  excluded: 'Excluded',
  sold: 'Sold',
}

/** Returns the state of a trace as a tag. */
export function stateTag(trace: SaleState): Html {
  const state = traceState(trace)
  const text = state === 'sold' && trace.saleCount > 1 ? `Sold ${trace.saleCount} times` : stateNames[state]
  const kind = { for_sale: '', excluded: ' quiet', sold: ' good' }[state]
  return html`<span class="tag${kind}">${text}</span>`
}

const categoryNames: Readonly<Record<string, string>> = {
  blocked_term: 'blocked term',
  card: 'card number',
  email: 'e-mail address',
  identity: 'name or account of a person',
  ip_address: 'IP address',
  phone: 'phone number',
  private_key: 'private key',
  token: 'access token',
}

/** Returns the name of a category of redactions. A category of the embedding app is named by its own word. */
export function categoryName(category: string): string {
  return Object.hasOwn(categoryNames, category) ? categoryNames[category]! : category.replaceAll('_', ' ')
}

/** The categories of placeholder words; every other word stands for an access token. */
const categoriesByWord: Readonly<Record<string, string>> = {
  ADDRESS: 'address',
  BLOCKED: 'blocked_term',
  CARD: 'card',
  CODE: 'secret',
  COOKIE: 'secret',
  EMAIL: 'email',
  HOST: 'identity',
  IP_ADDRESS: 'ip_address',
  LICENSE_KEY: 'secret',
  ORG: 'identity',
  PASSWORD: 'password',
  PASSWORD_HASH: 'password',
  PERSON: 'identity',
  PHONE: 'phone',
  PRIVATE_KEY: 'private_key',
  RECOVERY_KEY: 'secret',
  SECRET: 'secret',
  SEED_PHRASE: 'secret',
  USER: 'identity',
  VAULT: 'password',
  WEBHOOK: 'webhook',
}
const tokenWord = /(?:^|_)(?:TOKEN|KEY|SECRET|SIGNATURE|JWT|CREDENTIALS?|PASSWORD|CODE|URL|SESSION)$/

/** Returns the category of the word in a placeholder, `EMAIL` in `[EMAIL_1]`, in words. */
export function placeholderName(word: string): string {
  if (Object.hasOwn(categoriesByWord, word)) return categoryName(categoriesByWord[word]!)
  return tokenWord.test(word) ? categoryName('token') : word.toLowerCase().replaceAll('_', ' ')
}

/** What was done last, as the address of a page says it. */
export interface Done {
  readonly action: 'exclude' | 'include' | 'delete'
  readonly count: number
  readonly skipped: number
}

/** Returns what was done, as one or two sentences. */
export function doneText({ action, count, skipped }: Done): string {
  const verb = { exclude: 'excluded from sale', include: 'included for sale', delete: 'deleted' }[action]
  const rest = skipped > 0 ? ` ${counted(skipped, 'trace')} not changed: sold, or no longer there.` : ''
  return `${counted(count, 'trace')} ${verb}.${rest}`
}

/** Returns the last eight characters of an id. They are random, while the first ones tell the time of the upload. */
export function shortId(id: string): string {
  return id.slice(-8)
}

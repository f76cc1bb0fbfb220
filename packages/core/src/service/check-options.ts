import { defaultRates } from '../http/rate-limit.ts'
import { checkOptionNames } from '../option-names.ts'

/** The part of the options of a service that no rule of its own checks. */
export interface CheckedOptions {
  readonly baseUrl: string
  readonly stores: { readonly ready?: unknown }
  readonly signInUrl?: string
  readonly origins?: readonly string[]
  readonly termsVersion?: string
  readonly webhooks?: { readonly fetch?: unknown }
  readonly contactEmail?: string
  readonly approval?: string
  readonly allowedCountries?: readonly string[]
  readonly trustedProxies?: number
  readonly rates?: 'off' | object
  readonly capabilities?: object
}

/** The methods without which a port cannot be used, for ports that an app may write itself. */
const methods: Readonly<Record<string, readonly string[]>> = {
  blobs: ['put', 'get', 'delete', 'stale'],
  limiter: ['consume'],
  logger: ['info', 'warn', 'error'],
  mailer: ['send'],
  queue: ['send'],
  intake: ['receive'],
  downloads: ['read'],
  scrubber: ['scrub'],
  verifier: ['verify'],
  telemetrySink: ['take'],
}
const functions = ['clock', 'random', 'digest', 'country', 'identity', 'onEvent', 'yieldToEventLoop']

const isHttpUrl = (value: string): boolean => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)

/** Throws on an option that cannot work, and names it. Those that have rules of their own are checked by these. */
export function checkOptions(options: CheckedOptions): void {
  const ports = options as unknown as Readonly<Record<string, unknown>>
  const { baseUrl, contactEmail, approval, allowedCountries = [], trustedProxies = 0, rates = {} } = options
  const refuse = (name: string, expected: string, value: unknown): never => {
    throw new Error(`${name} must be ${expected}, not ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  }
  if (!isHttpUrl(baseUrl)) refuse('baseUrl', 'an address with http or https, such as https://api.example.com', baseUrl)
  if (/[?#]/.test(baseUrl)) refuse('baseUrl', 'an address without a query or fragment', baseUrl)
  const { signInUrl, origins = [], termsVersion, webhooks } = options
  if (signInUrl !== undefined && !isHttpUrl(signInUrl))
    refuse('signInUrl', 'an address with http or https, such as https://example.com/login', signInUrl)
  for (const origin of origins)
    if (!isHttpUrl(origin) || new URL(origin).origin !== origin)
      refuse('origins', 'such as https://app.example.com', origin)
  if (termsVersion === '') refuse('termsVersion', '1 to 50 characters', termsVersion)
  if (typeof options.stores?.ready !== 'function')
    refuse('stores', 'memoryStores(), libsqlStores(client) or stores of your own', options.stores)
  if (contactEmail !== undefined && !/^[^\s@<>]+@[^\s@<>]+$/.test(contactEmail))
    refuse('contactEmail', 'an e-mail address', contactEmail)
  if (approval !== undefined && approval !== 'manual' && approval !== 'automatic')
    refuse('approval', 'manual or automatic', approval)
  if (!(Number.isSafeInteger(trustedProxies) && trustedProxies >= 0))
    refuse('trustedProxies', 'a whole number, 0 or more', trustedProxies)
  for (const country of allowedCountries)
    if (!/^[A-Z]{2}$/.test(country)) refuse('allowedCountries', "ISO 3166 codes such as 'US'", country)
  if (rates !== 'off') checkOptionNames<object>(rates, defaultRates, 'rates.')
  checkOptionNames(options.capabilities, { ads: true, reports: true, telemetry: true, mcp: true }, 'capabilities.')
  for (const [name, isOn] of Object.entries(options.capabilities ?? {}))
    if (isOn !== undefined && typeof isOn !== 'boolean') refuse(`capabilities.${name}`, 'true or false', isOn)
  for (const [name, names] of Object.entries(methods)) {
    const port = ports[name] as Record<string, unknown> | undefined
    const missing = port && names.find((method) => typeof port[method] !== 'function')
    if (missing) throw new Error(`${name} needs a method ${missing}`)
  }
  for (const name of functions)
    if (ports[name] !== undefined && typeof ports[name] !== 'function') refuse(name, 'a function', ports[name])
  const send = webhooks?.fetch
  if (send !== undefined && typeof send !== 'function') refuse('webhooks.fetch', 'a function', send)
}

/** What a gateway may do to an event all the same; each was a bug of some adapter once. */
export interface Hostility {
  /** Header names in upper case. */
  readonly shouts?: boolean
  /** Every body in base64. */
  readonly packs?: boolean
  /** The length of the base64 text as `content-length`. */
  readonly miscounts?: boolean
  /** Cookies in both of their places. */
  readonly doubles?: boolean
  /** `null` and `{}` where a field may be left out. */
  readonly empties?: boolean
}

/** All of them. */
export const hostility: Hostility = { shouts: true, packs: true, miscounts: true, doubles: true, empties: true }

type Loose = Record<string, unknown>
type Maps = Record<string, Record<string, unknown> | null | undefined>

/** The event as a hostile gateway would have it. It means the same. */
export function hostileEvent(event: object, hostile: Hostility): object {
  const changed: Loose = { ...event }
  if (hostile.packs && typeof changed['body'] === 'string' && changed['isBase64Encoded'] === false) {
    changed['body'] = Buffer.from(changed['body'], 'utf8').toString('base64')
    changed['isBase64Encoded'] = true
  }
  const maps = changed as Maps
  for (const name of ['headers', 'multiValueHeaders']) {
    const map = maps[name]
    if (!map) continue
    const own = { ...map }
    if (hostile.miscounts && typeof changed['body'] === 'string') own['content-length'] = like(own['content-length'], String(changed['body'].length * 3))
    if (hostile.doubles && name === 'headers' && Array.isArray(changed['cookies'])) own['cookie'] = changed['cookies'].join('; ')
    maps[name] = hostile.shouts ? Object.fromEntries(Object.entries(own).map(([key, value]) => [key.toUpperCase(), value])) : own
  }
  if (hostile.empties) {
    for (const name of ['queryStringParameters', 'pathParameters', 'stageVariables']) changed[name] ??= null
    if ('rawPath' in changed) changed['cookies'] ??= []
    if (changed['body'] === null) changed['body'] = ''
  }
  return changed
}

const like = (before: unknown, value: string): unknown => (Array.isArray(before) ? [value] : value)

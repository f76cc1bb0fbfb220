/** The operator of tests. The token is clearly not a real token. */
export const operator = {
  token: 'operator-of-a-test',
  bearer: { authorization: 'Bearer operator-of-a-test' },
} as const

/** A campaign as the operator sends it. Its budget pays for 500 impressions at two cents each. */
export const paidCampaign = {
  name: 'Autumn',
  brandName: 'Acme',
  title: 'Acme DB',
  text: 'Acme DB: a database that answers',
  url: 'https://acme.example/db',
  topics: ['databases'],
  cpmUsd: 20,
  budgetUsd: 10,
}

/** The body of a successful reply of `GET /api/ad`. */
export interface ServedAd {
  readonly ad: {
    readonly text: string
    readonly clickUrl: string
    readonly shortUrl: string
    readonly impUrl: string
    readonly brandName: string
    readonly title: string
    readonly url: string
    readonly favicon: string
  } | null
  readonly nonce: string | null
  readonly serveId: string
  readonly ttlMs: number
  readonly matchType: string | null
  readonly feedback: { readonly token: string; readonly expiresAt: string } | null
}

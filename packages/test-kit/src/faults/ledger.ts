import type { Signed } from '../fixtures/service.ts'

/** A trace as its contributor knows it. */
export interface ExpectedTrace {
  readonly sourceId: string
  readonly content: string
  /** The content that must be stored, if it differs from the sent content. */
  kept?: string
  /** Whether the trace must exist, or must be deleted with its hash still known. */
  state: 'stored' | 'deleted'
  /** The number of sales that contain the trace. */
  sales: number
  /** The trace's id. Null until the contributor has learned it. */
  id: string | null
}

export interface ExpectedPerson {
  readonly signed: Signed
  readonly traces: ExpectedTrace[]
  /** The jobs for which the client got a 202. */
  readonly jobs: string[]
  /** The failed jobs of `jobs` for which the person deleted the upload. */
  readonly failedJobs: string[]
  erased: boolean
  /** Devices that the person claimed. */
  readonly devices: string[]
  /** The number of counted impressions and clicks. */
  counted: number
  clicked: number
  /** The entries of the ledger of earnings, each as its kind and micro-dollars: `sale 10000000`. */
  readonly entries: string[]
  /** Subjects of the mails that the person must get exactly once. */
  readonly mails: string[]
  /** A correction that an operator recorded for the person with an idempotency key, or null. */
  correction: { readonly key: string; readonly json: object } | null
}

/** A buyer who can sign in. */
export interface ExpectedBuyer {
  readonly name: string
  readonly email: string
}

/**
 * Attempts to create something without an idempotency key. Each attempt may have created an entry, and each
 * acknowledged entry must exist.
 */
export interface Attempts {
  acknowledged: number
  sent: number
}

/**
 * The replies that a client got, and the state that must follow from these replies. A flow writes the ledger, and
 * `invariants.ts` compares it with the stores.
 */
export interface Ledger {
  readonly people: ExpectedPerson[]
  /** Sales by buyer. Each buyer must have bought exactly once. */
  readonly sales: { readonly buyer: string; readonly traces: readonly ExpectedTrace[] }[]
  /** Buyers who must delete traces. Each is notified by one mail. */
  readonly removals: { readonly buyer: ExpectedBuyer; readonly traces: number }[]
  /** Campaigns by name. Each must exist exactly once. */
  readonly campaigns: {
    readonly name: string
    counted: number
    clicked: number
    /** The micro-dollars that operators added or subtracted. */
    corrected?: number
    /** The path of the sponsor's page. */
    sponsorPath?: string
    /** The lines of closed months that the sponsor read in the flow. */
    closedMonths?: readonly string[]
  }[]
  /** Reports by title. Each must exist exactly once, with the receipt of its sender. */
  readonly reports: { readonly title: string; readonly receiptId: string }[]
  /** Credentials that a client received, and their owner. */
  readonly credentials: { readonly headers: Readonly<Record<string, string>>; readonly email: string }[]
  /** Headers of credentials that were revoked. */
  readonly revoked: Readonly<Record<string, string>>[]
  /** Device logins that were started. */
  deviceLogins: number
  readonly feedback: Attempts
  readonly telemetry: Attempts
  /** Impressions that must be reported to the ad network. */
  networkImpressions: number
  /**
   * Bodies that a client read completely, each with its request. The same request without a fault must return the same
   * body.
   */
  readonly reads: { readonly got: string; readonly path: string; readonly headers: Readonly<Record<string, string>> }[]
}

export const createLedger = (): Ledger => ({
  people: [],
  sales: [],
  removals: [],
  campaigns: [],
  reports: [],
  credentials: [],
  revoked: [],
  deviceLogins: 0,
  feedback: { acknowledged: 0, sent: 0 },
  telemetry: { acknowledged: 0, sent: 0 },
  networkImpressions: 0,
  reads: [],
})

/** Adds a person to the ledger, with no expected data yet. */
export function expectPerson(ledger: Ledger, signed: Signed): ExpectedPerson {
  const person: ExpectedPerson = {
    signed,
    traces: [],
    jobs: [],
    failedJobs: [],
    erased: false,
    devices: [],
    counted: 0,
    clicked: 0,
    entries: [],
    mails: [],
    correction: null,
  }
  ledger.people.push(person)
  return person
}

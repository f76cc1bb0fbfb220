import type { Signed } from '../fixtures/service.ts'
import type { SeededRandom } from './random.ts'

/** Syllables of these letters form words that do not look like a word of a language, a name or a secret. */
const [consonants, vowels] = ['bdfgklmnprstv', 'aeiou'] // cspell:disable-line

/** A text that was sent. Its marker occurs in no other text. */
export interface SentText {
  readonly marker: string
  /** The words of the text. Texts with the same body are copies of each other. */
  readonly body: string
  /** The time at which the text was first sent. */
  readonly sentAt: number
}

/** The kinds of operations that a client may request, each with the kind that reverses it. */
const opposites = {
  exclude: 'include',
  include: 'exclude',
  pause: 'resume',
  resume: 'pause',
  pauseOwn: 'resumeOwn',
  resumeOwn: 'pauseOwn',
  delete: null,
  withdraw: null,
  approve: null,
  erase: null,
  allowAttribution: 'denyAttribution',
  denyAttribution: 'allowAttribution',
} as const
export type OperationKind = keyof typeof opposites

/** An operation that a client requested. Times are steps of the scheduler. */
export interface Operation {
  readonly kind: OperationKind
  readonly start: number
  /** The time at which the reply arrived. Null as long as nobody knows whether the operation happened. */
  end: number | null
  isDone: boolean
  /**
   * Whether the reply to an attempt was lost. Then the operation may have happened, although a later reply says that it
   * did not happen.
   */
  mayBeDone: boolean
  /** Whether a client stopped waiting, so that an attempt may take effect after the end. */
  mayLinger: boolean
}

/** A trace, account or other item that operations change, with these operations. */
export interface Subject {
  readonly operations: Operation[]
}

/** A conversation of a contributor, by its source id. */
export interface ModelTrace extends Subject {
  readonly owner: Person
  readonly sourceId: string
  /** A word that is in all texts of the trace and in no other text. */
  readonly secret: string
  /** The texts that were sent for the trace, oldest first. */
  readonly texts: SentText[]
  /** The trace's id. Null until a reply contained it. */
  id: string | null
  /** The time at which a reply first said that the trace is stored. */
  storedAt: number | null
}

export interface ModelJob {
  readonly id: string
  readonly sourceIds: readonly string[]
  /** The time at which a reply first said that the job is done. */
  doneAt: number | null
}

/** A person with an account. */
export interface Person extends Subject {
  readonly name: string
  readonly signed: Signed
  readonly traces: Map<string, ModelTrace>
  readonly jobs: ModelJob[]
  /** The blocked terms that a reply acknowledged. Null if the current terms are unknown. */
  terms: { readonly list: readonly string[]; readonly since: number } | null
  /** A second machine of the person, which has a token. */
  machine: { readonly id: string; readonly token: string } | null
  /** The times at which accepted uploads were sent, in milliseconds since 1970. */
  readonly uploads: number[]
  /**
   * Whether nobody knows when a code was requested for the address. The code may then still be stored after the account
   * is erased.
   */
  mayWaitForCode: boolean
  readonly devices: Set<string>
  /** Impression URLs that were requested. */
  readonly impressions: Set<string>
  clicks: number
  /** The time at which the oldest possibly running request for an ad was sent. Null if no request is running. */
  adsSince: number | null
}

/** A webhook that a reply acknowledged. */
export interface ModelWebhook {
  readonly id: string
  /** The time from which the webhook receives every event. */
  readonly since: number
  /** The secrets, oldest first. Null if the current secrets are unknown. */
  secrets: readonly string[] | null
  /** The time until which messages are also signed with the previous secret, in milliseconds since 1970. */
  previousUntil: number
}

/** A sale that was requested. `soldIds` is null if the reply does not list them. */
export interface ModelSale {
  readonly id: string
  readonly buyer: string
  readonly micros: number
  readonly start: number
  readonly end: number
  readonly soldIds: readonly string[] | null
}

/** A payout or correction that was requested, by its reference. */
export interface ModelEntry {
  readonly person: Person
  readonly kind: 'payout' | 'correction'
  readonly micros: number
  readonly reference: string
  /** Whether a reply said that the entry is recorded. */
  readonly isDone: boolean
}

/** An acknowledged change by an operator, with the names under which the audit log records it. */
export interface AuditedChange {
  readonly action: string
  readonly target: string
}

export interface ModelReport {
  readonly title: string
  readonly receiptId: string | null
  readonly feedbackId: string | null
  /** Markers of evidence that a reply acknowledged. */
  readonly evidence: string[]
}

/**
 * The state that the simulation expects: the acknowledged operations, the operations that may have happened, and the
 * data that each reader may see. The model has no other logic.
 */
export class Model {
  readonly people: Person[] = []
  readonly sales: ModelSale[] = []
  readonly entries: ModelEntry[] = []
  readonly reports: ModelReport[] = []
  /** Tokens of buyers by their name. */
  readonly buyers = new Map<string, string>()
  /** Names of campaigns that a reply acknowledged. */
  readonly campaigns: { readonly id: string; readonly name: string }[] = []
  /** Webhooks by their URL. */
  readonly webhooks = new Map<string, ModelWebhook>()
  /** Changes that the audit log must contain. */
  readonly changes: AuditedChange[] = []
  /** The sender of each request, by the request's id. */
  readonly senders = new Map<string, string>()
  /** The traces by the marker in their text. */
  readonly markers = new Map<string, ModelTrace>()
  readonly #tracesById = new Map<string, ModelTrace>()
  readonly #bodies: string[] = []
  readonly #random: SeededRandom

  constructor(random: SeededRandom) {
    this.#random = random
  }

  addPerson(name: string, signed: Signed): Person {
    const person: Person = {
      name,
      signed,
      operations: [{ kind: 'denyAttribution', start: -2, end: -1, isDone: true, mayBeDone: false, mayLinger: false }],
      traces: new Map(),
      jobs: [],
      terms: { list: [], since: 0 },
      machine: null,
      uploads: [],
      mayWaitForCode: false,
      devices: new Set(),
      impressions: new Set(),
      clicks: 0,
      adsSince: null,
    }
    this.people.push(person)
    return person
  }

  /** Returns the conversation with this name. Adds the conversation if it is new. */
  traceOf(owner: Person, sourceId: string): ModelTrace {
    const known = owner.traces.get(sourceId)
    if (known) return known
    const secret = `zt${this.#makeWord(5)}`
    const trace: ModelTrace = { owner, sourceId, secret, texts: [], operations: [], id: null, storedAt: null }
    owner.traces.set(sourceId, trace)
    return trace
  }

  /** Returns the trace with this id, if a reply contained the id. */
  findTrace(id: string): ModelTrace | undefined {
    return this.#tracesById.get(id)
  }

  /** Returns every trace with an id that a reply contained. */
  knownTraces(): readonly ModelTrace[] {
    return [...this.#tracesById.values()]
  }

  /** Records that a trace is stored under an id. Returns a message if the trace is known under another id. */
  learnId(trace: ModelTrace, id: string, time: number): string | null {
    trace.storedAt ??= time
    this.#tracesById.set(id, trace)
    if (trace.id !== null && trace.id !== id) return `${trace.sourceId} has the ids ${trace.id} and ${id}`
    trace.id = id
    return null
  }

  /** Makes a text for a trace. With `isCopied` the text has the words of an earlier text of any person. */
  makeText(trace: ModelTrace, { isCopied, time }: { isCopied: boolean; time: number }): SentText {
    const body = isCopied && this.#bodies.length > 0 ? this.#random.pick(this.#bodies) : this.#makeWords(60)
    if (!this.#bodies.includes(body)) this.#bodies.push(body)
    const text = { marker: `zq${this.#makeWord(5)}`, body, sentAt: time }
    trace.texts.push(text)
    this.markers.set(text.marker, trace)
    return text
  }

  /** Returns words that occur in no other text. */
  makeTitle(): string {
    return this.#makeWords(8)
  }

  #makeWords(count: number): string {
    return Array.from({ length: count }, () => this.#makeWord(3)).join(' ')
  }

  #makeWord(syllables: number): string {
    const syllable = (): string => this.#random.pick([...consonants]) + this.#random.pick([...vowels])
    return Array.from({ length: syllables }, syllable).join('')
  }
}

/** Returns whether an operation of this kind was requested, whether or not it took effect. */
export const wasRequested = ({ operations }: Subject, kind: OperationKind): boolean =>
  operations.some((one) => one.kind === kind)

/** Returns whether a reply said that an account is erased. */
export const isErased = ({ operations }: Person): boolean =>
  operations.some(({ kind, isDone }) => kind === 'erase' && isDone)

/**
 * Returns whether an operation of this kind had certainly happened before `from`, and was certainly not reversed until
 * `until`.
 */
export function isCertain({ operations }: Subject, kind: OperationKind, from: number, until: number): boolean {
  const mayUndo = (other: Operation, { start }: Operation): boolean =>
    other.kind === opposites[kind] &&
    other.start <= until &&
    (other.end === null || other.mayLinger || (other.end >= start && (other.isDone || other.mayBeDone)))
  return operations.some(
    (one) => one.kind === kind && one.isDone && one.end! < from && !operations.some((other) => mayUndo(other, one)),
  )
}

/**
 * Returns whether a trace is certainly a copy of an earlier trace of another person. A copy is never sold and earns
 * nothing.
 */
export function isCopy(model: Model, trace: ModelTrace): boolean {
  const [body, ...others] = new Set(trace.texts.map((text) => text.body))
  if (others.length > 0) return false
  return model
    .knownTraces()
    .some(
      (one) =>
        one.owner !== trace.owner &&
        !wasRequested(one, 'delete') &&
        !wasRequested(one.owner, 'erase') &&
        one.texts.every((text) => text.body === body) &&
        one.storedAt! < trace.texts[0]!.sentAt,
    )
}

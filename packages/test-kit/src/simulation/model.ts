import type { Signed } from '../fixtures/service.ts'
import type { SeededRandom } from './random.ts'

/** Syllables of these make words that look like none of a language, a name or a secret. */
const [consonants, vowels] = ['bdfgklmnprstv', 'aeiou'] // cspell:disable-line

/** A text that was sent: its marker occurs in no other one. */
export interface SentText {
  readonly marker: string
  /** What its words are a copy of: texts of one body are copies of each other. */
  readonly body: string
  /** When it was sent first. */
  readonly sentAt: number
}

/** What a client may ask for, with what undoes it. */
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

/** Something that a client asked for. Times are steps of the scheduler. */
export interface Operation {
  readonly kind: OperationKind
  readonly start: number
  /** When its reply came; null while nobody knows whether it happened. */
  end: number | null
  isDone: boolean
  /** Whether the reply to an attempt was lost: it may have happened although a later reply says that it did not. */
  mayBeDone: boolean
  /** Whether a client gave up waiting meanwhile, so that an attempt may take effect after the end. */
  mayLinger: boolean
}

/** What operations change. */
export interface Subject {
  readonly operations: Operation[]
}

/** A conversation of a contributor, by its source id. */
export interface ModelTrace extends Subject {
  readonly owner: Person
  readonly sourceId: string
  /** A word in each of its texts and in no other one. */
  readonly secret: string
  /** Each text that was sent for it, the newest last. */
  readonly texts: SentText[]
  /** Known once a reply told it. */
  id: string | null
  /** When a reply first said that it is stored. */
  storedAt: number | null
}

export interface ModelJob {
  readonly id: string
  readonly sourceIds: readonly string[]
  /** When a reply first said that it is done. */
  doneAt: number | null
}

/** A person with an account. */
export interface Person extends Subject {
  readonly name: string
  readonly signed: Signed
  readonly traces: Map<string, ModelTrace>
  readonly jobs: ModelJob[]
  /** Blocked terms that a reply acknowledged; null where nobody knows which there are. */
  terms: { readonly list: readonly string[]; readonly since: number } | null
  /** Another machine that holds a token. */
  machine: { readonly id: string; readonly token: string } | null
  /** When each upload was sent that was accepted, in milliseconds since 1970. */
  readonly uploads: number[]
  /** Whether nobody knows when a code was requested for the address: it may be kept after the account is gone. */
  mayWaitForCode: boolean
  readonly devices: Set<string>
  /** Impression addresses that were requested. */
  readonly impressions: Set<string>
  clicks: number
  /** When the first request for an ad was sent of which nobody knows whether it is over; null: all are. */
  adsSince: number | null
}

/** A webhook that a reply acknowledged. */
export interface ModelWebhook {
  readonly id: string
  /** The time from which on it gets every event. */
  readonly since: number
  /** Its secrets, the newest last; null once nobody knows which there are. */
  secrets: readonly string[] | null
  /** Until when messages are signed by the one before too, in milliseconds since 1970. */
  previousUntil: number
}

/** A sale that was requested; `soldIds` is null where its reply does not tell them. */
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
  /** Whether a reply said that it is recorded. */
  readonly isDone: boolean
}

/** What an operator did that was acknowledged, as the audit names it. */
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

/** What was acknowledged, what may have happened, and what every reader may see: plain data. */
export class Model {
  readonly people: Person[] = []
  readonly sales: ModelSale[] = []
  readonly entries: ModelEntry[] = []
  readonly reports: ModelReport[] = []
  /** Tokens of buyers by their name. */
  readonly buyers = new Map<string, string>()
  /** Names of campaigns that a reply acknowledged. */
  readonly campaigns: { readonly id: string; readonly name: string }[] = []
  /** Webhooks by their address. */
  readonly webhooks = new Map<string, ModelWebhook>()
  /** Changes that the audit must have. */
  readonly changes: AuditedChange[] = []
  /** Who sent each request, by its id. */
  readonly senders = new Map<string, string>()
  /** Whose text each marker is. */
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

  /** Returns the conversation of this name, which may be new. */
  traceOf(owner: Person, sourceId: string): ModelTrace {
    const known = owner.traces.get(sourceId)
    if (known) return known
    const secret = `zt${this.#makeWord(5)}`
    const trace: ModelTrace = { owner, sourceId, secret, texts: [], operations: [], id: null, storedAt: null }
    owner.traces.set(sourceId, trace)
    return trace
  }

  /** Returns the trace with this id, if a reply told it. */
  findTrace(id: string): ModelTrace | undefined {
    return this.#tracesById.get(id)
  }

  /** Returns every trace whose id a reply told. */
  knownTraces(): readonly ModelTrace[] {
    return [...this.#tracesById.values()]
  }

  /** Remembers that a trace is stored under an id. Returns what contradicts it. */
  learnId(trace: ModelTrace, id: string, time: number): string | null {
    trace.storedAt ??= time
    this.#tracesById.set(id, trace)
    if (trace.id !== null && trace.id !== id) return `${trace.sourceId} has the ids ${trace.id} and ${id}`
    trace.id = id
    return null
  }

  /** Makes a text for a trace. `isCopied`: with the words of an earlier one, of anybody. */
  makeText(trace: ModelTrace, { isCopied, time }: { isCopied: boolean; time: number }): SentText {
    const body = isCopied && this.#bodies.length > 0 ? this.#random.pick(this.#bodies) : this.#makeWords(60)
    if (!this.#bodies.includes(body)) this.#bodies.push(body)
    const text = { marker: `zq${this.#makeWord(5)}`, body, sentAt: time }
    trace.texts.push(text)
    this.markers.set(text.marker, trace)
    return text
  }

  /** Returns words that occur in nothing else. */
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
export const wasTried = ({ operations }: Subject, kind: OperationKind): boolean =>
  operations.some((one) => one.kind === kind)

/** Returns whether a reply said that an account is erased. */
export const isErased = ({ operations }: Person): boolean =>
  operations.some(({ kind, isDone }) => kind === 'erase' && isDone)

/**
 * Returns whether an operation of this kind had certainly happened at a time, and nothing may have undone it until
 * another.
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
 * Returns whether a trace is certainly a copy of an earlier one of somebody else: then it is never sold, and earns
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
        !wasTried(one, 'delete') &&
        !wasTried(one.owner, 'erase') &&
        one.texts.every((text) => text.body === body) &&
        one.storedAt! < trace.texts[0]!.sentAt,
    )
}

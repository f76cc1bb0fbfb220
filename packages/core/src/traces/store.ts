import type { NewEvent } from '../events/event.ts'
import type { RemovalNotice } from './buyers/store.ts'
import type { OutcomeStatus } from './detail-schemas.ts'
import type { KeptDetails } from './stored-json.ts'

/** The sale state of a trace, which its owner can change. It is `locked` when `saleCount` is above 0. */
export interface SaleState {
  readonly id: string
  /** Whether the owner excluded the trace, or it was withdrawn before it was sold. */
  readonly sellExcluded: boolean
  readonly saleCount: number
}

/** A trace without its messages. Every text of the trace was scrubbed. */
export interface TraceRecord {
  /** Lower-case UUID. */
  readonly id: string
  readonly source: string
  readonly sourceId: string
  readonly segmentIndex: number | null
  /** The scrubbed title of the messages (`titleOf`). Null for a trace that was stored before titles existed. */
  readonly title: string | null
  readonly model: string | null
  /** The time that the contributor sent, as ISO 8601 in UTC with milliseconds and `Z`. */
  readonly createdAt: string
  readonly parentTraceId: string | null
  /** The hash of the sent messages (`contentHash`), in 64 lower-case hexadecimal digits. */
  readonly contentHash: string
  readonly tokenCount: number
  /** The estimated value in US dollars. */
  readonly estimatedUsd: number
  readonly scrubVersion: string
  /** The owner's identity revision (`BlockedTerms`) with which the trace was scrubbed. */
  readonly identityRevision: number
  /** JSON text of an object that maps each category to its count. */
  readonly redactions: string
  /** The details as in `KeptDetails`, or `{}` for a trace without details. */
  readonly details: string
}

/**
 * The circumstances of an upload, stored with its traces. Null means not known, as in traces that are older than these
 * fields.
 */
export interface TraceOrigin {
  /** The version of the terms that the contributor had accepted. */
  readonly termsVersion: string | null
  /** The country of the upload, as two upper-case letters. */
  readonly country: string | null
}

export const unknownOrigin: TraceOrigin = { termsVersion: null, country: null }

/** A scrubbed trace that is to be stored. */
export interface NewTrace extends TraceRecord, KeptDetails {
  /** JSON text: the array `messages` of a downloaded trace, with the keys in the order of the interface. */
  readonly messages: string
  /** The JSON text of an object from each placeholder to its `ReplacementReason`. */
  readonly replacements: string
}

/** The name by which a conversation is recognized and by which its children refer to it. */
export interface ConversationName {
  /**
   * Keyed hashes of the conversation's owner, source and source id as sent (`conversationHashes`), the newest secret's
   * hash first.
   */
  readonly hashes: readonly string[]
  /**
   * The possible values of `sourceId` in a trace that was stored before conversations had keyed hashes. Empty if the
   * owner has no such trace.
   */
  readonly formerNames: readonly string[]
}

/** A conversation that has a piece or a child conversation in the store. */
export interface ExportedConversation {
  /** The keyed hash of the conversation's name. */
  readonly hash: string
  /** The segments that the owner deleted. A piece without a segment counts as segment 0. */
  readonly deletedSegments: readonly number[]
}

/** The title of a trace, with the fields that decide whether it may be shown as it was stored. */
export interface TitleOfTrace extends Pick<TraceRecord, 'id' | 'title' | 'scrubVersion' | 'identityRevision'> {
  /** The owner's current identity revision. */
  readonly ownerRevision: number
}

export interface ListedTrace extends TraceRecord, TitleOfTrace, SaleState {
  /** The time at which the trace was uploaded, or last updated by an upload, in milliseconds since 1970. */
  readonly storedAt: number
  /** The time at which an operator withdrew the trace, in milliseconds since 1970. */
  readonly withdrawnAt: number | null
}

/**
 * The state of a trace: sold, or else whether its owner excluded it from sale. A withdrawn trace that was never sold is
 * excluded.
 */
export const traceStates = ['for_sale', 'excluded', 'sold'] as const
export type TraceState = (typeof traceStates)[number]

/** The filter of an owner's traces. An absent field matches every trace. */
export interface TraceFilter {
  readonly state?: TraceState | undefined
  readonly source?: string | undefined
  /** The name of the agent and the status of the outcome in the trace's details. */
  readonly agent?: string | undefined
  readonly outcome?: OutcomeStatus | undefined
  /** The earliest and the latest `createdAt`, both included, in the format of `createdAt`. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** The sale in which the traces were sold. */
  readonly saleId?: string | undefined
  /** The words that the title must contain. All of them must occur, regardless of their case. */
  readonly words?: readonly string[] | undefined
}

/** The totals of an owner's traces. */
export interface TraceStats {
  readonly traces: number
  readonly forSale: number
  readonly excluded: number
  readonly sold: number
  readonly tokens: number
  /** The estimated value in US dollars. */
  readonly estimatedUsd: number
  /** The number of redactions of each category. */
  readonly redactions: Readonly<Record<string, number>>
}

/**
 * The reason why a trace that was scrubbed again is not shown: the current scrubber refuses it, its verifier finds
 * something, or its content is damaged.
 */
export type WithheldReason = 'refused' | 'verification_failed' | 'damaged'

/**
 * A trace with its messages as they were stored. The messages are null when they are missing, and a text that is not
 * JSON when they are damaged.
 */
export interface StoredTrace extends TraceRecord, KeptDetails, TraceOrigin {
  readonly messages: string | null
  /** The owner, whose identity and blocked terms are replaced in the trace. Null after an erasure. */
  readonly ownerId: string | null
  /** The owner's current identity revision. */
  readonly ownerRevision: number
  /** The reason why the scrubber of `scrubVersion` withholds the trace. Null for most traces. */
  readonly withheld: WithheldReason | null
  /** The time at which an operator withdrew the trace, in milliseconds since 1970. Null for most traces. */
  readonly withdrawnAt: number | null
  /** The replacements as in `NewTrace`, or `{}` for a trace that was stored before reasons were recorded. */
  readonly replacements: string
}

/** A trace with its messages and its sale state. */
export interface OwnTrace extends StoredTrace, ListedTrace {}

/** A sale that contained a trace. */
export interface SaleOfTrace {
  readonly saleId: string
  readonly buyer: string
  /** The id of the trace for this buyer. */
  readonly buyerTraceId: string
  /** Milliseconds since 1970. */
  readonly soldAt: number
}

/** A trace with all its stored data, for its contributor. */
export interface ExportedTrace extends OwnTrace {
  /** The sales of the trace, oldest first. */
  readonly sales: readonly SaleOfTrace[]
}

/** The name of a piece of an owner's conversation. A piece without a segment counts as segment 0. */
export type TraceName = Pick<TraceRecord, 'source' | 'sourceId' | 'segmentIndex'>

/** A page of a list. `cursor` is the `next` of the previous page, or null for the first page. */
export interface PageRequest {
  readonly cursor: number | null
  readonly limit: number
}

type OfOwner<Fields = unknown> = Readonly<{ ownerId: string } & Fields>
type OfIds<Fields = unknown> = OfOwner<{ ids: readonly string[] } & Fields>
type Page<Item> = Promise<{ items: Item[]; next: number | null }>
/**
 * Stores the traces of contributors. Ids are lower-case UUIDs. A method with `ownerId` sees only this owner's traces.
 * Results for a given list are in the order of this list. Each method is atomic unless it says otherwise.
 */
export interface TraceStore {
  findTrace(params: OfOwner<{ id: string }>): Promise<SaleState | null>

  /**
   * Excludes from sale, or includes again, each listed trace that was never sold. Returns these traces, including
   * traces that were already in that state. A withdrawn trace stays excluded. A trace that is sold at the same moment is
   * either excluded before the sale, or not changed.
   */
  setSellExcluded(params: OfIds<{ sellExcluded: boolean }>): Promise<SaleState[]>

  /**
   * Deletes each listed trace that was never sold, with its content. Also deletes its name in the outcomes that refer
   * to it: their source id becomes ''. Keeps its hash and the segment of its conversation, so that the trace is still
   * recognized. For a trace without a conversation, keeps the keyed hash of its name, which `formerNameHashes` contains
   * under the trace's id. A trace that is sold at the same moment is either deleted before the sale, or kept. Unknown
   * ids are in neither of the returned lists. A trace is deleted in one step; a long list may take several steps.
   */
  deleteUnsoldTraces(
    params: OfIds<{
      formerNameHashes?: Readonly<Record<string, string>> | undefined
      /** Makes the event for the traces that one step deletes. */
      makeEvent?: (() => NewEvent<'traces.deleted'>) | undefined
    }>,
  ): Promise<{ deleted: string[]; sold: string[] }>

  /** Returns the names of the traces that were never sold and whose conversation has no keyed hash yet. */
  listFormerNames(params: OfIds): Promise<(TraceName & { readonly id: string })[]>

  /**
   * Returns the hashes whose content the owner stored or deleted, each once. Text that is not 64 lower-case hexadecimal
   * digits is unknown.
   */
  findKnownHashes(params: OfOwner<{ hashes: readonly string[] }>): Promise<string[]>

  /**
   * Returns a page of the owner's traces that match the filter, the most recently stored trace first. A long list may
   * take several reads.
   */
  listTraces(params: OfOwner<PageRequest & { readonly filter?: TraceFilter | undefined }>): Page<ListedTrace>

  /** Counts the owner's traces that match the filter. Many traces may take several reads. */
  getTraceStats(params: OfOwner<{ filter?: TraceFilter | undefined }>): Promise<TraceStats>

  readTrace(params: OfOwner<{ id: string }>): Promise<OwnTrace | null>

  /**
   * Marks a placeholder of a trace (such as `EMAIL_1` for `[EMAIL_1]`) as reported, and counts the report by the
   * placeholder's rule on the day of `now`. Returns false, and changes nothing, when the placeholder was reported
   * before or the trace has no reason for it.
   */
  reportReplacement(params: OfOwner<{ id: string; placeholder: string; now: number }>): Promise<boolean>

  /** Returns the titles of the traces. */
  listTitles(params: OfIds): Promise<TitleOfTrace[]>

  /** Yields the owner's traces with all stored data, oldest first. Reads a few at a time. */
  exportTraces(params: OfOwner): AsyncIterable<ExportedTrace>
  /** Yields the content hashes of the traces that the owner deleted. Reads a few at a time. */
  exportDeletedHashes(params: OfOwner): AsyncIterable<string>
  /** Yields the keyed hashes by which the owner's conversations are recognized. Reads a few at a time. */
  exportConversations(params: OfOwner): AsyncIterable<ExportedConversation>
  /** Yields the keyed hashes that `formerNameHashes` kept. Reads a few at a time. */
  exportDeletedNames(params: OfOwner): AsyncIterable<string>

  /**
   * Erases a bounded number of the owner's traces, hashes and conversations. Returns whether there may be more. A trace
   * that was never sold is deleted. A sold trace loses its owner, its content with the hash, and all texts: title,
   * names (`sourceId` becomes the id), model and details. Each buyer who has it is notified (`RemovalNotice`).
   */
  eraseTraces(params: OfOwner<{ readonly notice: RemovalNotice }>): Promise<boolean>
}

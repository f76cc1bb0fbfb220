import { baseRuns, type Run } from './base64.ts'
import { decode, eachView, mayBeEncoded, type View } from './decode.ts'
import { load, PART, placesBeyond, type Part } from './character.ts'
import { addChanged, MOST_CHANGED, type Sketched } from './fold.ts'
import { merge, SECRET, withoutPublished, type IsPublished, type Pages } from './merge.ts'
import type { Meter, Steps } from './meter.ts'
import type { OwnedForm } from './known-forms.ts'
import { isInPlaceholder, isUpperName, startsPlaceholder } from './placeholder.ts'
import { isCode, isTestOutput } from './code.ts'
import { Findings, type Hit } from './findings.ts'
import { kindOf, type Detector, type Finding } from './rule.ts'
import type { Scanner } from './compile-rules.ts'
import { scan } from './scanner.ts'
import { unwrap, unwrapTokens, unprefixedViews, type JoinedView } from './views.ts'

/** The parts of a text to search. A keyword must end inside a part, but a rule may read beyond the part. */
export type Regions = readonly (readonly [from: number, to: number])[]

/** A text in its current state, with its findings. */
export interface FoundText {
  readonly content: Sketched
  readonly found: readonly Finding[] | undefined
}

/** A compiled table of rules, with the functions that its searches need. */
export interface Table {
  readonly scanner: Scanner
  /**
   * The index of each rule in the table, by the rule's id. Where two findings overlap, the merged finding gets the rule
   * with the lower index.
   */
  readonly ranks: ReadonlyMap<string, number>
  /** Returns whether a short text contains a keyword of a rule. */
  readonly isLabel: (text: string) => boolean
  /** Searches a run of base64 that does not encode text, such as one line of a private key. */
  readonly findInRun: (run: Omit<Hit, 'rule'>) => void
  /** Returns whether a finding identifies no person, such as a test card of a payment service. */
  readonly isPublished?: IsPublished | undefined
  /** Returns whether a finding is sample data in program code. */
  readonly isSampleData?: IsPublished | undefined
  /** Adds the names in records that contain another finding, such as a phone number. */
  readonly findInRecords?: ((text: string, found: Findings, meter: Meter) => Steps<void>) | undefined
  /** Returns the forms of the author's name and mail hosts. */
  readonly formsOfAuthor?:
    | ((identities: readonly Finding[], texts: readonly FoundText[], meter: Meter) => Steps<OwnedForm[]>)
    | undefined
  /** Returns the other spellings of host labels that the texts of a trace contain. */
  readonly spellings?:
    | ((forms: OwnedForm[], texts: readonly Sketched[], meter: Meter) => Steps<OwnedForm[]>)
    | undefined
}

/** The inputs that all searches in one call use. */
export interface Search {
  readonly table: Table
  readonly detectors: readonly Detector[] | undefined
  readonly meter: Meter
}

/** A text with its decoded parts. The search with rules and the search for known values use the same decoded parts. */
export interface DecodedText {
  readonly content: Sketched
  /** Undefined if the text is not decoded yet, or is too long to store its views. */
  readonly views: readonly View[] | undefined
  /** Parts of the text without the prefixes of its lines. Undefined if they are not computed yet. */
  readonly unprefixed?: readonly View[] | undefined
  /** Views that join a question in the previous text with this text as the answer. */
  readonly answers?: readonly View[]
  /** Views that join this text with the previous or next text, if a value may continue in the other text. */
  readonly joined?: readonly JoinedView[]
}

/** The result of searching a short text. Most texts are short, and most contain no findings. */
export interface QuickSearch {
  readonly found: Findings
  readonly runs: Run[]
}

const NOTHING: readonly Finding[] = []

/** Searches a whole text if it is short. Returns null for a long text. */
export function searchShort(sketched: Sketched, table: Table): QuickSearch | null {
  const { text } = sketched
  if (text.length > PART) return null
  const quick: QuickSearch = { found: new Findings(), runs: [] }
  const changed: number[] = []
  scanPart({ text, from: 0, to: text.length, changed }, quick.found, table)
  sketched.changed = changed
  baseRuns({ text, from: 0, to: text.length }, 0, quick.runs)
  return quick
}

/** The findings in one text. */
export interface Detected {
  /** All findings to replace, in order. Overlapping findings are merged. */
  readonly findings: readonly Finding[]
  /** The findings whose values may occur in other forms, including findings that were merged. */
  readonly identities: readonly Finding[]
  /** Runs of base64 with their decoded text, for the search for known forms. */
  readonly runs: readonly Run[]
  /** The views of the text, if the text is short enough to store them. */
  readonly views: readonly View[] | undefined
}

/**
 * Finds all values to replace in one text: in the text itself, in its decoded parts and inside base64.
 * @param before the findings of asynchronous detectors in the same text.
 */
export function* detect(
  { content, views, unprefixed, answers = [], joined = [] }: DecodedText,
  regions: Regions,
  quick: QuickSearch | null,
  search: Search,
  before: readonly Finding[] = NOTHING,
): Steps<Detected> {
  const { text } = content
  const scanned = quick?.found ?? new Findings()
  const runs = quick?.runs ?? []
  const decodedRuns: Run[] = []
  if (!quick) for (const region of regions) yield* readAll(content, region, { found: scanned, runs }, search)
  const kept = yield* eachView(text, views, search.meter, (view) => scanView(view, scanned, search))
  for (const view of unprefixed ?? unprefixedViews(text, scanned.marks)) yield* scanView(view, scanned, search)
  for (const view of answers) yield* scanView(view, scanned, search)
  for (const view of joined) yield* scanJoined(view, scanned, search)
  for (const view of unwrapTokens(text, scanned.marks)) yield* scanJoined(view, scanned, search)
  yield* scanRuns(text, { found: scanned, runs }, search, decodedRuns)
  // Each of these steps reads a long text as a whole.
  if (search.meter.spend(text.length >> 6)) yield
  if (search.table.findInRecords) yield* search.table.findInRecords(text, scanned, search.meter)
  if (search.meter.spend(text.length >> 6)) yield
  let found = scanned.list
  if (search.table.isPublished) found = yield* withoutPublished(text, found, search.table.isPublished, search.meter)
  for (const finding of before) found.push({ ...finding })
  for (const { id, category, placeholder, find } of search.detectors ?? [])
    for (const { start, end } of find(text))
      if (end > start) found.push({ start, end, rule: { id, category, placeholder }, value: text.slice(start, end) })
  if (found.length === 0) return { findings: NOTHING, identities: NOTHING, runs: decodedRuns, views: kept }
  const fresh: Finding[] = []
  const identities: Finding[] = []
  const pages: Pages = new Map()
  for (const finding of found) {
    const { start, end, rule } = finding
    if (search.meter.spend(16)) yield
    if (startsPlaceholder(text, start) && text.indexOf(']', start) >= end - 1) continue
    if (isUpperName(text.charCodeAt(start)) && isInPlaceholder(text, start)) continue
    if (isMisread(text, finding)) continue
    // Detectors of an app decide about their findings themselves.
    if (search.table.ranks.has(rule.id) && search.table.isSampleData?.(text, finding, pages)) continue
    fresh.push(finding)
    if (finding.forms) identities.push(finding)
  }
  return { findings: yield* merge(fresh, search.table, search.meter), identities, runs: decodedRuns, views: kept }
}

/** Categories of the rules for prose. These rules do not apply to code. */
const IN_PROSE = new Set(['person', 'account_name', 'user_name', 'organization', 'host_name'])
/**
 * Returns whether a probable finding is wrong: a rule for prose matched code, or another rule matched the output of a
 * test runner.
 */
function isMisread(text: string, finding: Finding): boolean {
  if (kindOf(finding) !== 'probable') return false
  const { start, end, rule } = finding
  return IN_PROSE.has(rule.category) ? isCode(text, start, end) : isTestOutput(text, start)
}

/** Scans a whole text with the rules only. */
function* scanAll(text: string, found: Findings, { table, meter }: Search): Steps<void> {
  for (let at = 0; at < text.length; at += PART) {
    const end = Math.min(text.length, at + PART)
    scanPart({ text, from: at, to: end }, found, table)
    if (meter.spend(end - at)) yield
  }
}

/** A part of a text. `changed` collects the indexes of characters that folding changes. */
interface ReadPart extends Part {
  readonly changed?: number[] | undefined
}

/** Scans one part of a text. This is a separate function, because code in a generator runs slower. */
function scanPart({ text, from, to, changed }: ReadPart, found: Findings, { scanner }: Table): void {
  if (!load(text, from, to) && changed && changed.length <= MOST_CHANGED)
    addChanged(text, placesBeyond(from, from, to), changed)
  scan({ text, from, to }, scanner, found)
}

/**
 * Searches a part of a text with the rules, and for runs of base64. For a whole text, also collects the indexes of
 * characters that folding changes.
 */
function* readAll(
  content: Sketched,
  [from, to]: Regions[number],
  { found, runs }: QuickSearch,
  { table, meter }: Search,
): Steps<void> {
  const { text } = content
  const changed: number[] | undefined = from === 0 && to === text.length ? [] : undefined
  let next = from
  for (let at = from; at < to; at += PART) {
    const end = Math.min(to, at + PART)
    scanPart({ text, from: at, to: end, changed }, found, table)
    next = baseRuns({ text, from: at, to: end }, next, runs)
    if (meter.spend(end - at)) yield
  }
  if (changed) content.changed = changed.length > MOST_CHANGED ? null : changed
}

/**
 * Searches the runs of base64 in a text.
 * @param decodedRuns receives the runs that encode text. It is missing if the text itself is a decoded run.
 */
function* scanRuns(
  text: string,
  { found, runs, depth = 0 }: QuickSearch & { readonly depth?: number },
  search: Search,
  decodedRuns?: Run[],
): Steps<void> {
  for (const run of runs) {
    const { start, end, decoded } = run
    const joined = depth === 0 ? unwrap(text, start, end) : null
    if (joined) yield* scanJoined(joined, found, search)
    if (decoded !== null) {
      decodedRuns?.push(run)
      yield* scanDecodedRun({ start, end, decoded }, { text, found, depth }, search)
    } else if (depth === 0) search.table.findInRun({ text, start, end, found })
  }
}

/** Adds the findings of a view, at their positions in the original text. */
function* scanView(view: View, found: Findings, search: Search): Steps<void> {
  const inner = new Findings()
  yield* scanAll(view.text, inner, search)
  for (const finding of inner.list)
    if (finding.start >= view.sure[0] && finding.end <= view.sure[1]) {
      finding.start = view.start(finding.start)
      finding.end = view.end(finding.end)
      found.push(finding)
    }
}

/**
 * Adds the secrets that span two pieces of a joined view. A finding inside one piece is left out, because the search of
 * this piece also finds it.
 */
function* scanJoined(view: JoinedView, found: Findings, search: Search): Steps<void> {
  const inner = new Findings()
  yield* scanAll(view.text, inner, search)
  for (const { start, end, rule, value } of inner.list)
    if (SECRET.has(rule.category) && view.joints.some((joint) => start < joint && joint < end))
      found.push({ start: view.start(start), end: view.end(end), rule, value })
}

/** A run of base64 that encodes text. */
interface DecodedRun extends Run {
  readonly decoded: string
}
/** The maximum depth of runs inside runs that are read. */
const DEEPEST = 2

/**
 * Adds a whole run of base64 as one finding if its decoded text contains a finding. Replacing only a part of the run
 * would make the base64 invalid.
 */
function* scanDecodedRun(
  { start, end, decoded }: DecodedRun,
  { text, found, depth }: { readonly text: string; readonly found: Findings; readonly depth: number },
  search: Search,
): Steps<void> {
  const inner: QuickSearch = { found: new Findings(), runs: [] }
  yield* readAll({ text: decoded }, [0, decoded.length], inner, search)
  if (mayBeEncoded(decoded))
    for (const plain of yield* decode(decoded, 0, decoded.length, search.meter))
      yield* scanAll(plain.text, inner.found, search)
  if (depth < DEEPEST) yield* scanRuns(decoded, { ...inner, depth: depth + 1 }, search)
  const { list } = inner.found
  if (list.length === 0) return
  const encoded = text.slice(start, end)
  const also = [encoded, ...list.map((finding) => finding.value)]
  const [first] = yield* merge(list, search.table, search.meter)
  if (!first) return
  const value = decoded.trim() === first.value ? first.value : encoded
  found.push({ start, end, rule: first.rule, value, also, run: true })
}

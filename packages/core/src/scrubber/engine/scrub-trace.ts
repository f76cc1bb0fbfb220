import {
  detect,
  searchShort,
  type FoundText,
  type QuickSearch,
  type Regions,
  type Search,
  type Table,
} from './detect.ts'
import type { Run } from './base64.ts'
import type { CleanTexts } from './remember.ts'
import { eachView, encodedForms, mayBeEncoded, NO_VIEWS, type View } from './decode.ts'
import { brokenDocument, stringsIn, type BrokenDocument } from './json.ts'
import { isCovered, merge, SECRET } from './merge.ts'
import { Meter, type Steps } from './meter.ts'
import { Placeholders, takenNumbers } from './placeholder.ts'
import { KnownForms, type FormHit, type OwnedForm } from './known-forms.ts'
import { addressAround, isInNamespace } from './code.ts'
import { distinctiveForms, type Judged } from './distinctive.ts'
import { findRepeats, Index, isPlain, type Hit, type Known } from './known-values.ts'
import { isRandom } from './randomness.ts'
import { replace } from './replace.ts'
import { inOneShape, kindOf, type Detector, type Finding, type KnownForm } from './rule.ts'
import { joinMessages, answerViews, unprefixedViews, type JoinedView } from './views.ts'
import type { Sketched } from './fold.ts'
import type { ScrubContext, ScrubOptions, ScrubResult } from './scrubber-types.ts'

/**
 * The maximum number of rounds. If a trace needs more rounds, two rules probably replace each other's placeholders. A
 * list of names needs several rounds, because each round finds only a few of the names.
 */
const ROUNDS = 24
/**
 * The maximum number of values whose forms are searched in all texts. A trace with more values probably lists people
 * other than the author. Each further value is replaced only where it was found.
 */
const MOST_SPREAD = 1000
const NOTHING: readonly Finding[] = []
const WHOLE: Regions = []
const AGAIN = { id: '', category: '', placeholder: '' }
const ADDRESS = { id: 'email', category: 'email', placeholder: 'EMAIL' }
/** Placeholders of names that may be in a mail address. */
const ADDRESSED = new Set(['USER', 'PERSON', 'ACCOUNT'])

/** A value that is known before the texts are read, with its forms. */
export interface Seed {
  readonly value: string
  readonly rule: Finding['rule']
  readonly forms: readonly KnownForm[]
}

type TraceOptions = Pick<ScrubOptions, 'reject'> &
  Pick<ScrubContext, 'onPlaceholder'> & {
    readonly detectors?: readonly Detector[]
    readonly table: Table
    /** The findings of asynchronous detectors in each text. */
    readonly given: readonly (readonly Finding[])[] | null
    readonly seeds: readonly Seed[]
    readonly cleanTexts: CleanTexts
  }

/**
 * Scrubs all texts of one trace together. A JSON document stays valid: if replacements in its text would break it, its
 * strings, keys and numbers are scrubbed separately, and each value is also read together with its key.
 * @param counted the number of texts at the beginning whose replacements are counted. The other texts are read only to
 * find values that also occur in the counted texts.
 */
export function* scrubTrace(
  input: readonly string[],
  options: TraceOptions,
  counted = input.length,
): Steps<ScrubResult> {
  const forms = new KnownForms()
  const judged: Judged = new Map()
  const seeds = options.seeds.flatMap(({ value, rule, forms: known }) => known.map((form) => ({ form, value, rule })))
  const sketched = input.map((text): Sketched => ({ text }))
  forms.add(yield* distinctiveForms(seeds, { texts: sketched, judged, meter: new Meter(), table: options.table }))
  const mayBreakJson = new Set<number>()
  const whole = yield* rounds(sketched, options, { forms, judged }, counted, mayBreakJson)
  if (!whole.ok || mayBreakJson.size === 0) return whole
  const broken = input.map((text, i) => (mayBreakJson.has(i) ? brokenDocument(text, whole.texts[i]!) : null))
  if (broken.every((document) => document === null)) return whole
  const texts = input.map((text, i) => (broken[i] ? '' : text))
  const leaves = texts.length
  for (const document of broken) if (document) texts.push(...document.leaves)
  const pairs = texts.length
  for (const document of broken) if (document) texts.push(...document.pairs)
  const given = options.given && [...options.given, ...givenForLeaves(input, broken, options.given)]
  const again = yield* rounds(
    texts.map((text) => ({ text })),
    { ...options, given },
    { forms, judged },
    counted === input.length ? pairs : counted,
  )
  if (!again.ok) return again
  const cleanLeaves = again.texts.slice(leaves, pairs).values()
  const clean = again.texts
    .slice(0, leaves)
    .map((text, i) => broken[i]?.rebuild(() => cleanLeaves.next().value ?? '') ?? text)
  return { ...again, texts: clean }
}

/**
 * Returns the findings of asynchronous detectors in each broken document, with positions in the leaves of the document.
 * Throws if no leaf contains a value.
 */
function givenForLeaves(
  input: readonly string[],
  broken: readonly (BrokenDocument | null)[],
  given: readonly (readonly Finding[])[],
): Finding[][] {
  return broken.flatMap((document, i) => {
    if (!document) return []
    const text = input[i] ?? ''
    const values = (given[i] ?? []).flatMap((finding) =>
      stringsIn(text.slice(finding.start, finding.end)).map((value) => ({ value, finding })),
    )
    for (const { value } of values)
      if (/[\p{L}\p{N}]/u.test(value) && !document.leaves.some((leaf) => leaf.includes(value)))
        throw new Error('a value is in no string of its document')
    return document.leaves.map((leaf) => values.flatMap(({ value, finding }) => findAll(leaf, value, finding)))
  })
}

function findAll(text: string, value: string, finding: Finding): Finding[] {
  const found: Finding[] = []
  for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length))
    found.push({ ...finding, start: at, end: at + value.length })
  return found
}

/** The state of one text in one round. */
interface TextState extends FoundText {
  content: Sketched
  /** The number of known forms that the current text was already searched for. */
  searched: number
  /** Undefined if the text changed since it was decoded. */
  views: readonly View[] | undefined
  runs: readonly Run[]
  /** The regions to search in this round. Undefined if the text need not be searched. */
  regions: Regions | undefined
  found: readonly Finding[] | undefined
}

const NO_VIEWS_JOINED: readonly JoinedView[] = []

/**
 * Returns a function that joins a message with the next or previous message if a key is cut between them. The function
 * must be called with each index in order, and reads each pair of messages once.
 */
function messageJoiner(texts: readonly Sketched[]): (index: number) => readonly JoinedView[] {
  let ends: JoinedView | undefined
  return (index) => {
    const [message, next] = texts.slice(index, index + 2)
    const pair = message && next ? joinMessages(message.text, next.text) : null
    const joined = ends || pair ? [ends, pair?.[0]].filter((view) => view !== undefined) : NO_VIEWS_JOINED
    ends = pair?.[1]
    return joined
  }
}

/**
 * Returns whether a finding is one word of a name, or a login. If the trace contains the full name, the finding belongs
 * to this name.
 */
const isFirstName = ({ rule, value }: Finding): boolean =>
  (rule.placeholder === 'PERSON' || rule.placeholder === 'ACCOUNT') && !value.includes(' ')

/**
 * Returns the properties of a finding's rule that decide where the value is replaced. A finding that gets the rule of
 * the full name keeps these properties.
 */
const reachOf = ({ rule: { kind, own } }: Finding): Pick<Finding['rule'], 'kind' | 'own'> => ({
  ...(kind && { kind }),
  ...(own && { own }),
})

const isEmpty = ({ found, runs }: QuickSearch): boolean => found.list.length === 0 && runs.length === 0

/**
 * Repeats search and replacement until a round finds nothing. The first round searches whole texts. Later rounds search
 * only the text around each replacement.
 * @param mayBreakJson receives the indexes of texts in which a replacement may have broken a JSON document.
 */
function* rounds(
  input: readonly Sketched[],
  { reject, detectors, table, given, cleanTexts, onPlaceholder }: TraceOptions,
  { forms, judged }: { readonly forms: KnownForms; readonly judged: Judged },
  counted: number,
  mayBreakJson = new Set<number>(),
): Steps<ScrubResult> {
  const meter = new Meter()
  const spread = new Set<string>()
  const search: Search = { table, detectors, meter }
  const states = input.map((content): TextState => ({
    content,
    searched: 0,
    views: undefined,
    runs: [],
    regions: WHOLE,
    found: undefined,
  }))
  const joinBeside = messageJoiner(input)
  const counts: Record<string, number> = {}
  let names: Placeholders | undefined
  let total = 0
  for (let round = 0; ; round++) {
    if (round === ROUNDS) return { ok: false, reason: 'the scrubber did not converge' }
    let isDone = round > 0 || forms.size === 0
    let hasNewForms = round === 0 && forms.size > 0
    const firstNames: Finding[] = []
    const fullNames: Finding[] = []
    for (const [i, state] of states.entries()) {
      state.found = undefined
      state.runs = []
      if (!state.regions) continue
      const before = (round === 0 && given?.[i]) || NOTHING
      const { text } = state.content
      if (meter.spend(text.length)) yield
      const joined = round === 0 ? joinBeside(i) : NO_VIEWS_JOINED
      const question = round === 0 ? input[i - 1] : undefined
      const answers = question ? answerViews(question.text, text, table.isLabel) : NO_VIEWS
      const isAlone = joined.length === 0 && answers.length === 0 && !detectors && before.length === 0
      if (isAlone && round === 0 && cleanTexts.has(text)) continue
      const quick = round === 0 ? searchShort(state.content, table) : null
      if (quick && !state.views && !mayBeEncoded(text)) state.views = NO_VIEWS
      const unprefixed = quick ? [...unprefixedViews(text, quick.found.marks)] : round > 0 ? NO_VIEWS : undefined
      if (quick && isEmpty(quick) && state.views === NO_VIEWS && isAlone && unprefixed?.length === 0) {
        cleanTexts.add(text)
        continue
      }
      const regions = quick || round > 0 ? state.regions : [[0, text.length] as const]
      const { findings, identities, runs, views } = yield* detect(
        { content: state.content, views: state.views, unprefixed, answers, joined },
        regions,
        quick,
        search,
        before,
      )
      state.runs = runs
      state.views = views
      for (const finding of identities) {
        if (isFirstName(finding)) firstNames.push(finding)
        else fullNames.push(finding)
        if (meter.spend(64)) yield
      }
      if (isAlone && round === 0 && findings.length + identities.length + runs.length === 0) cleanTexts.add(text)
      if (findings.length === 0) continue
      state.found = findings
      isDone = false
    }
    if (isDone) break
    for (const list of [fullNames, firstNames]) {
      const owned: OwnedForm[] = []
      for (const finding of list) {
        const owner = list === firstNames ? forms.ownerOf(finding.value) : undefined
        if (owner) [finding.value, finding.rule] = [owner.value, { ...owner.rule, ...reachOf(finding) }]
        if (meter.spend(64)) yield
        const { value, rule, forms: formsOf } = finding
        const key = rule.own ? `own ${value}` : value
        if (!formsOf || kindOf(finding) === 'probable' || spread.size === MOST_SPREAD || spread.has(key)) continue
        spread.add(key)
        owned.push(...formsOf().map((form) => ({ form, value, rule })))
      }
      if (list === fullNames && table.formsOfAuthor)
        owned.push(...(yield* table.formsOfAuthor(firstNames.concat(fullNames), states, meter)))
      const chosen = yield* distinctiveForms(owned, { texts: input, judged, meter, table })
      hasNewForms = forms.add(chosen) || hasNewForms
    }
    names ??= new Placeholders(
      yield* takenNumbers(
        input.map(({ text }) => text),
        meter,
      ),
    )
    const known: Known[] = []
    for (const { found } of states)
      for (const finding of found ?? []) {
        if (names.add(finding) && !finding.local && !finding.forms && reaches(finding)) gather(finding, known)
        if (meter.spend(64)) yield
      }
    const index = known.length > 0 ? new Index(known) : null
    let isChanged = false
    for (const [i, state] of states.entries()) {
      const again = yield* findAgain(state, index, hasNewForms ? forms : null, search)
      const list = again.length === 0 ? state.found : yield* merge([...(state.found ?? []), ...again], table, meter)
      state.regions = undefined
      if (!list) continue
      if (reject)
        for (const finding of list) {
          const { category } = names.of(finding)
          if (reject.includes(category)) return { ok: false, reason: `holds ${category}, which may not be kept` }
        }
      // The views are no longer needed, and they are as large as the text.
      state.views = undefined
      const done = yield* replace(state.content.text, list, names, i < counted ? counts : {}, meter)
      isChanged = true
      state.content = { text: done.text }
      state.searched = 0
      state.regions = done.regions
      if (done.mayBreakJson) mayBreakJson.add(i)
      if (i < counted) total += done.total
    }
    if (!isChanged) break
  }
  if (onPlaceholder) for (const use of names?.list() ?? []) onPlaceholder(use)
  return { ok: true, texts: states.map(({ content }) => content.text), counts, total }
}

/** A value with a letter, a digit and a special character that names in code do not contain. */
const MARKED = /^(?=.*\d)(?=.*\p{L})(?=.*[^\p{L}\d\s_./:-]).{8,}$/u
const MIXED = /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])/
/**
 * Returns whether a value without forms is searched elsewhere. A probable value that looks like a name in code is not.
 */
function reaches(finding: Finding): boolean {
  const { value } = finding
  if (kindOf(finding) !== 'probable' || MARKED.test(value)) return true
  return isRandom(value) && (value.length >= 12 || MIXED.test(value))
}

/** Finds known values and known forms in one text: in the text itself, in its decoded parts and inside base64. */
function* findAgain(
  state: TextState,
  index: Index | null,
  forms: KnownForms | null,
  { table, meter }: Search,
): Steps<Finding[]> {
  const again: Finding[] = []
  const { content, runs, found = NOTHING } = state
  const { text } = content
  if ((!index && !forms) || text.length < 2) return again
  const add = (start: number, end: number, value: string, rule: Finding['rule']): void => {
    if (!isCovered(start, end, rule.id, found, table)) again.push(inOneShape({ start, end, value, rule }))
  }
  const hit: Hit = (start, end, value) => add(start, end, value, AGAIN)
  const hitForm: FormHit = (start, end, value, rule) => {
    const address = ADDRESSED.has(rule.placeholder) ? addressAround(text, start, end) : null
    if (!address) {
      if (rule.own || !isInNamespace(text, start, end)) add(start, end, value, rule)
    } else if (!isCovered(start, end, ADDRESS.id, found, table))
      add(...address, text.slice(...address).toLowerCase(), ADDRESS)
  }
  if (index) yield* findRepeats(content, index, hit, meter)
  if (forms) yield* forms.findIn(content, hitForm, meter, state.searched)
  if (meter.spend(text.length)) yield
  state.views = yield* eachView(text, state.views, meter, function* (view) {
    const inView: Hit = (start, end, value) => hit(view.start(start), view.end(end), value)
    if (index) yield* findRepeats(view, index, inView, meter)
    const formInView: FormHit = (start, end, value, rule) => hitForm(view.start(start), view.end(end), value, rule)
    if (forms) yield* forms.findIn(view, formInView, meter, state.searched)
    if (meter.spend(view.text.length)) yield
  })
  if (forms)
    for (const { start, end, decoded } of runs) {
      if (decoded === null) continue
      let first: Finding['rule'] | undefined
      yield* forms.findIn({ text: decoded }, (_start, _end, _value, rule) => void (first ??= rule), meter)
      // The whole run is replaced, because replacing only a part would make the base64 invalid.
      if (first) add(start, end, text.slice(start, end), first)
    }
  if (forms) state.searched = forms.added
  return again
}

/** Adds the literals to search in every text: the value, its encoded forms, and its other spellings. */
function gather(finding: Finding, known: Known[]): void {
  const { value, also = [] } = finding
  for (const literal of new Set([value, ...also])) {
    if (literal.length < 3 || isPlain(literal)) continue
    known.push({ literal, value })
    if (SECRET.has(finding.rule.category))
      for (const other of encodedForms(literal, !finding.run || literal !== also[0]))
        known.push({ literal: other, value })
  }
}

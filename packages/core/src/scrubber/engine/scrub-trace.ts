import { detect, merge, searchShort, type Regions, type Search, type Table } from './detect.ts'
import { decode, encodedForms, mayBeEncoded, type View } from './decode.ts'
import { brokenDocument } from './json-document.ts'
import { Meter, type Steps } from './meter.ts'
import { Placeholders, takenNumbers } from './placeholder.ts'
import { findRepeats, findSoon, indexOf, isPlain, type Hit, type Known } from './known-values.ts'
import { replace } from './replace.ts'
import type { Finding } from './rule.ts'
import type { Clean, ScrubOptions, ScrubResult } from './scrubber-types.ts'

/** After so many rounds something makes what it finds itself. */
const ROUNDS = 6
const NONE: readonly View[] = []
const WHOLE: Regions = []
const AGAIN = { id: '', category: '', placeholder: '' }
const SECRET = new Set(['token', 'secret', 'password', 'private_key', 'webhook'])

type TraceOptions = Pick<ScrubOptions, 'reject' | 'detectors'> & { readonly table: Table }

/**
 * All texts of one trace together. Replacements in a text that is a JSON document leave one: where they would break it, its
 * strings, keys and numbers are scrubbed one by one instead, each also beside its key. `counted`: only so many texts of the
 * beginning are counted, the others give away values.
 */
export function* scrubTrace(
  input: readonly string[],
  options: TraceOptions,
  counted = input.length,
): Steps<ScrubResult> {
  const whole = yield* rounds(input, options, counted)
  if (!whole.ok || whole.total === 0) return whole
  const broken = input.map((text, i) => (whole.texts[i] === text ? null : brokenDocument(text, whole.texts[i]!)))
  if (broken.every((document) => document === null)) return whole
  const texts = input.map((text, i) => (broken[i] ? '' : text))
  const leaves = texts.length
  for (const document of broken) if (document) texts.push(...document.leaves)
  const pairs = texts.length
  for (const document of broken) if (document) texts.push(...document.pairs)
  const again = yield* rounds(texts, options, counted === input.length ? pairs : counted)
  if (!again.ok) return again
  let next = leaves
  const clean = broken.map((document, i) => (document ? document.rebuild(() => again.texts[next++]!) : again.texts[i]!))
  return { ...again, texts: clean as Clean[] }
}

/** Round after round until nothing is found: first whole, then what stands around a replacement. */
function* rounds(
  input: readonly string[],
  { reject, detectors, table }: TraceOptions,
  counted: number,
): Steps<ScrubResult> {
  const meter = new Meter()
  const search: Search = { table, detectors, meter }
  const texts = [...input]
  const counts: Record<string, number> = {}
  const views = new Array<readonly View[] | undefined>(texts.length).fill(undefined)
  let names: Placeholders | undefined
  let total = 0
  let dirty: (Regions | undefined)[] = []
  for (let round = 0; ; round++) {
    if (round === ROUNDS) return { ok: false, reason: 'the scrubber did not converge' }
    const found: (readonly Finding[] | undefined)[] = []
    const known: Known[] = []
    for (let i = 0; i < texts.length; i++) {
      const regions = round === 0 ? WHOLE : dirty[i]
      if (!regions) continue
      const text = texts[i]!
      if (meter.spend(text.length)) yield
      const quick = round === 0 ? searchShort(text, table) : null
      if (views[i] === undefined) views[i] = mayBeEncoded(text) ? yield* decode(text, 0, text.length, meter) : NONE
      if (quick && quick.found.length === 0 && quick.runs.length === 0 && views[i] === NONE && !detectors) continue
      const list = yield* detect(
        { text, views: views[i]! },
        quick || round > 0 ? regions : [[0, text.length]],
        quick,
        search,
      )
      if (list.length > 0) found[i] = list
    }
    if (found.length === 0) break
    names ??= new Placeholders(yield* takenNumbers(input, meter))
    for (const list of found)
      for (const finding of list ?? []) {
        if (reject?.includes(finding.rule.category))
          return { ok: false, reason: `holds ${finding.rule.category}, which may not be kept` }
        if (names.add(finding) && !finding.local) gather(finding, known)
        if (meter.spend(64)) yield
      }
    dirty = []
    const index = known.length > 0 ? yield* indexOf(known, meter) : null
    for (let i = 0; i < texts.length; i++) {
      const text = texts[i]!
      let list = found[i]
      if (index && text.length > 2) {
        const again: Finding[] = []
        const hit: Hit = (start, end, value) => void again.push({ start, end, value, rule: AGAIN })
        if (!findSoon(text, index, hit)) yield* findRepeats(text, index, hit, meter)
        const plain = (views[i] ??= mayBeEncoded(text) ? yield* decode(text, 0, text.length, meter) : NONE)
        for (const view of plain) {
          const inView: Hit = (start, end, value) => hit(view.start(start), view.end(end), value)
          if (!findSoon(view.text, index, inView)) yield* findRepeats(view.text, index, inView, meter)
        }
        if (again.length > 0) list = merge(list ? [...list, ...again] : again, table)
        if (meter.spend(text.length)) yield
      }
      if (!list) continue
      const done = yield* replace(text, list, names, i < counted ? counts : {}, meter)
      texts[i] = done.text
      views[i] = undefined
      if (i < counted) total += done.total
      dirty[i] = done.regions
    }
  }
  return { ok: true, texts: texts as Clean[], counts, total }
}

/** Literals to look for in every text of the trace: the value, its spellings, and other forms its finder names. */
function gather(finding: Finding, known: Known[]): void {
  const { value, also = [], everywhere } = finding
  for (let i = -1; i < also.length; i++) {
    const literal = i < 0 ? value : also[i]!
    if (i >= 0 && (literal === value || also.indexOf(literal) < i)) continue
    if (literal.length < 3 || (!everywhere && isPlain(literal))) continue
    known.push({ literal, value })
    if (SECRET.has(finding.rule.category))
      for (const other of encodedForms(literal, !finding.run || literal !== also[0]))
        known.push({ literal: other, value })
  }
}

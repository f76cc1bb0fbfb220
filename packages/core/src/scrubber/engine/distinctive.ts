import { commonWords } from '../rules/common-words.ts'
import { isIdentifier, isInCompound, isInCopyright, isInHeading, isInImport } from './code.ts'
import type { Table } from './detect.ts'
import { foldText } from './fold.ts'
import { KnownForms, type OwnedForm } from './known-forms.ts'
import type { Meter, Steps } from './meter.ts'
import type { Sketched } from './sketch.ts'

/** Whether the trace uses a form as a name in code or in a heading, by the folded form. */
export type Judged = Map<string, boolean>

/** A form is a name of a project if it occurs in other names this many times more than alone. */
const LEAST_COMPOUNDS = 3

interface Trace {
  /** The texts as they were sent. */
  readonly texts: readonly Sketched[]
  readonly judged: Judged
  readonly meter: Meter
  readonly table: Table
}

/**
 * Returns the forms that may be searched in every text: forms that cannot be an ordinary word, and distinctive forms. A
 * form is distinctive if it is not a common word, and if the trace does not use it as an identifier, an import, a
 * package or a heading. For a host label, also returns the company names from which the label was made.
 */
export function* distinctiveForms(
  forms: readonly OwnedForm[],
  { texts, judged, meter, table }: Trace,
): Steps<OwnedForm[]> {
  const unjudged = forms.filter((owned) => isDoubtful(owned) && !judged.has(foldText(owned.form.text)))
  if (unjudged.length > 0) {
    const search = new KnownForms()
    search.add(unjudged.map(({ form: { text }, rule }) => ({ form: { text }, value: foldText(text), rule })))
    for (const { form } of unjudged) judged.set(foldText(form.text), false)
    /** How many more times a form is a part of another name than it occurs alone. */
    const compounds = new Map<string, number>()
    for (const sketched of texts)
      yield* search.findIn(
        sketched,
        (start, end, value, rule) => {
          if (judged.get(value) === true) return
          if (!isUsedAsCode(sketched.text, start, end, rule.own === true)) {
            compounds.set(value, (compounds.get(value) ?? 0) + (isInCompound(sketched.text, start, end) ? 1 : -1))
            return
          }
          judged.set(value, true)
          search.remove(value)
        },
        meter,
      )
    for (const [value, count] of compounds) if (count >= LEAST_COMPOUNDS) judged.set(value, true)
  }
  const chosen = forms.filter((owned) => !isDoubtful(owned) || isDistinctive(owned, judged))
  if (table.spellings) chosen.push(...(yield* table.spellings(chosen, texts, meter)))
  return chosen
}

/**
 * Returns whether a form may also be an ordinary word: a weak form of a known value, a single word of a person's name,
 * or any word of another value except numbers and long identifiers.
 */
function isDoubtful({ form, rule }: OwnedForm): boolean {
  if (rule.kind === 'known' || form.weak === true) return form.weak === true
  if (rule.category === 'cloud_account' && form.text.length >= 16) return false
  return rule.category === 'person' && /\p{Lu}|\s/u.test(form.text) ? form.isPart === true : !/\s|\d{5}/.test(form.text)
}

const isDistinctive = ({ form }: OwnedForm, judged: Judged): boolean => {
  const text = foldText(form.text)
  return !commonWords.has(text) && judged.get(text) !== true
}

const isUsedAsCode = (text: string, start: number, end: number, isOwn: boolean): boolean =>
  isIdentifier(text, start, end) ||
  isInHeading(text, start, end) ||
  (!isOwn && (isInImport(text, start, end) || isInCopyright(text, start)))

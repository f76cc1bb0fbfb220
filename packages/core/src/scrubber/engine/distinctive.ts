import { commonWords } from '../rules/common-words.ts'
import { isIdentifier, isInHeading, isInImport } from './code.ts'
import { foldText } from './fold.ts'
import { KnownForms, type OwnedForm } from './known-forms.ts'
import type { Meter, Steps } from './meter.ts'
import type { Sketched } from './sketch.ts'

/** By folded form: whether its trace uses it as a name of code or a heading. */
export type Judged = Map<string, boolean>

interface Trace {
  /** The texts as they were sent. */
  readonly texts: readonly Sketched[]
  readonly judged: Judged
  readonly meter: Meter
}

/**
 * Returns the forms that may be searched in every text: what is known, and what is proven where it is distinctive. A
 * form is not where it is a common word, or where the trace uses it as an identifier, an import, a package or a heading.
 */
export function* distinctiveForms(forms: readonly OwnedForm[], { texts, judged, meter }: Trace): Steps<OwnedForm[]> {
  const unjudged = forms.filter((owned) => isDoubtful(owned) && !judged.has(foldText(owned.form.text)))
  if (unjudged.length > 0) {
    const search = new KnownForms()
    search.add(unjudged.map(({ form: { text }, rule }) => ({ form: { text }, value: foldText(text), rule })))
    for (const { form } of unjudged) judged.set(foldText(form.text), false)
    for (const sketched of texts)
      yield* search.findIn(
        sketched,
        (start, end, value, rule) => {
          if (judged.get(value) === true || !isUsedAsCode(sketched.text, start, end, rule.own === true)) return
          judged.set(value, true)
          search.remove(value)
        },
        meter,
      )
  }
  return forms.filter((owned) => !isDoubtful(owned) || isDistinctive(owned, judged))
}

/**
 * Returns whether a form may be a word of its own: of what is known a weak one, of a person's name its single words, of
 * other values any word but numbers and long identifiers.
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

function isUsedAsCode(text: string, start: number, end: number, isOwn: boolean): boolean {
  return isIdentifier(text, start, end) || isInHeading(text, start, end) || (!isOwn && isInImport(text, start, end))
}

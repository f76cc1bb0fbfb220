import { commonWords } from '../rules/common-words.ts'
import { isIdentifier, isInCompound, isInCopyright, isInHeading, isInImport, isOrdinaryWord } from './code.ts'
import type { Table } from './detect.ts'
import { foldText, type Sketched } from './fold.ts'
import { KnownForms, type OwnedForm } from './known-forms.ts'
import type { Meter, Steps } from './meter.ts'
import type { KnownForm } from './rule.ts'

/** How the trace uses a word, by `keyOf` its forms: as a name in code or in a heading, or as an ordinary word. */
export type Judged = Map<string, 'code' | 'word' | 'distinctive'>

/** Returns the folded word to which a form belongs. All forms of a word are judged together. */
const keyOf = ({ word, text }: KnownForm): string => foldText(word ?? text)

/** Categories of the author's accounts, which are found at least where the text names an account of a code host. */
const ACCOUNTS = new Set(['account_name', 'user_name', 'organization'])

/**
 * The number of uses of one word that are read. If this many uses are not code, one more does not change the decision,
 * and a hostile text may contain a hundred thousand.
 */
const MOST_USES = 2000

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
  const unjudged = forms.filter(
    (owned) => isDoubtful(owned) && !commonWords.has(foldText(owned.form.text)) && !judged.has(keyOf(owned.form)),
  )
  if (unjudged.length > 0) {
    const search = new KnownForms()
    const searched = unjudged.filter(({ form }) => form.isPart === true || form.word === undefined)
    search.add(searched.map(({ form, rule }) => ({ form: { text: form.text }, value: keyOf(form), rule })))
    for (const { form } of unjudged) judged.set(keyOf(form), 'distinctive')
    /** How many more times a form is a part of another name than it occurs alone. */
    const compounds = new Map<string, number>()
    const uses = new Map<string, number>()
    for (const sketched of texts)
      yield* search.findIn(
        sketched,
        (start, end, value, rule) => {
          const { text } = sketched
          const count = (uses.get(value) ?? 0) + 1
          uses.set(value, count)
          if (count === MOST_USES) search.remove(value)
          if (judged.get(value) === 'code' || count > MOST_USES) return
          if (!isUsedAsCode(text, start, end, rule.own === true)) {
            if (isOrdinaryWord(text, start, end)) judged.set(value, 'word')
            compounds.set(value, (compounds.get(value) ?? 0) + (isInCompound(text, start, end) ? 1 : -1))
            return
          }
          judged.set(value, 'code')
          search.remove(value)
        },
        meter,
      )
    for (const [value, count] of compounds) if (count >= LEAST_COMPOUNDS) judged.set(value, 'code')
  }
  const chosen = forms.flatMap((owned): readonly OwnedForm[] => {
    if (!isDoubtful(owned) || isDistinctive(owned, judged)) return [owned]
    const { form, rule } = owned
    return rule.own && ACCOUNTS.has(rule.category) ? [{ ...owned, form: { ...form, only: 'account' } }] : []
  })
  const spelled = table.spellings ? yield* table.spellings(chosen, texts, meter) : []
  return spelled.length > 0
    ? [...chosen, ...(yield* distinctiveForms(spelled, { texts, judged, meter, table }))]
    : chosen
}

/**
 * Returns whether a form may also be an ordinary word: a weak form of a known value, a single word of a person's name,
 * or any word of another value except numbers and long identifiers.
 */
function isDoubtful({ form, rule }: OwnedForm): boolean {
  if (rule.kind === 'known' || form.weak === true) return form.weak === true
  if (rule.category === 'cloud_account' && form.text.length >= 16) return false
  if (rule.category === 'host_name' && form.word !== undefined) return true
  return rule.category === 'person' && /\p{Lu}|\s/u.test(form.text) ? form.isPart === true : !/\s|\d{5}/.test(form.text)
}

/** Only for a word of another person's name, an ordinary word is evidence: accounts are written in lower case. */
const isDistinctive = ({ form, rule }: OwnedForm, judged: Judged): boolean => {
  const use = judged.get(keyOf(form))
  return (
    !commonWords.has(foldText(form.text)) && use !== 'code' && (use !== 'word' || !form.isPart || rule.own === true)
  )
}

const isUsedAsCode = (text: string, start: number, end: number, isOwn: boolean): boolean =>
  isIdentifier(text, start, end) ||
  isInHeading(text, start, end) ||
  (!isOwn && (isInImport(text, start, end) || isInCopyright(text, start)))

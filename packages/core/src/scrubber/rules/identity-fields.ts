import { fieldKeywords } from '../detectors/identity/field-name.ts'
import type { Rule } from '../engine/rule.ts'

/** Fields of every format whose name says that their value names somebody: see `identity-words.ts`. */
export const identityFieldRules: readonly Rule[] = [
  {
    id: 'identity-field',
    category: 'account_name',
    placeholder: 'ACCOUNT',
    keywords: fieldKeywords,
    inside: true,
    finder: 'field',
  },
]

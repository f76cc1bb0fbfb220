import type { Row } from './row.ts'

/** One for each rule of `rules/languages.ts`. */
export const languages: readonly Row[] = [
  [
    'said-password',
    'salasana: {mix:12}7a',
    'salasana unohtui',
    'https://learn.microsoft.com/purview/sit-defn-general-password',
  ],
  [
    'said-token',
    'API 密钥：{mix:32}',
    'API 密钥：无',
    'https://cheatsheetseries.owasp.org/cheatsheets/Secrets_Management_Cheat_Sheet.html',
  ],
]

import ts from 'typescript'

/** The operators of SQL and their replacements. */
const operators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  'is null': 'is not null',
  'is not null': 'is null',
  'desc': 'asc',
}
const operator = /(?<=\s)(?:[<>]=?|is(?: not)? null|desc)(?![\w=>])/g
/** Matches a token that may begin or end a condition, and the end of the text. */
const boundary =
  /iif\(|[(),]|\b(?:and|between|case|cross|do|else|end|from|group|having|join|left|limit|on|or|order|returning|select|set|then|union|when|where)\b|$/g

/** A change of a text of SQL. */
interface SqlChange {
  readonly what: string
  readonly start: number
  readonly end: number
  readonly replacement: string
}

/** Replaces the quotes, strings and expressions in a text of SQL with underscores, so that only its syntax is left. */
export function maskSql(template: ts.TemplateLiteral): string {
  let text = template.getText()
  const mask = (start: number, end: number): void =>
    void (text = text.slice(0, start) + '_'.repeat(end - start) + text.slice(end))
  for (const { expression, literal } of ts.isTemplateExpression(template) ? template.templateSpans : [])
    mask(expression.getFullStart() - 2 - template.getStart(), literal.getStart() + 1 - template.getStart())
  return ` ${text.slice(1, -1).replaceAll(/'[^']*'/g, (string) => '_'.repeat(string.length))} `
}

/**
 * Returns the changes of guards: each operand of `and` is dropped, each condition of `when` and `iif` becomes false,
 * and each comparison and order is replaced.
 */
export function listSqlChanges(sql: string): SqlChange[] {
  const changes: SqlChange[] = []
  const add = (what: string, start: number, end: number, replacement: string): void => {
    const text = sql.slice(start, end)
    if (text.trim() === '' || text.trim() === 'and') return
    changes.push({ what, start: end - text.trimStart().length, end: start + text.trimEnd().length, replacement })
  }
  const openScope = (start: number, condition = '') => ({ start, and: -1, isBetween: false, condition, from: start })
  const scopes = [openScope(0)]
  for (const { 0: token, index } of sql.matchAll(boundary)) {
    const scope = scopes.at(-1)!
    const end = index + token.length
    if (token === 'between' || (token === 'and' && scope.isBetween)) {
      scope.isBetween = token === 'between'
      continue
    }
    if (token.endsWith('(') || token === 'case') {
      scopes.push(openScope(end, token === 'iif(' ? 'iif' : ''))
      continue
    }
    if (scope.and >= 0) add('and', scope.and, index, '')
    else if (token === 'and') add('and', scope.start, end, '')
    if ((token === 'then' || token === ',') && scope.condition) {
      add(scope.condition, scope.from, index, 'false')
      scope.condition = ''
    }
    if (token === 'when') [scope.condition, scope.from] = ['when', end]
    ;[scope.start, scope.and] = [end, token === 'and' ? index : -1]
    if ((token === ')' || token === 'end') && scopes.length > 1) scopes.pop()
  }
  for (const { 0: found, index } of sql.matchAll(operator))
    changes.push({ what: found, start: index, end: index + found.length, replacement: operators[found]! })
  return changes
}

import ts from 'typescript'
import type { Mutant } from './plugin.ts'

const operators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
}
/** Conditions of drizzle and their neighbours. */
const conditions: Readonly<Record<string, string>> = {
  eq: 'ne',
  ne: 'eq',
  lt: 'lte',
  lte: 'lt',
  gt: 'gte',
  gte: 'gt',
  isNull: 'isNotNull',
  isNotNull: 'isNull',
  asc: 'desc',
  desc: 'asc',
}
/** Guards inside SQL: a conjunct is dropped, a comparison or an order is changed. */
const sqlChanges: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\band (?:not )?(?:[\w.+"]+) (?:=|<|>|<=|>=|<>|is(?: not)?) (?:\?|null|\d+|'[^']*'|[\w.]+)(?=[\s)`'"]|$)/g, ''],
  [/\band \$\{[^}]+\}(?: (?:=|<|>|<=|>=|<>|is(?: not)?) (?:\$\{[^}]+\}|null|\d+|'[^']*'))?(?=[\s)`]|$)/g, ''],
  [/\band (?:not )?exists \(/g, 'and 1 or exists ('],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/ is null/g, ' is not null'],
  [/ is not null/g, ' is null'],
  [/ desc\b/g, ' asc'],
]
const isSql = (text: string): boolean =>
  /\b(?:select|insert into|update|delete from|where|order by)\b/.test(text) || /\b(?:and|status) .*(?:=|in) /.test(text)

/**
 * Returns whether this is `a < b ? -1 : 1`, which orders values that are never equal. Of its numbers only the sign
 * matters.
 */
const isOrder = (node: ts.Node): boolean =>
  ts.isConditionalExpression(node) && [node.whenTrue, node.whenFalse].every((side) => /^-?1$/.test(side.getText()))

/** Returns whether this is the number of `limit + 1`. The row beyond a page shows that another page follows; two show the same. */
const isNextPage = (node: ts.Node): boolean => node.parent.getText() === 'limit + 1'

/**
 * Returns every mutant of a source text: operators, conditions, numbers and booleans of its code, guards of its SQL.
 */
export function mutantsOf(text: string): Mutant[] {
  const source = ts.createSourceFile('mutated.ts', text, ts.ScriptTarget.ESNext, true)
  const mutants: Mutant[] = []
  const add = (what: string, start: number, end: number, replacement: string): void => {
    mutants.push({ what, start, end, replacement, line: source.getLineAndCharacterOfPosition(start).line + 1 })
  }
  const replace = (node: ts.Node, replacement: string, what = node.getText()): void =>
    add(what, node.getStart(), node.getEnd(), replacement)

  function visit(node: ts.Node): void {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return
    if (ts.isBinaryExpression(node) && !isOrder(node.parent)) {
      const other = operators[node.operatorToken.getText()]
      const isText = [node.left, node.right].some(
        (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side),
      )
      if (other !== undefined && !(isText && /[+-]/.test(other))) replace(node.operatorToken, other)
    }
    if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      const condition = ts.isIfStatement(node) ? node.expression : node.condition
      replace(condition, `!(${condition.getText()})`, 'condition')
    }
    if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, 'false')
    if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, 'true')
    if (ts.isNumericLiteral(node) && !isOrder(node.parent) && !isOrder(node.parent.parent) && !isNextPage(node))
      replace(node, `(${node.text} + 1)`)
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const other = conditions[node.expression.text]
      // The replacement may not be imported. drizzle's operators have the same arguments.
      if (other !== undefined)
        replace(
          node,
          `((o) => o.${other}(${node.arguments.map((one) => one.getText())}))(drizzleOperators)`,
          node.expression.text,
        )
      if (node.expression.text === 'and') for (const one of node.arguments) replace(one, 'undefined', 'and')
    }
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)
    const isTagged =
      node !== source && ts.isTaggedTemplateExpression(node.parent) && node.parent.tag.getText().startsWith('sql')
    if (isText && (isTagged || isSql(node.getText()))) {
      for (const [pattern, replacement] of sqlChanges)
        for (const { index, 0: match } of node.getText().matchAll(pattern))
          add('SQL', node.getStart() + index, node.getStart() + index + match.length, replacement)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return mutants
}

import ts from 'typescript'
import type { Mutant } from './plugin.ts'
import { listSqlChanges, maskSql } from './sql.ts'

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
/** Conditions of drizzle and their replacements. */
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
/**
 * Returns whether this is `a < b ? -1 : 1`, which orders values that are never equal. Only the sign of its numbers
 * matters.
 */
const isOrder = (node: ts.Node): boolean =>
  ts.isConditionalExpression(node) && [node.whenTrue, node.whenFalse].every((side) => /^-?1$/.test(side.getText()))

/**
 * Returns whether this is the number of `limit + 1`. One row beyond a page shows that another page follows; a second
 * such row would show nothing more.
 */
const isNextPage = (node: ts.Node): boolean => node.parent.getText() === 'limit + 1'

/** Returns the name of a declaration. */
const declaredName = (node: ts.Node): string | undefined =>
  ts.isVariableDeclaration(node) ||
  ts.isFunctionDeclaration(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isPropertyAssignment(node)
    ? node.name?.getText()
    : undefined

/** Returns code that replaces a statement, or an element of a list or of an object, and has no effect. */
function replacementOfEffect(node: ts.Node): readonly [what: string, replacement: string] | null {
  if (ts.isExpressionStatement(node)) {
    const { expression } = node
    return ts.isCallExpression(ts.isAwaitExpression(expression) ? expression.expression : expression)
      ? ['statement', '{}']
      : null
  }
  if (ts.isSpreadAssignment(node) || (ts.isPropertyAssignment(node) && ts.isCallExpression(node.initializer)))
    return ['element', '...{}']
  const isEffect = ts.isCallExpression(node) || ts.isSpreadElement(node) || ts.isArrowFunction(node)
  return isEffect && ts.isArrayLiteralExpression(node.parent) ? ['element', '...[]'] : null
}

/**
 * Returns every mutant of a source text: operators, conditions, numbers, booleans, calls and elements of its code, and
 * guards of its SQL.
 */
export function listMutants(text: string): Mutant[] {
  const source = ts.createSourceFile('mutated.ts', text, ts.ScriptTarget.ESNext, true)
  const mutants: Mutant[] = []
  const names: string[] = []
  const add = (mutant: Omit<Mutant, 'line' | 'within'>): void => {
    const line = source.getLineAndCharacterOfPosition(mutant.start).line + 1
    mutants.push({ ...mutant, line, within: names.join('.') })
  }
  const replace = (node: ts.Node, replacement: string, what = node.getText(), code = node.getText()): void =>
    add({ what, start: node.getStart(), end: node.getEnd(), replacement, code })

  function visit(node: ts.Node): void {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return
    const name = declaredName(node)
    if (name !== undefined) names.push(name)
    if (ts.isBinaryExpression(node) && !isOrder(node.parent)) {
      const other = operators[node.operatorToken.getText()]
      const isText = [node.left, node.right].some(
        (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side),
      )
      if (other !== undefined && !(isText && /[+-]/.test(other)))
        replace(node.operatorToken, other, undefined, node.getText())
    }
    if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) {
      const condition = ts.isIfStatement(node) ? node.expression : node.condition
      replace(condition, `!(${condition.getText()})`, 'condition')
    }
    if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, 'false')
    if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, 'true')
    if (ts.isNumericLiteral(node) && !isOrder(node.parent) && !isOrder(node.parent.parent) && !isNextPage(node))
      replace(node, `(${node.text} + 1)`)
    const effect = replacementOfEffect(node)
    if (effect) replace(node, effect[1], effect[0])
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const other = conditions[node.expression.text]
      // The source may not import the replacing operator, so `applyMutant` adds an import. All these operators of
      // drizzle have the same arguments.
      if (other !== undefined)
        replace(
          node,
          `((o) => o.${other}(${node.arguments.map((one) => one.getText())}))(drizzleOperators)`,
          node.expression.text,
        )
      if (node.expression.text === 'and') for (const one of node.arguments) replace(one, 'undefined', 'and')
    }
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'sql') {
      const { template } = node
      for (const { what, start, end, replacement } of listSqlChanges(maskSql(template)))
        add({
          what,
          start: template.getStart() + start,
          end: template.getStart() + end,
          replacement,
          code: template.getText().slice(start, end),
        })
    }
    ts.forEachChild(node, visit)
    if (name !== undefined) names.pop()
  }
  visit(source)
  return mutants
}

/**
 * Returns the mutants of a source text that a reference names, such as `isLeasedToCaller and lease`. A reference
 * contains a declaration around the change (or several with dots between, the outer one first), `Mutant.what`, and a
 * name in the changed code. So the reference stays valid when the source is edited. If a change is inside another
 * change, only the inner change is returned.
 */
export function findMutants(text: string, reference: string): Mutant[] {
  const [within, changed, name] = reference.split(' ') as [string, string, string]
  const named = listMutants(text).filter(
    (mutant) =>
      mutant.what === changed &&
      `.${mutant.within}.`.includes(`.${within}.`) &&
      mutant.code.split(/\W+/).includes(name),
  )
  return named.filter(({ start, end }) => !named.some((other) => other.start > start && other.end <= end))
}

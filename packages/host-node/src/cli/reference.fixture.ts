import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { commands } from './commands/index.ts'
import { environmentName, choosePlaceholder, type Flag } from './flags/flag.ts'

/** Returns a Markdown table of the flags of each command of the CLI. */
export async function formatCommands(): Promise<string> {
  const sections = []
  for (const { name, summary, load } of commands) {
    const { description, example, flags, files } = await load()
    const rows = Object.entries(flags).map(([flag, definition]) => formatFlag(flag, definition))
    const usage = `tributary ${name} [FLAGS]${files ? ` <${files}...>` : ''}`
    sections.push(
      `### \`${usage}\`\n\n${summary}.${description ? ` ${joinLines(description)}` : ''}\n\n` +
        `Example: \`${example}\`\n\n| flag | environment variable | default | what |\n|---|---|---|---|\n${rows.join('')}`,
    )
  }
  return sections.join('\n')
}

function formatFlag(name: string, flag: Flag): string {
  const placeholder = flag.kind === 'switch' ? '' : ` ${choosePlaceholder(flag)}`
  const range = [
    ...(flag.min === undefined ? [] : [`at least ${flag.min}`]),
    ...(flag.max === undefined ? [] : [`at most ${flag.max}`]),
    ...(flag.kind === 'list' ? ['may be given several times'] : []),
  ]
  const what = `${flag.help}${range.length > 0 ? `; ${range.join(', ')}` : ''}`
  const standard = flag.default === undefined ? '' : formatCode(String(flag.default))
  const [option, variable] = [formatCode(`--${name}${placeholder}`), formatCode(environmentName(name))]
  return `| ${option} | ${variable} | ${standard} | ${escapeCell(what)} |\n`
}

/** Returns a Markdown table of the properties of an exported interface, read from its source and comments. */
export function formatInterface(path: string, name: string): string {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  const found = source.statements.find(
    (statement): statement is ts.InterfaceDeclaration =>
      ts.isInterfaceDeclaration(statement) && statement.name.text === name,
  )
  if (!found) throw new Error(`${path} declares no interface ${name}`)
  const rows = found.members.filter(ts.isPropertySignature).map((member) => {
    const [comment] = ts.getJSDocCommentsAndTags(member)
    const text = comment && ts.isJSDoc(comment) ? (ts.getTextOfJSDocComment(comment.comment) ?? '') : ''
    const option = `${formatCode(member.name.getText())}${member.questionToken ? '' : ' (required)'}`
    return `| ${option} | ${formatCode(member.type?.getText() ?? 'unknown')} | ${escapeCell(joinLines(text))} |\n`
  })
  return `| option | type | what |\n|---|---|---|\n${rows.join('')}`
}

/** Returns a Markdown table of a table of options, read from its source and comments. */
export function formatOptions(path: string, name: string): string {
  const rows = readOptions(path, name).map(
    ({ name: option, isRequired, type, text }) =>
      `| ${formatCode(option)}${isRequired ? ' (required)' : ''} | ${formatCode(type)} | ${escapeCell(joinLines(text))} |\n`,
  )
  return `| option | type | what |\n|---|---|---|\n${rows.join('')}`
}

/**
 * The types of options, by the function that defines an option without a type argument. The type of a `choice` is the
 * list of its values.
 */
const typesOfCalls: Readonly<Record<string, string>> = {
  integer: 'number',
  decimal: 'number',
  toggle: 'boolean',
  text: 'string',
}

/** Returns the entries of an object literal of options, without spread entries. */
function readOptions(path: string, name: string) {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  const table = source.statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .find((declaration) => declaration.name.getText() === name)?.initializer
  if (!table || !ts.isObjectLiteralExpression(table)) throw new Error(`${path} has no table ${name}`)
  return table.properties.filter(ts.isPropertyAssignment).map((property) => {
    const call = property.initializer as ts.CallExpression
    const [comment] = ts.getJSDocCommentsAndTags(property)
    return {
      name: property.name.getText(),
      isRequired: call.expression.getText() === 'required',
      type: typeOfOption(call),
      text: comment && ts.isJSDoc(comment) ? (ts.getTextOfJSDocComment(comment.comment) ?? '') : '',
    }
  })
}

function typeOfOption(call: ts.CallExpression): string {
  const [kind, named, first] = [call.expression.getText(), call.typeArguments?.[0], call.arguments[0]]
  if (named) return named.getText()
  if (kind === 'choice') return (first as ts.ArrayLiteralExpression).elements.map((word) => word.getText()).join(' | ')
  if (kind !== 'group') return typesOfCalls[kind] ?? 'unknown'
  if (first && ts.isIdentifier(first)) return groupNames[first.text] ?? 'unknown'
  const members = (first as ts.ObjectLiteralExpression).properties.filter(ts.isPropertyAssignment)
  return `{ ${members.map((member) => `${member.name.getText()}?: ${typeOfOption(member.initializer as ts.CallExpression)}`).join('; ')} }`
}

/** The names under which docs/configuration.md lists the options within an option. */
const groupNames: Readonly<Record<string, string>> = { quotaOptions: 'Quotas', webhookOptions: 'WebhookOptions' }

const joinLines = (text: string): string => text.replace(/\s+/g, ' ').trim()
const escapeCell = (text: string): string => text.replaceAll('|', '\\|')
const formatCode = (text: string): string => `\`${escapeCell(joinLines(text))}\``

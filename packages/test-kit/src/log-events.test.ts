import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { securityEvents } from '@tributary/core'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const levels = ['info', 'warn', 'error']

/** Returns the sources of core and the hosts, without tests. */
const listSources = (): string[] =>
  ['core', 'host-node', 'host-lambda']
    .flatMap((name) => {
      const folder = join(root, 'packages', name, 'src')
      return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file))
    })
    .filter((file) => file.endsWith('.ts') && !/\.(?:test|fixture|setup)\.ts$/.test(file))

/** Returns `event level` for each call of a logger in a source file, and for each event of an outage of a loop. */
function listLoggedEvents(file: string): string[] {
  const found: string[] = []
  const text = readFileSync(file, 'utf8')
  if (!text.includes('logger')) return found
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression, name } = node.expression
      const isLogged = levels.includes(name.text)
      if (isLogged && /(?:^|\.)logger$/.test(expression.getText(source).replace('?', '')))
        for (const event of listEvents(node.arguments[1], source)) found.push(`${event} ${name.text}`)
    }
    if (ts.isPropertyAssignment(node) && node.name.getText(source) === 'outage' && ts.isStringLiteral(node.initializer))
      found.push(`${node.initializer.text} warn`)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** Returns the possible names of a message: a literal, or one of the two forms that are built from a known set. */
function listEvents(message: ts.Expression | undefined, source: ts.SourceFile): string[] {
  if (message && ts.isStringLiteral(message)) return [message.text]
  const text = message?.getText(source) ?? ''
  if (text === 'event' && source.fileName.endsWith('security-events.ts')) return Object.keys(securityEvents)
  if (text === 'outage' && source.fileName.endsWith('queue/loop.ts')) return []
  if (text.includes('${kind}')) return ['export', 'erasure'].map((kind) => text.slice(1, -1).replace('${kind}', kind))
  return [`${text} of ${source.fileName}, which is not a literal`]
}

/** Returns `event level` for each row of the tables of log events. */
function listDocumented(): string[] {
  const page = readFileSync(join(root, 'docs/observability.md'), 'utf8')
  return [...page.matchAll(/^\| (`[a-z_.`, ]+`) \| ([a-z, ]+) \| /gm)].flatMap(([, events, given]) => {
    const named = given!.split(', ')
    if (!named.every((level) => levels.includes(level))) return []
    return events!.split(', ').flatMap((event) => named.map((level) => `${event.replaceAll('`', '')} ${level}`))
  })
}

describe('log events', () => {
  test('docs/observability.md lists exactly the events that are logged, with their levels', () => {
    const logged = new Set(listSources().flatMap(listLoggedEvents))
    expect(logged.size).toBeGreaterThan(60)
    expect([...new Set(listDocumented())].toSorted()).toEqual([...logged].toSorted())
  })
})

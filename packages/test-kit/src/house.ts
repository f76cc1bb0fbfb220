import { dirname, join } from 'node:path/posix'
import ts from 'typescript'

/** A source file by its path from the repository's root. */
export interface Source {
  readonly path: string
  readonly text: string
}

const crowded = /^(utils?|helpers?|common|types?|shared|misc|lib)$/

const capability = /^packages\/core\/src\/(sessions|telemetry|traces|ingest|policy|contributors|ads|program|reports|outbox|admin|account|scrub)\//
/** A step that must be atomic may cross capabilities; each such file is named. What goes out after a commit is stored in it: anyone may name the outbox's records. */
const crossing = new Set(['ingest/store.ts traces', 'ingest/prepare.ts traces'])
/** The sum that SQL does in the statement, memory does by the rule. */
const reckoning = 'packages/core/src/memory/ingest.ts packages/core/src/ingest/rules.ts'
const platform = /^(node:|h3$|srvx|pino|nodemailer|maxmind|@aws-sdk\/|aws-lambda|@libsql\/|libsql$|@tributary\/)/

const isTest = (path: string): boolean => /(\.test|\.fixture|\/fixture)\.ts$/.test(path)

/** What a file imports or re-exports, with relative specifiers resolved to paths from the root. */
export function imports({ path, text }: Source): string[] {
  const { importedFiles } = ts.preProcessFile(text, true, true)
  return importedFiles.map(({ fileName }) => (fileName.startsWith('.') ? join(dirname(path), fileName) : fileName))
}

/** Everything in which the sources break design.md's "Who may import whom", "Folders" and habit 13. Empty: nothing. */
export function breaches(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => [
    ...shape(source), ...importing(source), ...endless(source), ...(pureCore(source.path) ? impure(source) : []),
  ])
}

const pureCore = (path: string): boolean => path.startsWith('packages/core/src/') && !isTest(path) && path !== 'packages/core/src/system.ts'

function shape({ path }: Source): string[] {
  const found: string[] = []
  const word = path.split('/').at(-1)!.replace(/(\.(laws|test|fixture|config))*\.ts$/, '')
  if (crowded.test(word)) found.push(`${path}: \`${word}\` says nothing; name the idea`)
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(word)) found.push(`${path}: file names are lower-case words joined by hyphens`)
  return found
}

function importing(source: Source): string[] {
  const { path } = source
  if (isTest(path)) return []
  const bad = (what: string, why: string): string => `${path} imports ${what}: ${why}`
  const found: string[] = []
  const own = capability.exec(path)
  const leaf = /^packages\/core\/src\/[a-z]+\/(contract|rules)\.ts$/.test(path)
  const keeps = /^packages\/core\/src\/(memory|libsql)\//.exec(path)
  for (const to of imports(source)) {
    // Core's own bench measures its insides.
    if (path.startsWith('packages/core/bench/')) continue
    if (!path.startsWith('packages/core/src/')) {
      if (to.startsWith('packages/core/') || /^@tributary\/core\/(?!(libsql|memory|scrub|client|worker|host)$)/.test(to)) found.push(bad(to, 'only what @tributary/core exports'))
      continue
    }
    if (platform.test(to)) found.push(bad(to, 'core runs anywhere'))
    if (to.startsWith('drizzle-orm') && keeps?.[1] !== 'libsql') found.push(bad(to, 'drizzle only under libsql/'))
    const into = capability.exec(to)?.[1]
    const [, name] = /^packages\/core\/src\/(.*)$/.exec(path)!
    if (own && into && into !== own[1] && into !== 'outbox' && to.endsWith('/store.ts') && !crossing.has(`${name} ${into}`)) found.push(bad(to, 'no capability imports another\'s store'))
    if (own && /^packages\/core\/src\/(memory|libsql)\//.test(to)) found.push(bad(to, 'a capability knows its port, not who keeps it'))
    if (leaf && !(to === 'zod' || /^packages\/core\/src\/(http\/|ids\.ts)/.test(to) || dirname(to) === dirname(path))) {
      found.push(bad(to, 'contract and rules know only zod, http/ and ids'))
    }
    if (keeps && into && !to.endsWith('/store.ts') && `${path} ${to}` !== reckoning) found.push(bad(to, 'a store knows store types only'))
  }
  return found
}

/** Reads of the clock, of randomness and of the platform, looked for in the syntax: comments and texts may speak of them. */
function impure({ path, text }: Source): string[] {
  const found: string[] = []
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
  const visit = (node: ts.Node): void => {
    const where = (): string => `${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
    if (ts.isPropertyAccessExpression(node)) {
      const name = node.getText()
      if (['Date.now', 'Math.random', 'performance.now', 'crypto.getRandomValues', 'crypto.randomUUID'].includes(name)) found.push(`${where()} reads ${name}: it is a port`)
    }
    if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length) found.push(`${where()} reads new Date(): it is a port`)
    const named = ts.isIdentifier(node) && ['process', 'Buffer', 'console', 'require', '__dirname'].includes(node.text)
    if (named && used(node)) found.push(`${where()} uses ${node.getText()}: core runs anywhere`)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

/** Code that runs beside people's services; the rest talks to loopback alone. */
const shipped = /^(packages\/(core|host-node|host-lambda)\/src|examples\/[^/]+\/src)\//
/** Names of calls that wait for another machine. `service.fetch` and a queue's or a mailer's `send` of our own ports are not among them. */
const remote = /(^|\.)(fetch|sendMail)$|(^|\.)transport\.verify$|(^|\.)client\.send$/

/** Remote calls that are neither inside `within` nor given an AbortSignal: such a call may never end. */
function endless({ path, text }: Source): string[] {
  if (!shipped.test(path) || isTest(path) || !/fetch|send|verify/.test(text)) return []
  const found: string[] = []
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
  const visit = (node: ts.Node, isBounded: boolean): void => {
    const isCall = ts.isCallExpression(node)
    const callee = isCall ? node.expression.getText() : ''
    const isRemote = isCall && remote.test(callee) && callee !== 'service.fetch'
    // A function that hands its own arguments on leaves the signal to its caller.
    const signalled = isRemote && node.arguments.some((given) => /signal/i.test(given.getText()) || ts.isSpreadElement(given))
    if (isRemote && !isBounded && !signalled) {
      const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1
      found.push(`${path}:${line} calls ${callee} without a deadline: use within, or give it a signal`)
    }
    ts.forEachChild(node, (child) => visit(child, isBounded || callee === 'within'))
  }
  visit(file, false)
  return found
}

/** Whether an identifier stands for the global: not a property's, a parameter's or a declaration's own name. */
function used(node: ts.Node): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node
  return ts.isCallExpression(parent) || ts.isVariableDeclaration(parent) ? !(ts.isVariableDeclaration(parent) && parent.name === node) : false
}

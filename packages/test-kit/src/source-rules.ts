import ts from 'typescript'

/** A source file by its path from the repository's root. */
export interface Source {
  readonly path: string
  readonly text: string
}

const emptyNames = /^(utils?|helpers?|common|types?|shared|misc|lib)$/

const isTest = (path: string): boolean => /(\.test|\.fixture|\/fixture)\.ts$/.test(path)

/**
 * Returns the lines and files that break the rules that neither oxlint nor dependency-cruiser can express: file names,
 * `new Date()`, functions among rules, deadlines, long lines.
 */
export function listMistakes(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => [
    ...listFileNameMistakes(source),
    ...findCallsWithoutDeadline(source),
    ...findLongLines(source),
    ...(isPureCore(source.path) ? findNodes(source, isClockRead, 'reads new Date(): time is a port') : []),
    ...(source.path.startsWith('packages/core/src/scrubber/rules/')
      ? findNodes(source, ts.isFunctionLike, 'is a function: rules are data, and name functions of detectors/')
      : []),
  ])
}

const isPureCore = (path: string): boolean =>
  path.startsWith('packages/core/src/') && !isTest(path) && path !== 'packages/core/src/system.ts'

function listFileNameMistakes({ path }: Source): string[] {
  const found: string[] = []
  const word = path
    .split('/')
    .at(-1)!
    .replace(/(\.(contract|test|fixture|config|isolated|long|slow|setup))*\.ts$/, '')
  if (emptyNames.test(word)) found.push(`${path}: \`${word}\` has no meaning; name the file by its content`)
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(word))
    found.push(`${path}: file names are lower-case words joined by hyphens`)
  return found
}

/** Returns whether a node is `new Date()`, a read of the clock that a lint rule on properties misses. */
const isClockRead = (node: ts.Node): boolean =>
  ts.isNewExpression(node) && node.expression.getText() === 'Date' && !node.arguments?.length

function findNodes({ path, text }: Source, isMistake: (node: ts.Node) => boolean, why: string): string[] {
  const found: string[] = []
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
  const visit = (node: ts.Node): void => {
    if (isMistake(node)) found.push(`${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1} ${why}`)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

/** Code that runs as a part of people's services. Other code sends requests only to loopback addresses. */
const shippedSource = /^(packages\/(core|host-node|host-lambda)\/src|examples\/[^/]+\/src)\//
/**
 * Names of calls that wait for another machine. `service.fetch` and the `send` of our queue and mailer ports are not
 * included.
 */
const remoteCall = /(^|\.)(fetch|sendMail)$|(^|\.)transport\.verify$|(^|\.)client\.send$/

/** Finds remote calls that are neither inside `within` nor have an AbortSignal. Such a call may never end. */
function findCallsWithoutDeadline({ path, text }: Source): string[] {
  if (!shippedSource.test(path) || isTest(path) || !/fetch|send|verify/.test(text)) return []
  const found: string[] = []
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true)
  const visit = (node: ts.Node, isBounded: boolean): void => {
    const isCall = ts.isCallExpression(node)
    const callee = isCall ? node.expression.getText() : ''
    const isRemote = isCall && remoteCall.test(callee) && callee !== 'service.fetch'
    // A function that passes on its own arguments leaves the signal to its caller.
    const hasSignal =
      isRemote && node.arguments.some((argument) => /signal/i.test(argument.getText()) || ts.isSpreadElement(argument))
    if (isRemote && !isBounded && !hasSignal) {
      const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1
      found.push(`${path}:${line} calls ${callee} without a deadline: use within, or give it a signal`)
    }
    ts.forEachChild(node, (child) => visit(child, isBounded || callee === 'within'))
  }
  visit(file, false)
  return found
}

/** Files that are mostly data: rules and words of the scrubber, SQL of migrations, the texts of terms and privacy. */
const dataFile =
  /^packages\/core\/(?:bench\/fit|src\/(?:scrubber|browser\/generated|stores\/(?:libsql|postgres)\/migrations|contributors\/policy\/terms|documents\/privacy))/
const caseFile = /\/fixtures\/scrubber\/|\/exports\.test\.ts$/

/** Finds lines that the formatter cannot break, such as a long text. An expression alone on a line may be longer. */
function findLongLines({ path, text }: Source): string[] {
  if (dataFile.test(path) || caseFile.test(path)) return []
  return text
    .split('\n')
    .flatMap((line, at) =>
      line.length > 140 && !line.trimStart().startsWith('/')
        ? [`${path}:${at + 1} has ${line.length} characters: break the line before 140`]
        : [],
    )
}

import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import ts from 'typescript'

/** A fenced block of a Markdown file. */
export interface Snippet {
  readonly file: string
  /** Line of the opening fence, from 1. */
  readonly line: number
  readonly language: string
  readonly code: string
}

/** The fenced blocks of a Markdown text. */
export function snippets(file: string, markdown: string): Snippet[] {
  const found: Snippet[] = []
  let open: { line: number; language: string; code: string[] } | null = null
  for (const [index, line] of markdown.split('\n').entries()) {
    const fence = /^\s*```(\w*)\s*$/.exec(line)
    if (fence && open) {
      found.push({ file, line: open.line, language: open.language, code: open.code.join('\n') })
      open = null
    } else if (fence) open = { line: index + 1, language: fence[1] ?? '', code: [] }
    else open?.code.push(line)
  }
  return found
}

/**
 * Type-checks snippets under the house's compiler options, each as a module of the folder that `home` names for it (its
 * imports resolve as they would there). Gives what the compiler says, by Markdown file and line.
 */
export function typeErrors(root: string, code: readonly Snippet[], home: (file: string) => string): string[] {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(root, 'tsconfig.json'),
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} },
  )
  const options = { ...config!.options, noUnusedLocals: false, noUnusedParameters: false }
  const at = new Map(code.map((snippet, i) => [join(root, home(snippet.file), `snippet-${i}.ts`), snippet]))
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile } = host
  host.fileExists = (path) => at.has(path) || fileExists(path)
  // `export {}` makes a module of a snippet without imports, so that it may await and its names stay its own.
  host.readFile = (path) => (at.has(path) ? `${at.get(path)!.code}\nexport {}\n` : readFile(path))
  host.getSourceFile = (path, language) => {
    const text = host.readFile(path)
    return text === undefined ? undefined : ts.createSourceFile(path, text, language)
  }
  const program = ts.createProgram([...at.keys()], options, host)
  return [...at].flatMap(([path, snippet]) => {
    const file = program.getSourceFile(path)
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ start, messageText }) => {
        const row = file!.getLineAndCharacterOfPosition(start ?? 0).line + 1
        return `${relative(root, join(root, dirname(snippet.file), snippet.file.split('/').at(-1)!))}:${snippet.line + row}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
      },
    )
  })
}

/** Whether a snippet runs by itself: it declares nothing, and needs neither a network nor a test runner. */
export const isRunnable = ({ code }: Snippet): boolean =>
  !/\bdeclare |https?:\/\/[^'\s]*\b(?!127)|process\.env|\/var\/|conformanceLaws|bundleFunctions|runFaults/.test(code) ||
  shownOutputs(code).length > 0

const shown = /^const (\w+)(?:: [^=]+)? = .*?(?:\n)?[ \t]*\/\/ ((?:[[{'"]|-?\d|true|false|null).*)$/gm

/** The constants whose value a comment behind them shows, with that value as it is written. */
export function shownOutputs(code: string): { name: string; value: string }[] {
  return [...code.matchAll(shown)].map(([, name, value]) => ({ name: name!, value: value! }))
}

/** Runs a snippet, with imports as `home` resolves them, and gives the values whose comments show another. */
export async function wrongOutputs(root: string, snippet: Snippet, home: (file: string) => string): Promise<string[]> {
  const outputs = shownOutputs(snippet.code)
  const list = outputs.map(({ name, value }) => `${name}: [${name}, ${value}]`).join(', ')
  const entry = `${snippet.code}\nexport const outputs = { ${list} }\n`
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: join(root, home(snippet.file)), loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    conditions: ['tributary-source'],
    external: ['libsql', '@libsql/*', 'esbuild', 'vitest'],
    logLevel: 'error',
  })
  const folder = await mkdtemp(join(root, 'packages/test-kit/node_modules/.snippet-'))
  try {
    const file = join(folder, 'snippet.mjs')
    await writeFile(file, outputFiles[0]!.text)
    const { outputs: got } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
      outputs: Record<string, readonly [got: unknown, shown: unknown]>
    }
    return outputs
      .filter(({ name }) => JSON.stringify(got[name]![0]) !== JSON.stringify(got[name]![1]))
      .map(
        ({ name, value }) =>
          `${snippet.file}:${snippet.line}: ${name} is ${JSON.stringify(got[name]![0])}, and the comment shows ${value}`,
      )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Commands in shell snippets that name a root script which does not exist. */
export function unknownScripts(code: readonly Snippet[], scripts: readonly string[]): string[] {
  return code.flatMap(({ file, line, code: text }) =>
    [...text.matchAll(/\bnpm (?:run )?(?:-s )?([a-z][\w:-]*)/g)]
      .filter(([, name]) => !['install', 'ci', 'ping', 'i'].includes(name!) && !scripts.includes(name!))
      .map(([, name]) => `${file}:${line}: there is no script \`${name}\``),
  )
}

/** Links of a Markdown text that lead to no file of the repository; addresses elsewhere are not asked. */
export function deadLinks(root: string, file: string, markdown: string): string[] {
  const targets = [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!.split('#')[0]!)
  return targets
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(file), target)))
    .map((target) => `${file}: ${target} is not there`)
}

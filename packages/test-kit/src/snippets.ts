import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'

/** A fenced block of a Markdown file. */
export interface Snippet {
  readonly file: string
  /** The line of the opening fence, from 1. */
  readonly line: number
  readonly language: string
  readonly code: string
}

/** Returns the fenced blocks of a Markdown text. */
export function listSnippets(file: string, markdown: string): Snippet[] {
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
 * Type-checks snippets with the project's compiler options. Each snippet is a module of the folder that `home` returns
 * for it, so its imports resolve as in this folder. Returns the compiler's errors by Markdown file and line.
 */
export async function typeErrors(
  root: string,
  code: readonly Snippet[],
  home: (file: string) => string,
): Promise<string[]> {
  const folders = new Map<string, string>()
  const files = new Map<string, Snippet>()
  try {
    for (const [index, snippet] of code.entries()) {
      const folder = join(root, home(snippet.file))
      // Other tools do not read folders in node_modules, and imports resolve from the parent folder.
      if (!folders.has(folder)) folders.set(folder, await mkdtemp(join(folder, 'node_modules/.snippets-')))
      const path = join(folders.get(folder)!, `snippet-${index}.ts`)
      // `export {}` turns a snippet without imports into a module, so that it may use `await` and its names are local.
      await writeFile(path, `${snippet.code}\nexport {}\n`)
      files.set(path, snippet)
    }
    const [first] = folders.values()
    if (first === undefined) return []
    const project = join(first, 'tsconfig.json')
    const compilerOptions = { noUnusedLocals: false, noUnusedParameters: false }
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files: [...files.keys()] }
    await writeFile(project, JSON.stringify(config))
    const tsc = join(root, 'node_modules/typescript7/bin/tsc')
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', project, '--pretty', 'false'], {
      cwd: root,
    }).catch((error: { stdout?: string }) => {
      if (error.stdout === undefined) throw error
      return { stdout: error.stdout }
    })
    return [...stdout.matchAll(/^(\S.*)\((\d+),\d+\): (.*(?:\n .*)*)/gm)].map(([line, file, row, message]) => {
      const snippet = files.get(join(root, file!))
      return snippet ? `${snippet.file}:${snippet.line + Number(row)}: ${message}` : line
    })
  } finally {
    for (const folder of folders.values()) await rm(folder, { recursive: true, force: true })
  }
}

/** Returns the file from which a snippet is an excerpt. The first line of the snippet is a comment with the path. */
export const readExcerptedFile = ({ code }: Snippet): string | null =>
  /^\/\/ ((?:examples|packages)\/\S+)\n/.exec(code)?.[1] ?? null

/** Returns the excerpts whose consecutive lines are not in their file. Indentation is ignored. */
export function listWrongExcerpts(root: string, code: readonly Snippet[]): string[] {
  const normalizeIndent = (text: string): string => text.replaceAll(/^[ \t]+/gm, '').trim()
  return code.flatMap((snippet) => {
    const file = readExcerptedFile(snippet)
    if (file === null) return []
    const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : ''
    const excerpt = normalizeIndent(snippet.code.slice(snippet.code.indexOf('\n')))
    return normalizeIndent(text).includes(excerpt) ? [] : [`${snippet.file}:${snippet.line}: this is not in ${file}`]
  })
}

/** Returns whether a snippet runs by itself: it declares nothing, and requires neither a network nor a test runner. */
export const isRunnable = ({ code }: Snippet): boolean =>
  !/\bdeclare |https?:\/\/[^'\s]*\b(?!127)|process\.env|\/var\/|runConformanceContract|runFaults/.test(code) ||
  listShownOutputs(code).length > 0

const shown = /^const (\w+)(?:: [^=]+)? = .*?(?:\n)?[ \t]*\/\/ ((?:[[{'"]|-?\d|true|false|null).*)$/gm

/** Returns the constants with a comment that shows their value, and the text of this value. */
export function listShownOutputs(code: string): { name: string; value: string }[] {
  return [...code.matchAll(shown)].map(([, name, value]) => ({ name: name!, value: value! }))
}

/**
 * Runs a snippet, whose imports resolve from the folder that `home` returns, and returns the values that differ from
 * the values in its comments.
 */
export async function listWrongOutputs(
  root: string,
  snippet: Snippet,
  home: (file: string) => string,
): Promise<string[]> {
  const outputs = listShownOutputs(snippet.code)
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

/** Returns commands in shell snippets that name a root script that does not exist. */
export function listUnknownScripts(code: readonly Snippet[], scripts: readonly string[]): string[] {
  return code.flatMap(({ file, line, code: text }) =>
    [...text.matchAll(/\bnpm (?:run )?(?:-s )?([a-z][\w:-]*)/g)]
      .filter(([, name]) => !['install', 'ci', 'ping', 'pkg', 'i'].includes(name!) && !scripts.includes(name!))
      .map(([, name]) => `${file}:${line}: there is no script \`${name}\``),
  )
}

/** Returns links of a Markdown text that do not lead to a file of the repository. External URLs are not checked. */
export function listDeadLinks(root: string, file: string, markdown: string): string[] {
  const targets = [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!.split('#')[0]!)
  return targets
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(file), target)))
    .map((target) => `${file}: ${target} is not there`)
}

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** A package of Debian or npm whose code is read. It is pinned by name, version and hash. */
export interface PinnedPackage {
  readonly language: string
  readonly manager: 'apt' | 'npm'
  readonly name: string
  readonly version: string
  /** The name of the downloaded file. */
  readonly file: string
  readonly sha256: string
  /** The endings of the names of the files that are read, with the dot. */
  readonly endings: readonly string[]
  /** A zip archive inside the package, and the part of it that is read. */
  readonly archive?: { readonly path: string; readonly only: string }
}

/** A text that is scrubbed as one trace. `name` identifies it in labels. */
export interface Source {
  readonly name: string
  readonly texts: readonly string[]
}

/** The maximum number of characters of one language that are read. */
const LANGUAGE_LIMIT = 1_000_000
const FILE_LIMIT = 200_000

const hashOf = (value: string | Uint8Array): string => createHash('sha256').update(value).digest('hex')

/** Returns the folder for downloads. It is outside the repository, because nothing of it is committed. */
const cacheFolder = (): string => process.env.TRIBUTARY_BENCH_CACHE ?? join(homedir(), '.cache', 'tributary-bench')

/** Downloads a package, checks its hash and unpacks it. Returns its folder. Throws an error that says what is missing. */
function unpackPackage(pinned: PinnedPackage): string {
  const { manager, name, version, file, sha256, archive } = pinned
  const downloads = join(cacheFolder(), 'downloads')
  const folder = join(cacheFolder(), 'unpacked', sha256)
  mkdirSync(downloads, { recursive: true })
  const path = join(downloads, file)
  if (!existsSync(path)) {
    const command =
      manager === 'apt'
        ? ['apt-get', 'download', `${name}=${version}`]
        : ['npm', 'pack', '--silent', `${name}@${version}`]
    execFileSync(command[0]!, command.slice(1), { cwd: downloads, stdio: ['ignore', 'ignore', 'pipe'] })
  }
  const found = hashOf(readFileSync(path))
  if (found !== sha256)
    throw new Error(`${path} has the sha256 ${found} instead of ${sha256}: delete it to download it again`)
  if (existsSync(folder)) return folder
  const partial = `${folder}.partial`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  if (manager === 'apt') execFileSync('dpkg-deb', ['-x', path, partial])
  else execFileSync('tar', ['xzf', path, '-C', partial])
  if (archive) execFileSync('unzip', ['-q', join(partial, archive.path), archive.only, '-d', join(partial, 'archive')])
  execFileSync('mv', [partial, folder])
  return folder
}

/**
 * Returns files of a language's packages, up to a million characters, in an order that depends only on their paths.
 * Packages that cannot be downloaded are reported and left out.
 */
export function readCode(packages: readonly PinnedPackage[], onSkip: (reason: string) => void): Source[] {
  const files: { name: string; path: string }[] = []
  for (const pinned of packages)
    try {
      const folder = unpackPackage(pinned)
      for (const path of walk(folder, pinned.endings))
        files.push({ name: `${pinned.name}${path.slice(folder.length)}`, path })
    } catch (error) {
      onSkip(`${pinned.name} ${pinned.version}: ${(error as Error).message.split('\n')[0]}`)
    }
  const sources: Source[] = []
  let size = 0
  for (const { name, path } of files.sort((a, b) => (hashOf(a.name) < hashOf(b.name) ? -1 : 1))) {
    const text = readFileSync(path, 'utf8')
    if (size + text.length > LANGUAGE_LIMIT) continue
    size += text.length
    sources.push({ name, texts: [text] })
  }
  return sources
}

function* walk(folder: string, endings: readonly string[]): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* walk(path, endings)
    else if (
      entry.isFile() &&
      endings.some((ending) => entry.name.endsWith(ending)) &&
      statSync(path).size <= FILE_LIMIT
    )
      yield path
  }
}

/** The number of the airline's conversations that are read. They are few, because they resemble each other. */
const AIRLINE = 40

/**
 * Reads the sessions of ../shared/traces, each as one trace: histories, sessions as agents write them, conversations.
 * Returns undefined if the folder is missing.
 */
export function readSessions(folder: string): Source[] | undefined {
  if (!existsSync(folder)) return undefined
  const sources: Source[] = []
  for (const file of readdirSync(join(folder, 'histories')).sort()) {
    const text = readFileSync(join(folder, 'histories', file), 'utf8')
    // The name has only the number of the file, because names of files contain names of people.
    sources.push({ name: `histories/${file.slice(0, 2)}`, texts: text.split(/\n(?=---\n)/) })
  }
  for (const file of readdirSync(join(folder, 'sessions')).sort())
    sources.push({ name: `sessions/${file}`, texts: readFileSync(join(folder, 'sessions', file), 'utf8').split('\n') })
  for (const [file, limit] of [
    ['airline.ingest.json', AIRLINE],
    ['swe-agent.ingest.json', Infinity],
  ] as const) {
    const { traces } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
      traces: { messages: { content: string }[] }[]
    }
    for (const [index, { messages }] of traces.entries())
      if (index < limit)
        sources.push({ name: `${file.split('.')[0]}/${index}`, texts: messages.map(({ content }) => content) })
  }
  return sources
}

import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import type { SigningKey } from '@tributary/core'
import { checkPackageFile, type PackageFile } from '@tributary/core/host'
import { CommandError } from '../cli/errors.ts'
import { countFiles, parseJson } from './count-files.ts'
import type { ExportedFile, Manifest, Sums, Totals } from './manifest.ts'
import { findSigner } from './signing.ts'

export interface VerifiedPackage {
  readonly manifest: Manifest
  /** The key that signed the package. Null if the package is unsigned or no keys were given. */
  readonly signer: SigningKey | null
  /** The compared counts, which are the counts that files of the package's format contain. */
  readonly counts: readonly (keyof Totals)[]
}

/**
 * Verifies a package: the signature with one of the keys (unless `keys` is null), the size and hash of each file,
 * `provenance.json`, `croissant.json` and each line (except Parquet) by their schemas, and the counts of the manifest.
 * Throws `CommandError` that names the first difference.
 */
export async function verifyPackage(folder: string, keys: readonly SigningKey[] | null): Promise<VerifiedPackage> {
  const bytes = readPackageFile(folder, 'manifest.json')
  // The signature is verified before any field of the manifest is used.
  const signer = keys && verifySignature(folder, bytes, keys)
  const manifest = (await parsePackageFile('manifest.json', bytes)) as Manifest
  if (manifest.signature && !existsSync(join(folder, 'manifest.json.sig')))
    throw new CommandError(
      `manifest.json.sig: is missing, manifest.json is signed by the key ${manifest.signature.kid}`,
    )
  const replacedOn = signer?.until?.slice(0, 10)
  if (replacedOn && manifest.date > replacedOn)
    throw new CommandError(
      `manifest.json: is dated ${manifest.date}, its key ${signer?.kid} was replaced on ${replacedOn}`,
    )
  for (const file of manifest.files) await verifyFile(folder, file)
  const listed = new Set(manifest.files.map(({ path }) => path))
  const stranger = listFiles(folder).find((path) => !listed.has(path))
  if (stranger !== undefined) throw new CommandError(`${stranger}: is not in manifest.json`)
  for (const name of ['provenance.json', 'croissant.json'] as const)
    await parsePackageFile(name, readPackageFile(folder, name))
  verifySums(manifest)
  return { manifest, signer, counts: await verifyCounts(folder, manifest) }
}

/** Checks that the traces and tokens of all origins add up to the traces and tokens of the package. */
function verifySums(manifest: Manifest): void {
  for (const name of ['termsVersions', 'countries'] as const) {
    // The schema does not check the value of `__proto__`.
    const sums: (Sums[string] | null)[] = Object.values(manifest[name])
    for (const unit of ['traces', 'tokens'] as const) {
      const sum = sums.reduce((total, one) => total + (one?.[unit] ?? NaN), 0)
      if (sum !== manifest[unit])
        throw new CommandError(`${name}: sum up to ${sum} ${unit}, the manifest says ${manifest[unit]}`)
    }
  }
}

function readPackageFile(folder: string, name: string): Buffer {
  if (!existsSync(join(folder, name))) throw new CommandError(`${name}: is missing`)
  return readFileSync(join(folder, name))
}

function verifySignature(folder: string, manifest: Buffer, keys: readonly SigningKey[]): SigningKey {
  if (!existsSync(join(folder, 'manifest.json.sig')))
    throw new CommandError('manifest.json.sig: is missing, the package is unsigned')
  const signer = findSigner(manifest, readPackageFile(folder, 'manifest.json.sig'), keys)
  if (signer) return signer
  const kids = keys.map(({ kid }) => kid).join(', ') || 'none'
  throw new CommandError(`manifest.json: the signature is not by a known key (${kids}), or the manifest was changed`)
}

/** Parses a JSON file of the package. Throws `CommandError` if the content does not match the schema of the file. */
async function parsePackageFile(name: PackageFile, bytes: Buffer): Promise<unknown> {
  const content = parseJson(bytes.toString())
  const mistake = await checkPackageFile(name, content)
  if (mistake !== null) throw new CommandError(`${name}: does not match its schema: ${mistake}`)
  return content
}

async function verifyFile(folder: string, { path, bytes, sha256 }: ExportedFile): Promise<void> {
  // Anybody may have written the manifest, so it must not name a file outside of the package.
  if (!documentNames.includes(path) && (!/^data\/[\w.-]+(?:\/[\w.-]+)?$/.test(path) || path.split('/').includes('..')))
    throw new CommandError(`manifest.json: ${path} is not a path below data`)
  const stats = statSync(join(folder, path), { throwIfNoEntry: false })
  if (!stats?.isFile()) throw new CommandError(`${path}: is missing`)
  const { size } = stats
  if (size !== bytes) throw new CommandError(`${path}: has ${size} bytes, the manifest says ${bytes}`)
  const hash = createHash('sha256')
  await pipeline(createReadStream(join(folder, path)), hash)
  if (hash.digest('hex') !== sha256) throw new CommandError(`${path}: its SHA-256 differs from the manifest`)
}

/** The files of a package outside of its data folder, whose hashes are in `manifest.json`. */
const documentNames = ['README.md', 'croissant.json', 'provenance.json']

/**
 * Lists the files that the manifest has to name. Hidden files next to the data folder belong to tools, such as git or a
 * download from the Hub.
 */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .filter((path) => !path.startsWith('.') && path !== 'manifest.json' && path !== 'manifest.json.sig')
}

/**
 * Compares the counts that the files contain with the counts of the manifest. Returns the names of the compared counts.
 */
async function verifyCounts(folder: string, manifest: Manifest): Promise<(keyof Totals)[]> {
  const counted = await countFiles(folder, manifest)
  for (const [name, value] of Object.entries(counted)) {
    const stated = manifest[name as keyof Totals]
    if (!isDeepStrictEqual(value, stated))
      throw new CommandError(
        `${name}: the files have ${JSON.stringify(value)}, the manifest says ${JSON.stringify(stated)}`,
      )
  }
  return Object.keys(counted) as (keyof Totals)[]
}

import type * as z from 'zod'
import type { DatasetFormat } from './formats.ts'

/**
 * Returns a function that compares a line of the dataset with the schema of its format (`docs/schemas`). The function
 * returns the first mistake, or null.
 */
export async function loadLineCheck(format: DatasetFormat): Promise<(line: unknown) => string | null> {
  const { lineSchemas } = await import('./lines.ts')
  return (line) => findMistake(lineSchemas[format], line, 'the line')
}

/** The JSON files of a package, except its data. */
export type PackageFile = 'manifest.json' | 'provenance.json' | 'croissant.json'

const packageSchemas: Readonly<Record<PackageFile, () => Promise<z.ZodType>>> = {
  'manifest.json': async () => (await import('./package-manifest.ts')).PackageManifest,
  'provenance.json': async () => (await import('./package-provenance.ts')).PackageProvenance,
  'croissant.json': async () => (await import('./package-croissant.ts')).PackageCroissant,
}

/** Compares a JSON file of a package with its schema. Returns the first mistake, or null. */
export async function checkPackageFile(name: PackageFile, content: unknown): Promise<string | null> {
  return findMistake(await packageSchemas[name](), content, 'the file')
}

function findMistake(schema: z.ZodType, value: unknown, name: string): string | null {
  const [issue] = schema.safeParse(value).error?.issues ?? []
  return issue ? `${issue.path.join('.') || name}: ${issue.message}` : null
}

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

/** Returns the first mistake of the manifest of a package, or null. */
export async function checkManifest(manifest: unknown): Promise<string | null> {
  const { PackageManifest } = await import('./package-manifest.ts')
  return findMistake(PackageManifest, manifest, 'the manifest')
}

function findMistake(schema: z.ZodType, value: unknown, name: string): string | null {
  const [issue] = schema.safeParse(value).error?.issues ?? []
  return issue ? `${issue.path.join('.') || name}: ${issue.message}` : null
}

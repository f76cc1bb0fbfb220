import type { DatasetFormat } from './formats.ts'

/**
 * Returns a function that checks a line of the dataset by the schema of its format (`docs/schemas`). The function
 * returns the mistake, or null.
 */
export async function loadLineCheck(format: DatasetFormat): Promise<(line: unknown) => string | null> {
  const { lineSchemas } = await import('./lines.ts')
  const schema = lineSchemas[format]
  return (line) => {
    const [issue] = schema.safeParse(line).error?.issues ?? []
    return issue ? `${issue.path.join('.') || 'the line'}: ${issue.message}` : null
  }
}

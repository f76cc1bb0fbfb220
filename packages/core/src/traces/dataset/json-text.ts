/** A JSON text that is inserted into another JSON text unchanged, without being parsed and written again. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Writes an object as JSON, in the order of its keys, without keys whose value is undefined. */
export function formatJsonObject(fields: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${valueText(value)}`).join(',')}}`
}

/** Writes a list as JSON. */
export const listText = (texts: readonly string[]): JsonText => new JsonText(`[${texts.join(',')}]`)

const valueText = (value: unknown): string => (value instanceof JsonText ? value.text : JSON.stringify(value))

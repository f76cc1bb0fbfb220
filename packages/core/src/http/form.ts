import type * as z from 'zod'
import { sanitizeText } from './text.ts'
import { check } from './json.ts'
import type { Issue } from './failures.ts'

/** A page's form as its handler gets it: the value when all is right, else what to say beside which field, and what was typed. */
export interface Form<Value> {
  readonly fields: Readonly<Record<string, string>>
  readonly value: Value | null
  readonly issues: readonly Issue[]
}

/**
 * Reads `application/x-www-form-urlencoded`. Empty fields count as absent. Of a repeated field the last counts, unless the
 * schema says it is a list, as for a column of checkboxes.
 */
export function parseForm<S extends z.ZodObject>(bytes: Uint8Array, schema: S): Form<z.output<S>> {
  const fields: Record<string, string> = {}
  const lists: Record<string, string[]> = {}
  for (const [name, value] of new URLSearchParams(new TextDecoder().decode(bytes))) {
    if (!Object.hasOwn(schema.shape, name) || value.trim() === '') continue
    if (schema.shape[name]!._zod.def.type === 'array') (lists[name] ??= []).push(sanitizeText(value.trim()))
    else fields[name] = sanitizeText(value.trim())
  }
  const checked = check(schema, { ...fields, ...lists })
  return 'issues' in checked
    ? { fields, value: null, issues: checked.issues }
    : { fields, value: checked.value, issues: [] }
}

import type { Hit } from '../../engine/findings.ts'

const RESULT = /"result\\{0,7}":\s{0,3}\\{0,7}"([^"\n\\]{8,256})(?=\\{0,7}")/g
const REACH = 1_500

/**
 * Finds the password in Terraform's state. The keys are in alphabetic order, so the password precedes the type of its
 * resource.
 */
export function findTerraformResult({ text, start, rule, found }: Hit): void {
  const from = Math.max(0, start - REACH)
  const before = text.slice(from, start)
  let last: RegExpExecArray | undefined
  for (const match of before.matchAll(RESULT)) last = match
  // If another type is between them, the password belongs to another resource.
  if (!last || /"type\\{0,7}"/.test(before.slice(last.index, -40))) return
  const [whole, value = ''] = last
  found.add(value, from + last.index + whole.length - value.length, rule)
}

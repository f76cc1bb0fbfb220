import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The declared outcomes that no test met, one line each, from what `packages/test-kit/src/coverage.ts` wrote into
 * `folder` while the tests ran: `{declared: [...]}` once a service, `{met: '...'}` once an outcome.
 */
export function unmet(folder) {
  const declared = new Set()
  const met = new Set()
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.jsonl'))) {
    for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) {
      if (line === '') continue
      const record = JSON.parse(line)
      for (const outcome of record.declared ?? []) declared.add(outcome)
      for (const outcome of record.met ?? []) met.add(outcome)
    }
  }
  if (declared.size === 0) return ['no test made a service: nothing was observed']
  return [...declared].filter((outcome) => !met.has(outcome)).sort()
}

import { later, type Later } from './http/later.ts'
import type { Intake, IntakeDeps } from './ingest/intake.ts'
import type { Clock } from './ports.ts'
import type { Scrubber } from './scrub/index.ts'
import { steady } from './system.ts'

/** What one call of the default scrubber may take: a batch of 64 MB in one trace takes 3 s. */
const scrubLimitMs = 20_000

/** The scrubber with the whole table, loaded when the first text is to be scrubbed. A table that does not load is an error for who asks. */
export function laterScrubber(clock: Clock): Later<Scrubber> {
  return later(async () => (await import('./scrub/index.ts')).createScrubber({ now: steady(clock, scrubLimitMs / 2), limitMs: scrubLimitMs }))
}

/** The intake of this thread, loaded with the first batch. */
export function laterIntake(deps: IntakeDeps): Intake {
  const intake = later(async () => (await import('./ingest/intake.ts')).inlineIntake(deps))
  return { receive: async (...batch) => (await intake()).receive(...batch) }
}

import type { Rate } from '../ports.ts'
import type { RateName } from './route.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const megabyte = 1024 * 1024

/** The rates of decisions section 1. `person` counts by user, `operator` wrong admin tokens by address, the others what their route names. `_bytes` count bytes. */
export const defaultRates: Readonly<Record<RateName, Rate>> = {
  person: { limit: 1200, windowMs: minute },
  ingest: { limit: 60, windowMs: minute },
  ad_feedback: { limit: 30, windowMs: minute },
  cli_feedback: { limit: 20, windowMs: hour },
  device_start: { limit: 20, windowMs: minute },
  mail_code: { limit: 30, windowMs: hour },
  mail_address: { limit: 5, windowMs: 10 * minute },
  mail_verify: { limit: 100, windowMs: hour },
  device_code: { limit: 10, windowMs: hour },
  device_code_network: { limit: 30, windowMs: 10 * minute },
  device_code_backoff: { limit: 1, windowMs: 15_000 },
  reports: { limit: 100, windowMs: hour },
  operator: { limit: 20, windowMs: minute },
  events: { limit: 600, windowMs: minute },
  telemetry_bytes: { limit: 5 * megabyte, windowMs: day },
  report_bytes: { limit: 2 * megabyte, windowMs: day },
}

export type Rates = 'off' | Partial<Record<RateName, Rate | 'off'>>

/** The rate by name under a configuration, or null when it is off. */
export function rateOf(rates: Rates | undefined, name: RateName): Rate | null {
  if (rates === 'off') return null
  const set = rates?.[name]
  return set === 'off' ? null : (set ?? defaultRates[name])
}

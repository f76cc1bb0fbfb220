/** How many days telemetry is kept by default. */
export const defaultRetentionDays = 90

/** Returns how long feedback is kept, in milliseconds. Throws when `days` is not a whole number of 1 or more. */
export function resolveFeedbackMs(days = 365): number {
  if (!(Number.isSafeInteger(days) && days >= 1)) throw new Error('feedbackDays must be a whole number, 1 or more')
  return days * 24 * 60 * 60 * 1000
}

type Headers = Readonly<Record<string, string | undefined>>

/** Returns whether the client declines telemetry (W3C DNT, Global Privacy Control, and a header of our clients). */
export function declinesTelemetry(headers: Headers): boolean {
  return ['dnt', 'sec-gpc', 'x-do-not-track'].some((name) => headers[name]?.trim() === '1')
}

/** Returns whether a device id is an identifier; any other is free text and scrubbed. */
export const isPlainId = (id: string): boolean => /^[A-Za-z0-9._:-]+$/.test(id)

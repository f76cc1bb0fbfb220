/** Telemetry is kept this many days unless the service is configured otherwise. */
export const defaultRetentionDays = 90

/** How long feedback is kept, in milliseconds. */
export function resolveFeedbackMs(days = 365): number {
  if (!(Number.isSafeInteger(days) && days >= 1)) throw new Error('feedbackDays must be a whole number, 1 or more')
  return days * 24 * 60 * 60 * 1000
}

type Headers = Readonly<Record<string, string | undefined>>

/** Whether the client said that nothing is to be kept (W3C DNT, Global Privacy Control, and a header of our clients). */
export function declinesTelemetry(headers: Headers): boolean {
  return ['dnt', 'sec-gpc', 'x-do-not-track'].some((name) => headers[name]?.trim() === '1')
}

/** A device id that says nothing but itself; any other is free text. */
export const isPlainId = (id: string): boolean => /^[A-Za-z0-9._:-]+$/.test(id)

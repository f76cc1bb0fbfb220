type Headers = Readonly<Record<string, string | undefined>>

/** Returns whether the client declines telemetry (W3C DNT, Global Privacy Control, and a header of our clients). */
export function declinesTelemetry(headers: Headers): boolean {
  return ['dnt', 'sec-gpc', 'x-do-not-track'].some((name) => headers[name]?.trim() === '1')
}

/** Returns whether a device id is an identifier. Any other device id is free text and is scrubbed. */
export const isPlainId = (id: string): boolean => /^[A-Za-z0-9._:-]+$/.test(id)

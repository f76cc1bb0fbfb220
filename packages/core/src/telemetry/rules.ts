type Headers = Readonly<Record<string, string | undefined>>

/** Returns whether the client declines telemetry, by W3C DNT, Global Privacy Control or the service's own header. */
export function declinesTelemetry(headers: Headers): boolean {
  return ['dnt', 'sec-gpc', 'x-do-not-track'].some((name) => headers[name]?.trim() === '1')
}

/** Returns whether a device id is an identifier. Any other device id is free text and is scrubbed. */
export const isPlainId = (id: string): boolean => /^[A-Za-z0-9._:-]+$/.test(id)

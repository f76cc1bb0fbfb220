/**
 * The X-Ray header of an invocation, such as
 * `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1`.
 */
const pattern = /Root=(1-([\da-f]{8})-([\da-f]{24}))(?:;Parent=([\da-f]{16}))?(?:;Sampled=([01]))?/

const readTraceHeader = (): string => process.env['_X_AMZN_TRACE_ID'] ?? ''

/**
 * Returns the X-Ray trace id of the current invocation as a field of a log line, so that CloudWatch finds the lines of
 * the invocation.
 */
export function xrayFields(header = readTraceHeader()): { readonly xrayTraceId?: string } {
  const id = pattern.exec(header)?.[1]
  return id === undefined ? {} : { xrayTraceId: id }
}

/** Returns the X-Ray trace of the current invocation as W3C `traceparent`, or undefined if there is none. */
export function xrayTraceparent(header = readTraceHeader()): string | undefined {
  const [, , time, rest, parent, sampled] = pattern.exec(header) ?? []
  return parent === undefined ? undefined : `00-${time}${rest}-${parent}-0${sampled ?? '0'}`
}

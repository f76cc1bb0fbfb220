/**
 * How far apart the clocks of two hosts may be, in milliseconds. A stored time that lies further in the future than it can have
 * been set was stored before the clock was set back; nobody waits for it.
 */
export const clockSkewMs = 30_000

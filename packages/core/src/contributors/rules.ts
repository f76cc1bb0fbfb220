/** Returns the status of a new application. */
export function initialStatus(approval: 'manual' | 'automatic'): 'pending' | 'approved' {
  return approval === 'automatic' ? 'approved' : 'pending'
}

/** Returns whether a user whose latest application has this status may apply. Null means no application. */
export function mayApply(status: string | null): boolean {
  return status === null || status === 'rejected'
}

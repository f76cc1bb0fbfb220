/** What an application becomes when it comes in: somebody looks at it, or nobody has to. */
export function firstStatus(approval: 'manual' | 'automatic'): 'pending' | 'approved' {
  return approval === 'automatic' ? 'approved' : 'pending'
}

/** Whether a person may apply: never before, or turned down. */
export function mayApply(status: string | null): boolean {
  return status === null || status === 'rejected'
}

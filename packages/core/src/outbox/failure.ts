/**
 * Describes why a mail could not be sent, in one line of at most 300 characters without personal data: mail servers put
 * addresses into their replies, whole or without the domain.
 */
export function describeMailFailure(error: unknown, recipient: string): string {
  const text = redactAddresses(error instanceof Error ? error.message : String(error))
  const mailbox = recipient.slice(0, recipient.lastIndexOf('@')).toLowerCase()
  const words = text.split(/(\s+|[<>"'(),;:=]+)/).map((word) => (word.toLowerCase() === mailbox ? '[address]' : word))
  return words.join('').replace(/\s+/g, ' ').slice(0, 300)
}

/** Returns whether a mail may have been sent although sending it failed. */
export function isUncertain(error: unknown): boolean {
  const { uncertain, name } = (error ?? {}) as { uncertain?: unknown; name?: unknown }
  return uncertain === true || name === 'TimeoutError'
}

/** Replaces e-mail addresses by `[address]`, including URL-encoded addresses. */
export function redactAddresses(text: string): string {
  return text.replace(/(?:"[^"]*"|[^\s<>"'(),;:=]*)(?:@|%40)[^\s<>"'(),;:]+/gi, '[address]')
}

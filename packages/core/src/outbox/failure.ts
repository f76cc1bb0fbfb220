/**
 * Returns why a mail could not be sent, in one line of at most 300 characters that names nobody: mail servers put addresses
 * into their replies, whole or without the domain.
 */
export function mailFailure(error: unknown, recipient: string): string {
  const text = withoutAddresses(error instanceof Error ? error.message : String(error))
  const mailbox = recipient.slice(0, recipient.lastIndexOf('@')).toLowerCase()
  const words = text.split(/(\s+|[<>"'(),;:=]+)/).map((word) => (word.toLowerCase() === mailbox ? '[address]' : word))
  return words.join('').replace(/\s+/g, ' ').slice(0, 300)
}

/** Replaces what looks like an e-mail address, also one that is encoded for a URL. */
export function withoutAddresses(text: string): string {
  return text.replace(/(?:"[^"]*"|[^\s<>"'(),;:=]*)(?:@|%40)[^\s<>"'(),;:]+/gi, '[address]')
}

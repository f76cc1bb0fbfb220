/** The most characters of a title, the sign of what was cut included. */
const maxTitle = 80
const placeholder = /\[[A-Z0-9][A-Z0-9_]*_\d+\]/g

/**
 * Returns the title of a conversation: the first line of the first user message that is not blank, cut to 80 characters; null when
 * there is none.
 */
export function titleOf(
  messages: readonly { readonly role?: string | null | undefined; readonly content: string }[],
): string | null {
  const content = messages.find(({ role }) => role === 'user')?.content ?? ''
  const line = /\S[^\r\n]*/.exec(content)?.[0].trimEnd() ?? ''
  return line === '' ? null : cutText(line, maxTitle)
}

/**
 * Cuts text to a number of characters, the `…` at its end included: after the last whole word, or within a word that is longer than
 * half of that, and never inside a placeholder such as `[EMAIL_1]`.
 */
export function cutText(text: string, length: number): string {
  // Reads no more of a long text than the cut can concern: a character has two units at most, a placeholder fewer than 64.
  const head = text.slice(0, length * 2 + 64)
  const characters = Array.from(head)
  if (characters.length <= length) return characters.join('')
  const kept = characters.slice(0, length - 1).join('')
  const split = [...head.matchAll(placeholder)].find(
    ({ index, 0: word }) => index < kept.length && index + word.length > kept.length,
  )
  const whole = kept.slice(0, split?.index)
  const space = /\s/.test(head[whole.length]!) ? whole.length : whole.search(/\s\S*$/)
  const end = split === undefined && space >= length / 2 ? space : whole.length
  return `${whole.slice(0, end).trimEnd()}…`
}

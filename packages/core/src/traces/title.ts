/** The maximum number of characters of a title. */
const maxTitle = 80

/**
 * Returns the title of a conversation: the first 80 characters of the first line that is not blank, in the first user
 * message with such a line. Returns null if no user message has such a line.
 */
export function titleOf(
  messages: readonly { readonly role?: string | null | undefined; readonly content: string }[],
): string | null {
  const content = messages.find(({ role }) => role === 'user')?.content ?? ''
  const line = /\S[^\r\n]*/.exec(content)?.[0].trim() ?? ''
  return line === ''
    ? null
    : Array.from(line.slice(0, maxTitle * 2))
        .slice(0, maxTitle)
        .join('')
}

/**
 * Returns a title as a page or a terminal shows it, in at most `length` characters. A title is shortened if it is
 * longer, or if it has the 80 characters at which titles are cut. It then ends with `…` after its last whole word,
 * without a full stop. It never ends inside a placeholder such as `[EMAIL_1]`, or between `TOKEN=` and its placeholder.
 */
export function displayTitle(title: string, length = maxTitle): string {
  const characters = Array.from(title)
  if (characters.length <= length && characters.length < maxTitle) return title
  const kept = characters.slice(0, length - 1).join('')
  const placeholder = kept.search(/\[[A-Z0-9_]*$/)
  const whole = placeholder >= 0 ? kept.slice(0, placeholder) : kept
  const endsWord = placeholder < 0 && /^\s/.test(title.slice(kept.length))
  const space = endsWord ? kept.length : whole.search(/\s\S*$/)
  const end = space >= length / 2 ? space : whole.length
  return `${kept.slice(0, end).replace(/[\s.…]+$/, '')}…`
}

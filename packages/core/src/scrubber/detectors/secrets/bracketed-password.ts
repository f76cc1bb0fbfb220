const BRACKETED = /[^\s;,"'`<>=]{6,64}(?=[;\s]|$)/y

const BRACKETS = '([)]'

/**
 * Extends a bare password by its brackets where no code is possible: text follows the closed bracket, or a `;` ends
 * everything.
 */
export function widen(text: string, value: { start: number; end: number; next: string }, lead: string): boolean {
  if (
    !BRACKETS.includes(value.next || ' ') &&
    !/[([]/.test(text.slice(value.start, Math.min(value.end, value.start + 64)))
  )
    return false
  BRACKETED.lastIndex = value.start
  const whole = BRACKETED.exec(text)?.[0]
  if (
    !whole ||
    whole.length < value.end - value.start ||
    !/\d/.test(whole) ||
    !/[A-Za-z]/.test(whole) ||
    /[{}$.\\]|\(\)|\[\]/.test(whole)
  )
    return false
  if (!/[)\]][A-Za-z0-9!@#%^&*]/.test(whole) && !(lead === ';' && /[()[\]].?$/.test(whole))) return false
  value.end = value.start + whole.length
  value.next = text[value.end] ?? ''
  return true
}

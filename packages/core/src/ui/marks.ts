/**
 * A page is written before its language is known. Until the page is sent, a mark replaces each text that depends on the
 * language: a kind and its parts between control characters. No value of a page contains these characters, because
 * `html` removes them. Parts may contain marks.
 */
const [start, divider, end] = ['\u0001', '\u0002', '\u0003']

/** A part that may contain marks: `Html`, whose values contain no control characters. */
export interface MarkedText {
  readonly text: string
}

/** Returns a mark. Control characters are removed from plain text, because they would end the mark. */
export function writeMark(kind: string, ...parts: readonly (string | MarkedText)[]): string {
  const texts = parts.map((part) => (typeof part === 'string' ? withoutControls(part) : part.text))
  return `${start}${[kind, ...texts].join(divider)}${end}`
}

// oxlint-disable-next-line no-control-regex -- the marks and their kind
const withoutControls = (text: string): string => text.replace(/[\u0000-\u001f\u007f]/g, '')

/** Replaces each mark of a text by the result of `render`, inner marks first. */
export function replaceMarks(text: string, render: (kind: string, parts: readonly string[]) => string): string {
  // oxlint-disable-next-line no-control-regex -- the marks
  const tokens = text.split(/([\u0001-\u0003])/).values()
  /** Reads the parts up to the end of a mark or of the text. */
  const readParts = (): string[] => {
    const parts: string[] = []
    let part = ''
    for (let next = tokens.next(); !next.done && next.value !== end; next = tokens.next()) {
      if (next.value === start) {
        const [kind = '', ...inner] = readParts()
        part += render(kind, inner)
      } else if (next.value === divider) {
        parts.push(part)
        part = ''
      } else part += next.value
    }
    return [...parts, part]
  }
  return readParts().join('')
}

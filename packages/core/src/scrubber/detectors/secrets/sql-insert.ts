import type { Finding, Rule } from '../../engine/rule.ts'

const INSERT = /insert into[^()\n]{1,80}\(([^()\n]{1,300})\)\s{1,4}values\s{0,4}\(([^\n]{1,400})/iy
const VALUE = /\s{0,4}(?:'((?:[^'\\]|\\.|''){0,300})'|"((?:[^"\\]|\\.){0,300})"|[^,()'"]{0,60})\s{0,4}(?:,|\)|$)/y

/** The value that an `INSERT INTO users (name, password) VALUES (...)` gives the column of a password. */
export function findInsert(text: string, start: number, _end: number, rule: Rule, found: Finding[]): void {
  INSERT.lastIndex = start
  const match = INSERT.exec(text)
  if (!match) return
  const column = match[1]!
    .split(',')
    .findIndex((name) => /pass(?:w(?:or)?d|phrase)?[`"\] ]{0,3}$|secret|token|api_?key/i.test(name.trim()))
  if (column < 0) return
  VALUE.lastIndex = match.index + match[0].length - match[2]!.length
  for (let i = 0; ; i++) {
    const value = VALUE.exec(text)
    if (!value || VALUE.lastIndex === value.index) return
    if (i < column) continue
    const raw = value[1] ?? value[2]
    if (!raw || raw.length < 4 || /^(?:[:?$@]|\{)|^(?:password|secret)$/i.test(raw)) return
    const from = value.index + value[0].indexOf(raw)
    found.push({ start: from, end: from + raw.length, rule, value: raw })
    return
  }
}

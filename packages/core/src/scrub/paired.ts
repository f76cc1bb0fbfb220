export const isBreak = (text: string, at: number): boolean => text[at] === '\n' || text[at] === '\r'

/** `- name: DB_PASSWORD` and `value: "..."` on the line below, as Kubernetes and task definitions write it. */
const PAIRED = /["']?,?\r?\n[ \t]{0,40}["']?[vV]alue["']?[ \t]{0,3}[:=][ \t]{0,3}/y
export function pairedValue(text: string, at: number): number {
  if (!isBreak(text, at) && !isBreak(text, at + 1) && !isBreak(text, at + 2)) return 0
  PAIRED.lastIndex = at
  return PAIRED.test(text) ? PAIRED.lastIndex : 0
}

/** `token, err := "..."` */
export const FAILING = /^, ?(?:err|ok|_) ?:?=/

const OPEN = /\(\s{1,24}(?=["'`])/y
/** Behind a bracket whose value stands on the next line: `password = (` and `"..."`. */
export function opened(text: string, at: number): number {
  OPEN.lastIndex = at
  return OPEN.test(text) ? OPEN.lastIndex : at
}

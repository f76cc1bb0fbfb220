import type { Findings } from '../../engine/findings.ts'
import type { KnownForm, Rule } from '../../engine/rule.ts'
import { formsOf } from '../identity/forms.ts'
import { areNames, isPersonName } from '../identity/person-name.ts'
import type { Candidate, ScoreSecret } from '../secrets/candidate.ts'
import { isPlaceholderWord } from '../../engine/placeholder-word.ts'
import { isNameCell, type Column } from './column.ts'
import type { Cell } from './line.ts'

/** Types and other words in a table that describes columns. Such words occur instead of values. */
const DESCRIPTION =
  /^(?:string|text|(?:n?var)?char.*|int.*|big ?int|number|numeric.*|bool.*|date|timestamp.*|uuid|json|yes|no|required|optional|-+|null|none|hash(?:ed)?|encrypted|x|y|n|✓|✗|NULL|default|true|false)$/i

/** Returns whether a cell is a placeholder for a value, and not a number with an area code in brackets. */
const isPlaceholder = (cell: string): boolean => isPlaceholderWord(cell) && !/^\(\d/.test(cell)

const PASSWORD = { category: 'password', placeholder: 'PASSWORD' }
const SECRET = { category: 'secret', placeholder: 'SECRET' }

/** The properties of a table that its rows use. */
export interface TableContext {
  readonly columns: readonly (Column | null)[]
  readonly rule: Rule
  readonly found: Findings
  readonly scoreSecret: ScoreSecret
}

/** Adds a finding for each cell of a row that matches the meaning of its column. */
export function pushRow(cells: readonly Cell[], context: TableContext): void {
  const { columns } = context
  const cellOf = (kind: Column['kind']): Cell | undefined => cells[columns.findIndex((column) => column?.kind === kind)]
  const last = cellOf('last')
  // In a row with a last name, `nombre` is a first name.
  pushName(cellOf('first') ?? (last && cellOf('any')), last, context)
  for (const [i, cell] of cells.entries()) {
    const column = columns[i]
    if (!column || cell.value.length < 3 || DESCRIPTION.test(cell.value) || isPlaceholder(cell.value)) continue
    if (column.kind === 'secret') pushSecret(cell, column, context)
    else if (column.kind === 'value') {
      const { value, start, end } = cell
      if (column.accepts(value)) context.found.push({ start, end, rule: { id: context.rule.id, ...column.as }, value })
    } else if ((column.kind === 'person' || column.kind === 'any') && isNameCell(cell.value))
      pushPerson([cell], cell.value, context)
  }
}

function pushSecret(cell: Cell, { name, keyClass }: Pick<Candidate, 'name' | 'keyClass'>, context: TableContext): void {
  const { value, start, end } = cell
  const candidate: Candidate = {
    site: 'cell',
    keyClass,
    name,
    raw: value,
    quote: '"',
    operator: '|',
    spaced: true,
    next: '',
    lead: '',
    scheme: false,
    bracketed: false,
    followsUser: false,
  }
  const score = context.scoreSecret(candidate)
  if (score === null) return
  const as = keyClass === 'password' ? PASSWORD : SECRET
  context.found.push({ start, end, rule: { id: context.rule.id, ...as }, value, score })
}

/** An apostrophe, which SQL writes as two quotes. */
const APOSTROPHE = /''?|’/g

/** Adds the person whose first and last name are in two cells of a row. */
function pushName(first: Cell | undefined, last: Cell | undefined, context: TableContext): void {
  const parts = [first, last].filter(
    (cell) => cell !== undefined && areNames(cell.value.replace(APOSTROPHE, '')),
  ) as Cell[]
  if (parts.length === 0 || parts.length < Number(first !== undefined) + Number(last !== undefined)) return
  const name = parts.map(({ value }) => value.replace(APOSTROPHE, "'")).join(' ')
  if (parts.length === 1 || isPersonName(name)) pushPerson(parts, name, context)
}

function pushPerson(cells: readonly Cell[], name: string, { found, rule }: TableContext): void {
  const forms = (): readonly KnownForm[] => formsOf('person', name)
  const as = { id: rule.id, category: 'person', placeholder: 'PERSON', kind: 'probable' } as const
  for (const { start, end } of cells) found.push({ start, end, rule: as, value: name.toLowerCase(), forms })
}

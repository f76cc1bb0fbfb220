/** A rule's example: a text that it must find, one that it must leave alone, both as templates of `draw`, and where the format is documented. */
export type Row = readonly [id: string, match: string, miss: string, docs: string]

import { schemaStatements as libsqlStatements } from '@tributary/core/libsql'
import { schemaStatements as postgresStatements } from '@tributary/core/postgres'
import { defineFlags, UsageError } from '../flags/flag.ts'
import { defineCommand } from '../program.ts'

const dialects: Readonly<Record<string, () => readonly string[]>> = {
  postgres: () => postgresStatements(),
  libsql: () => libsqlStatements(),
}

/** `tributary schema`: prints the SQL of the whole schema. */
export const schemaCommand = defineCommand({
  description: `For a team whose own pipeline changes the database: apply it to an empty database. It lists the
migrations as applied, so that \`tributary migrate\` finds nothing to do.`,
  example: 'tributary schema --dialect postgres > schema.sql',
  flags: defineFlags({
    dialect: { kind: 'text', placeholder: 'NAME', default: 'postgres', help: 'postgres or libsql' },
  }),
  async run({ dialect }, { out }) {
    const list = dialects[dialect]
    if (!list) throw new UsageError(`--dialect: expected postgres or libsql, not "${dialect}"`)
    out(
      list()
        .map((statement) => `${statement};\n`)
        .join(''),
    )
    return 0
  },
})

import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { lineSchemas } from './lines.ts'

test.each(Object.entries(lineSchemas))(
  'docs/schemas/%s.json is the JSON Schema of a line (UPDATE=1 writes it)',
  (name, schema) => {
    const path = new URL(`../../../../../docs/schemas/${name}.json`, import.meta.url)
    const made = `${JSON.stringify(z.toJSONSchema(schema, { target: 'draft-2020-12' }), null, 2)}\n`
    if (process.env['UPDATE']) writeFileSync(path, made)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(made))
  },
)

import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

// The schemas of OASIS are in a folder, with their licence.

const isTime = (value: string): boolean => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) && !Number.isNaN(Date.parse(value))
const formats = {
  'uri': (value: string) => URL.canParse(value),
  'date-time': isTime,
  'date': (value: string) => isTime(`${value}T00:00:00Z`),
  'uuid': /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
}

/** A part of JSON Schema 2020-12 that Ajv does not include: the schemas of OASIS require that formats are checked. */
const formatAssertion = {
  $id: 'https://json-schema.org/draft/2020-12/meta/format-assertion',
  $dynamicAnchor: 'meta',
  type: ['object', 'boolean'],
  properties: { format: { type: 'string' } },
}

const readSchema = (name: string): { readonly $schema: string } =>
  JSON.parse(readFileSync(new URL(`oasis/${name}`, import.meta.url), 'utf8'))

/** Compiles the schema of OASIS Data Provenance Metadata 1.0 as it is published. */
function compileOasis(): ValidateFunction {
  const schema = readSchema('data-provenance.json')
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats })
  ajv.addMetaSchema(formatAssertion)
  // The file calls itself `…/dps/meta/…`, but the schema that it describes refers to it as `…/dps/prov-meta/…`.
  ajv.addMetaSchema(readSchema('data-provenance-configuration.json'), schema.$schema)
  return ajv.compile(schema)
}

const validate = compileOasis()

/** Lists the rules of the schema of OASIS that a document violates. */
export const findOasisMistakes = (document: unknown): string[] =>
  validate(document) ? [] : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`)

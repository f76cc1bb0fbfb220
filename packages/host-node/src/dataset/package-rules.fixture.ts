import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

// Croissant has no JSON Schema, and its validator is a Python program, so these rules were written from its
// specification, for the members of a package. The schemas of OASIS are in a folder, with their licence.

const text = { type: 'string', minLength: 1 }
const uri = { type: 'string', format: 'uri' }
const version = {
  type: 'string',
  pattern: '^(0|[1-9]\\d*)$|^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(-[\\w.-]+)?(\\+[\\w.-]+)?$',
}
const listOf = (items: object) => ({ type: 'array', minItems: 1, uniqueItems: true, items })
const closed = (properties: object, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})

const reference = closed({ '@id': text })
const organization = closed({ '@type': { const: 'sc:Organization' }, 'name': text, 'url': uri }, ['url'])
const dataType = { enum: ['sc:Text', 'sc:Integer', 'sc:Float', 'sc:Boolean', 'sc:DateTime'] }
const column = closed({ column: text })
const named = { '@id': text, 'name': text }
const leaf = {
  '@type': { const: 'cr:Field' },
  ...named,
  'description': text,
  dataType,
}

/** Croissant 1.1: dataset-level information, resources and record sets. */
const croissantRules = closed({
  '@context': {
    type: 'object',
    required: ['@vocab', 'sc', 'cr', 'dct', 'conformsTo', 'recordSet', 'field', 'dataType'],
  },
  '@type': { const: 'sc:Dataset' },
  'conformsTo': { const: 'http://mlcommons.org/croissant/1.1' },
  'name': text,
  'description': text,
  'license': { anyOf: [uri, closed({ '@type': { const: 'sc:CreativeWork' }, 'name': text })] },
  'url': uri,
  'creator': organization,
  'publisher': organization,
  'datePublished': { type: 'string', format: 'date' },
  version,
  'inLanguage': listOf(text),
  'keywords': listOf(text),
  'distribution': {
    type: 'array',
    items: {
      oneOf: [
        closed({
          '@type': { const: 'cr:FileObject' },
          ...named,
          'contentUrl': text,
          'contentSize': { type: 'string', pattern: '^\\d+ B$' },
          'encodingFormat': { enum: ['application/jsonl', 'application/vnd.apache.parquet'] },
          'sha256': { type: 'string', pattern: '^[0-9a-f]{64}$' },
        }),
        closed({
          '@type': { const: 'cr:FileSet' },
          ...named,
          'containedIn': listOf(reference),
          'encodingFormat': text,
          'includes': text,
        }),
      ],
    },
  },
  'recordSet': {
    type: 'array',
    items: closed(
      {
        '@type': { const: 'cr:RecordSet' },
        ...named,
        'key': reference,
        'field': listOf({
          oneOf: [
            closed({ ...leaf, source: closed({ fileSet: reference, extract: column }) }, ['description']),
            closed(
              {
                '@type': { const: 'cr:Field' },
                ...named,
                'isArray': { const: true },
                'arrayShape': { const: '-1' },
                'subField': listOf(
                  closed(
                    {
                      ...leaf,
                      source: closed({ fileSet: reference, extract: column, transform: closed({ jsonPath: text }) }),
                    },
                    ['description'],
                  ),
                ),
              },
              ['isArray', 'arrayShape'],
            ),
          ],
        }),
      },
      ['key'],
    ),
  },
})

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

/** Returns a function that lists the rules that a document violates. */
const mistakesBy =
  (validate: ValidateFunction) =>
  (document: unknown): string[] =>
    validate(document) ? [] : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`)

export const findProvenanceMistakes = mistakesBy(compileOasis())
export const findCroissantMistakes = mistakesBy(
  new Ajv2020({ strict: false, allErrors: true, formats }).compile(croissantRules),
)

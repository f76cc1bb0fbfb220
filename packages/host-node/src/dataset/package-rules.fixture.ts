import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'

// The specifications do not allow copying their schemas into a project with another licence, and Croissant has no JSON
// Schema. So these rules were written from both specifications, for the members of a package.

const text = { type: 'string', minLength: 1 }
const uri = { type: 'string', format: 'uri' }
const dateTime = { type: 'string', format: 'date-time' }
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
const coded = (codes: readonly string[]) =>
  closed({ 'code': { enum: codes }, 'long-description': text }, ['long-description'])

/** OASIS Data Provenance Metadata 1.0, sections 4 (data model) and 5 (schema). */
const provenanceRules = closed({
  $schema: { const: 'https://docs.oasis-open.org/dps/prov-meta/v1.0/schema/data-provenance.json' },
  set: closed({
    'category': { type: 'string', pattern: '^[^\\s\\-_.](.*[^\\s\\-_.])?$' },
    'schema-version': { const: '1.0' },
    'language': { type: 'string', pattern: '^[a-z]{2,3}$' },
    'publisher': closed({ name: text, namespace: uri }),
    'label': text,
    'tracking': closed({
      'id': { type: 'string', pattern: '^\\S(.*\\S)?$' },
      'status': { enum: ['draft', 'final', 'interim'] },
      version,
      'initial-release-date': dateTime,
      'current-release-date': dateTime,
      'revision-history': listOf(closed({ date: dateTime, number: version, summary: text })),
      'generator': closed({ engine: closed({ name: text, version }) }),
    }),
  }),
  source: closed({
    'name': text,
    'data-version': version,
    'location': uri,
    'issuer': listOf(closed({ 'legal-name': text, 'url': uri }, ['url'])),
    'about': closed({ content: text, purpose: text, scope: text }),
    'id': closed(
      {
        'uuids': listOf({ type: 'string', format: 'uuid' }),
        'hashes': listOf(
          closed({
            'path': text,
            'tree-hashes': listOf(
              closed({ algorithm: { const: 'sha256' }, value: { type: 'string', pattern: '^[0-9a-f]{64}$' } }),
            ),
          }),
        ),
        'custom-ids': listOf(closed({ method: text, value: text })),
      },
      ['uuids', 'hashes'],
    ),
  }),
  provenance: closed(
    {
      'origin-geography': listOf(closed({ country: text })),
      'date': { type: 'string', format: 'date' },
      'generation-method': listOf(coded(['user-generated-content', 'machine-generated-ml-ops'])),
      // JSON Lines and Parquet have no name in the list of the standard.
      'format': listOf({ enum: ['other'] }),
      'generation-period': closed({ start: dateTime, end: dateTime }),
    },
    ['generation-period'],
  ),
  use: closed(
    {
      'intended-purpose': listOf(coded(['other', 'pre-training', 'alignment', 'evaluation', 'research'])),
      'classification': listOf(closed({ regulation: coded(['pi']), evaluated: { type: 'boolean' }, tool: text })),
      'consents': listOf(text),
      'data-risk-reducing': listOf(
        closed({ 'tool-used': text, 'technology': { const: 'data-redaction' }, 'results': listOf(text) }),
      ),
      'license': listOf(text),
    },
    ['consents', 'data-risk-reducing'],
  ),
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

/** Returns a function that lists the rules that a document breaks. */
function mistakesBy(...schemas: readonly object[]): (document: unknown) => unknown[] {
  const validators = schemas.map((schema) => new Ajv2020({ strict: false, allErrors: true, formats }).compile(schema))
  return (document) =>
    validators.flatMap((validate) =>
      validate(document) ? [] : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`),
    )
}

/** The JSON Schema of OASIS, where this variable names the file: `data-provenance.json` of github.com/oasis-tcs/dps. */
const official = process.env['TRIBUTARY_OASIS_SCHEMA']
function readOfficial(path: string): object {
  // A schema has its own meta-schema.
  const { $schema: _, ...schema } = JSON.parse(readFileSync(path, 'utf8')) as { $schema: string }
  return schema
}

export const findProvenanceMistakes = mistakesBy(provenanceRules, ...(official ? [readOfficial(official)] : []))
export const findCroissantMistakes = mistakesBy(croissantRules)

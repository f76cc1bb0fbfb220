import * as z from 'zod'

const Text = z.string().min(1)
const Reference = z.strictObject({ '@id': Text })
const Organization = z.strictObject({ '@type': z.literal('sc:Organization'), 'name': Text, 'url': z.url().optional() })
const named = { '@id': Text, 'name': Text }
const encodingFormat = z.enum(['application/jsonl', 'application/vnd.apache.parquet'])

/** Defines the prefixes and terms of the document. */
const Context = z.looseObject({
  '@vocab': z.literal('http://schema.org/'),
  'sc': z.literal('http://schema.org/'),
  'cr': z.literal('http://mlcommons.org/croissant/'),
  'dct': z.literal('http://purl.org/dc/terms/'),
  'conformsTo': z.literal('dct:conformsTo'),
  'recordSet': z.literal('cr:recordSet'),
  'field': z.literal('cr:field'),
  'dataType': z.strictObject({ '@id': z.literal('cr:dataType'), '@type': z.literal('@vocab') }),
})

const FileObject = z.strictObject({
  '@type': z.literal('cr:FileObject'),
  ...named,
  'contentUrl': Text,
  'contentSize': z.string().regex(/^\d+ B$/),
  encodingFormat,
  'sha256': z.string().regex(/^[0-9a-f]{64}$/),
})
const FileSet = z.strictObject({
  '@type': z.literal('cr:FileSet'),
  ...named,
  'containedIn': z.array(Reference).min(1),
  encodingFormat,
  'includes': Text,
})

const field = { '@type': z.literal('cr:Field'), ...named }
const leaf = {
  ...field,
  description: Text.optional(),
  dataType: z.enum(['sc:Text', 'sc:Integer', 'sc:Float', 'sc:Boolean', 'sc:DateTime']),
}
const source = { fileSet: Reference, extract: z.strictObject({ column: Text }) }
const Field = z.strictObject({ ...leaf, source: z.strictObject(source) })
const SubField = z.strictObject({
  ...leaf,
  source: z.strictObject({ ...source, transform: z.strictObject({ jsonPath: Text }) }),
})
/** A field whose value is an object, or a list of objects. */
const ObjectField = z.strictObject({
  ...field,
  isArray: z.literal(true).optional(),
  arrayShape: z.literal('-1').optional(),
  subField: z.array(SubField).min(1),
})

/** `croissant.json` of a package: the part of Croissant 1.1 that `tributary dataset export` writes. */
export const PackageCroissant = z.strictObject({
  '@context': Context,
  '@type': z.literal('sc:Dataset'),
  'conformsTo': z.literal('http://mlcommons.org/croissant/1.1'),
  'name': Text,
  'description': Text,
  'license': z.union([Text, z.strictObject({ '@type': z.literal('sc:CreativeWork'), 'name': z.string() })]),
  'url': z.url(),
  'creator': Organization,
  'publisher': Organization,
  'datePublished': z.iso.date(),
  'version': z.literal('1.0.0'),
  'inLanguage': z.array(z.string()).min(1),
  'keywords': z.array(Text).min(1),
  'distribution': z.array(z.discriminatedUnion('@type', [FileObject, FileSet])),
  'recordSet': z.array(
    z.strictObject({
      '@type': z.literal('cr:RecordSet'),
      ...named,
      'key': Reference.optional(),
      'field': z.array(z.union([Field, ObjectField])).min(1),
    }),
  ),
})

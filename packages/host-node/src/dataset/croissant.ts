import type { Seller } from './card.ts'
import { fieldsFor, type Field } from './card-reading.ts'
import type { ExportedFile, PackageContents } from './manifest.ts'
import { packageUrl, sellerName } from './provenance.ts'

/** The context that Croissant 1.1 recommends, with the terms that are used here. */
const context = {
  '@language': 'en',
  '@vocab': 'http://schema.org/',
  'sc': 'http://schema.org/',
  'cr': 'http://mlcommons.org/croissant/',
  'dct': 'http://purl.org/dc/terms/',
  'column': 'cr:column',
  'conformsTo': 'dct:conformsTo',
  'containedIn': 'cr:containedIn',
  'dataType': { '@id': 'cr:dataType', '@type': '@vocab' },
  'arrayShape': 'cr:arrayShape',
  'extract': 'cr:extract',
  'field': 'cr:field',
  'fileSet': 'cr:fileSet',
  'includes': 'cr:includes',
  'isArray': 'cr:isArray',
  'jsonPath': 'cr:jsonPath',
  'key': 'cr:key',
  'recordSet': 'cr:recordSet',
  'source': 'cr:source',
  'subField': 'cr:subField',
  'transform': 'cr:transform',
}

const mediaTypes = { parquet: 'application/vnd.apache.parquet', jsonl: 'application/jsonl' } as const

/** Returns the data type of a field by the first word of its type in the card. */
function chooseDataType(type: string): string {
  if (/^(?:integer|int64)/.test(type)) return 'sc:Integer'
  if (/^(?:double|number)/.test(type)) return 'sc:Float'
  if (/^boolean/.test(type)) return 'sc:Boolean'
  return type.startsWith('timestamp') ? 'sc:DateTime' : 'sc:Text'
}

interface CroissantField {
  readonly '@id': string
  readonly 'subField'?: CroissantField[]
}

/**
 * Returns the fields of the records. Fields of objects and of lists of objects are below the field that contains them.
 */
function recordFields(fields: readonly Field[]): CroissantField[] {
  const made: CroissantField[] = []
  for (const [name, type, text] of fields) {
    const [, column, list, inner] = /^(\w+)(\[\])?(?:\.(.+))?$/.exec(name)!
    const base = {
      '@type': 'cr:Field',
      ...(text !== '' && { description: text.replaceAll('`', '') }),
      'dataType': chooseDataType(type),
    }
    const source = { fileSet: { '@id': 'shards' }, extract: { column } }
    if (inner === undefined) {
      made.push({ '@id': `traces/${column}`, 'name': column, ...base, source } as CroissantField)
      continue
    }
    let holder = made.find((one) => one['@id'] === `traces/${column}`)
    if (!holder?.subField) {
      const isList = list !== undefined && { isArray: true, arrayShape: '-1' }
      holder = {
        '@type': 'cr:Field',
        '@id': `traces/${column}`,
        'name': column,
        ...isList,
        'subField': [],
      } as CroissantField
      made.push(holder)
    }
    const path = inner.replace('[]', '')
    holder.subField!.push({
      '@id': `traces/${column}/${path}`,
      'name': path,
      ...base,
      'source': { ...source, transform: { jsonPath: path } },
    } as CroissantField)
  }
  return made
}

/** Returns `croissant.json`: Croissant 1.1 metadata of the files. */
export function createCroissant(
  contents: PackageContents,
  files: readonly ExportedFile[],
  seller: Seller | null,
): object {
  const { date, format, license, licenseName, licenseLink, traces, tokens, languages } = contents
  const encodingFormat = mediaTypes[format === 'parquet' ? 'parquet' : 'jsonl']
  const organization = { '@type': 'sc:Organization', 'name': sellerName(seller), ...(seller && { url: seller.url }) }
  const shards = {
    '@type': 'cr:FileSet',
    '@id': 'shards',
    'name': 'shards',
    'containedIn': files.map(({ path }) => ({ '@id': path })),
    encodingFormat,
    'includes': format === 'parquet' ? 'data/*.parquet' : format === 'sts' ? 'data/*/*.jsonl' : 'data/*.jsonl',
  }
  return {
    '@context': context,
    '@type': 'sc:Dataset',
    'conformsTo': 'http://mlcommons.org/croissant/1.1',
    'name': 'ai-conversation-traces',
    'description':
      `${traces} conversations with AI models (${tokens} tokens) in the format ${format}, contributed by the people who ` +
      'had them and scrubbed of secrets, personal data and names.',
    'license': licenseLink ?? { '@type': 'sc:CreativeWork', 'name': licenseName ?? license },
    'url': packageUrl(contents, seller),
    'creator': organization,
    'publisher': organization,
    'datePublished': date,
    'version': '1.0.0',
    'inLanguage': languages,
    'keywords': ['agent-traces', 'conversations', format],
    'distribution': [
      ...files.map(({ path, bytes, sha256 }) => ({
        '@type': 'cr:FileObject',
        '@id': path,
        'name': path,
        'contentUrl': path,
        'contentSize': `${bytes} B`,
        encodingFormat,
        sha256,
      })),
      ...(files.length > 0 ? [shards] : []),
    ],
    'recordSet':
      files.length === 0
        ? []
        : [
            {
              '@type': 'cr:RecordSet',
              '@id': 'traces',
              'name': 'traces',
              ...(format === 'sts' || format === 'atif' ? {} : { key: { '@id': 'traces/id' } }),
              'field': recordFields(fieldsFor(format)),
            },
          ],
  }
}

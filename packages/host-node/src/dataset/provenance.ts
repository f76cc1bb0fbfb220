import packageJson from '../../package.json' with { type: 'json' }
import type { Seller } from './card.ts'
import type { ExportedFile, PackageContents } from './manifest.ts'

/** The id of a dataset that has neither a sale nor a seller's URL. */
const offer = 'urn:tributary:traces-for-sale'

/** Returns the URL of the package, or a URN when the seller's URL is not known. */
export const packageUrl = ({ saleId }: Pick<PackageContents, 'saleId'>, seller: Seller | null): string =>
  saleId === null ? (seller?.url ?? offer) : seller ? `${seller.url}/buyer/sales/${saleId}` : `urn:uuid:${saleId}`

/** Returns the name of the seller, or a default name if the seller is not known. */
export const sellerName = (seller: Seller | null): string => seller?.name ?? 'Operator of a Tributary service'

/** Returns `provenance.json`: OASIS Data Provenance Metadata 1.0 of the files. */
export function createProvenance(
  contents: PackageContents,
  files: readonly ExportedFile[],
  seller: Seller | null,
): object {
  const { date, saleId, filter, license, traces, tokens, firstCreatedAt, lastCreatedAt } = contents
  const at = `${date}T00:00:00Z`
  const url = packageUrl(contents, seller)
  const countries = Object.keys(contents.countries)
  const consents = Object.entries(contents.termsVersions).map(([name, counts]) =>
    name === 'unknown'
      ? `Terms of a version that was not recorded, accepted by the contributors of ${counts.traces} traces`
      : `Terms of the service, version ${name}, accepted by the contributors of ${counts.traces} traces before the upload`,
  )
  const scrubbers = Object.keys(contents.scrubVersions)
  const hashes = files.map(({ path, sha256 }) => ({
    path,
    'tree-hashes': [{ algorithm: 'sha256', value: sha256 }],
  }))
  return {
    $schema: 'https://docs.oasis-open.org/dps/prov-meta/v1.0/schema/data-provenance.json',
    set: {
      'category': 'training-data',
      'schema-version': '1.0',
      'language': 'en',
      'publisher': { name: sellerName(seller), namespace: seller?.url ?? offer },
      'label': 'Provenance of AI conversation traces',
      'tracking': {
        'id': url,
        'status': 'final',
        'version': '1',
        'initial-release-date': at,
        'current-release-date': at,
        'revision-history': [{ date: at, number: '1', summary: 'Export of the package.' }],
        'generator': { engine: { name: 'Tributary', version: packageJson.version } },
      },
    },
    source: {
      'name': 'AI conversation traces',
      'data-version': '1',
      'location': url,
      'issuer': [{ 'legal-name': sellerName(seller), ...(seller && { url: seller.url }) }],
      'about': {
        content: `${traces} conversations with AI models (${tokens} tokens), contributed by the people who had them.`,
        purpose: 'Training and evaluating AI models, as the contract with the seller allows.',
        scope:
          'Scrubbed of secrets, personal data and names by a program, without review of each trace. ' +
          'README.md says what was measured and what is not promised.',
      },
      'id': {
        ...(saleId === null ? {} : { uuids: [saleId] }),
        ...(hashes.length === 0 ? {} : { hashes }),
        'custom-ids': [
          saleId === null ? { method: 'filter', value: filter || 'all' } : { method: 'sale', value: saleId },
        ],
      },
    },
    provenance: {
      // The countries are the countries of the uploads. If no country is known, the standard still requires a text.
      'origin-geography': (countries.length === 0 ? ['unknown'] : countries).map((country) => ({ country })),
      date,
      'generation-method': [
        {
          'code': 'user-generated-content',
          'long-description': 'Contributors uploaded conversations from the tools in which they had them.',
        },
        {
          'code': 'machine-generated-ml-ops',
          'long-description': 'AI models and the tools that they called wrote their parts of the conversations.',
        },
      ],
      'format': ['other'],
      ...(firstCreatedAt !== null &&
        lastCreatedAt !== null && { 'generation-period': { start: firstCreatedAt, end: lastCreatedAt } }),
    },
    use: {
      'intended-purpose': [
        {
          'code': 'other',
          'long-description': 'Training and evaluating AI models, as the contract with the seller allows.',
        },
      ],
      'classification': [{ regulation: { code: 'pi' }, evaluated: true, tool: 'Tributary scrubber' }],
      ...(consents.length > 0 && { consents }),
      ...(scrubbers.length > 0 && {
        'data-risk-reducing': scrubbers.map((name) => ({
          'tool-used': `Tributary scrubber ${name}`,
          'technology': 'data-redaction',
          'results': [`${contents.scrubVersions[name]} traces`],
        })),
      }),
      'license': [license],
    },
  }
}

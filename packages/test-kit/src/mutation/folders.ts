import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The path of core's sources from the root of the repository. */
export const core = 'packages/core/src'

/** A group of source files with a separate score. */
export interface MutatedFolder {
  readonly name: string
  /** Paths from the root of the repository. */
  readonly files: readonly string[]
  /**
   * Returns the tests that must notice a change of a file, in steps. The next step runs only if no test of the previous
   * step failed.
   */
  readonly testsOf: (file: string) => readonly (readonly string[])[]
}

/** The files whose lines decide who may do an action, and which data leaves the service. */
const securityFiles = [
  'ads/nonce.ts',
  'http/public-address.ts',
  'auth/authenticator.ts',
  'auth/hmac.ts',
  'auth/operator.ts',
  'auth/rules.ts',
  'auth/sign-in.ts',
  'http/address.ts',
  'http/authenticate.ts',
  'http/body.ts',
  'ui/escape.ts',
  'http/replies.ts',
  'ingest/encryption.ts',
]

/** The store tests that a file needs in addition to the tests with its name. */
const storeTests: Readonly<Record<string, readonly string[]>> = {
  'ad-clicks': ['ads'],
  'ad-votes': ['ads'],
  'applications': ['contributors'],
  'blobs': ['ingest', 'blobs-deleted'],
  'blocked-terms': ['rescrub'],
  'campaigns': ['ads'],
  'content-blobs': ['traces'],
  'contents': ['traces'],
  'contributor-lists': ['contributors'],
  'credentials': ['auth'],
  'dataset': ['traces'],
  'dataset-documents': ['dataset', 'traces'],
  'device-authorization': ['auth'],
  'events': ['webhooks'],
  'impressions': ['ads'],
  'ingest-batch': ['ingest'],
  'job-claims': ['ingest'],
  'job-deletion': ['ingest'],
  'job-queue': ['ingest'],
  'jobs': ['ingest'],
  'ledger': ['traces'],
  'ledger-changes': ['ledger'],
  'ledger-entries': ['ledger'],
  'ledger-impressions': ['ledger', 'ads'],
  'operator-sessions': ['auth'],
  'order': ['traces', 'outbox'],
  'outbox': ['webhooks', 'ads'],
  'outbox-changes': ['outbox'],
  'policy': ['contributors'],
  'program': ['ads'],
  'report-lists': ['reports'],
  'report-merges': ['reports'],
  'sales-by-filter': ['traces'],
  'sellable': ['traces', 'rescrub'],
  'sign-in': ['auth'],
  'stale-reports': ['reports'],
  'stored-traces': ['traces'],
  'trace-erasure': ['traces'],
  'trace-list': ['traces'],
  'traces': ['ingest', 'rescrub'],
  'uploads': ['ingest'],
}

/** The capabilities whose tests test a store, if their names differ from the store's name. */
const capabilityTests: Readonly<Record<string, readonly string[]>> = {
  'account': ['contributors'],
  'ad-clicks': ['ads'],
  'ad-votes': ['ads'],
  'applications': ['contributors'],
  'audit': ['admin'],
  'blobs': ['ingest'],
  'blocked-terms': ['contributors'],
  'campaigns': ['ads'],
  'content-blobs': ['service/blob-contents.test.ts'],
  'contents': ['service/blob-contents.test.ts'],
  'contributor-lists': ['contributors'],
  'credentials': ['auth'],
  'dataset': ['traces/dataset'],
  'dataset-documents': ['traces/dataset'],
  'device-authorization': ['auth'],
  'events': ['events'],
  'idempotency': ['http/idempotency.test.ts'],
  'impressions': ['ads'],
  'ingest-batch': ['ingest'],
  'job-claims': ['ingest'],
  'job-deletion': ['ingest'],
  'job-queue': ['ingest'],
  'jobs': ['ingest'],
  'ledger-changes': ['ledger'],
  'ledger-entries': ['ledger'],
  'ledger-impressions': ['ledger', 'ads'],
  'limiter': ['http'],
  'operator-sessions': ['auth'],
  'order': ['traces'],
  'outbox-changes': ['outbox'],
  'overview': ['admin'],
  'policy': ['contributors'],
  'program': ['ads'],
  'report-lists': ['reports'],
  'report-merges': ['reports'],
  'rescrub': ['traces'],
  'sales-by-filter': ['traces/dataset'],
  'sellable': ['traces/dataset'],
  'sign-in': ['auth'],
  'stale-reports': ['reports'],
  'stored-traces': ['traces'],
  'trace-erasure': ['traces', 'contributors'],
  'trace-list': ['traces'],
  'uploads': ['ingest'],
  'webhooks': ['events'],
}

/** Returns the groups of files that are changed: decisions, HTTP, security, and the stores. */
export function mutatedFolders(root: string): readonly MutatedFolder[] {
  const list = (folder: string): string[] =>
    readdirSync(join(root, core, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`)
  const isSource = (file: string): boolean => file.endsWith('.ts') && !/\.(?:test|fixture)\.ts$/.test(file)
  const inFolder = (folder: string): string[] => list(folder).filter((file) => isSource(file))
  const testFiles = (folder: string): string[] =>
    (folder.endsWith('.ts') ? [folder] : list(folder))
      .filter((file) => /(?<!\.slow|\.isolated)\.test\.ts$/.test(file))
      .map((file) => `${core}/${file}`)

  /** Returns the tests whose name begins with the name of the file, and then all other tests of the folder. */
  const besides = (file: string): string[][] => {
    const own = basename(file, '.ts')
    const all = testFiles(dirname(file).slice(core.length + 1))
    const first = all.filter((test) => basename(test).startsWith(own))
    return [first, all.filter((test) => !first.includes(test))]
  }
  const ofStore = (file: string): string[][] => {
    const [name, folder] = [basename(file, '.ts'), dirname(file)]
    const stores = [name, ...(storeTests[name] ?? [])]
      .map((test) => `${folder}/${test}.test.ts`)
      .filter((test) => existsSync(join(root, test)))
    const handlers = (capabilityTests[name] ?? [name]).filter((path) => existsSync(join(root, core, path)))
    // These two tests cover the audit entries and daily counts of a write.
    const written = ['audit', 'overview'].map((test) => `${folder}/${test}.test.ts`)
    return [stores, handlers.flatMap(testFiles), written]
  }
  const ofLibsql = new Set(Object.keys(capabilityTests))
  const stores = (folder: string): string[] =>
    readdirSync(join(root, core, folder))
      .map((name) => `${folder}/${name}`)
      .filter((file) => isSource(file))
      // Modules of statements and of the client are left out: they contain no checks, and every test of a store needs
      // them.
      .filter((file) => {
        const name = basename(file, '.ts')
        return ofLibsql.has(name) || existsSync(join(root, core, folder, `${name}.test.ts`))
      })
  const folders = [
    { name: 'decisions', files: inFolder('.').filter((file) => file.endsWith('/rules.ts')), testsOf: besides },
    {
      name: 'security',
      files: securityFiles,
      // Tests of sign-in also test requests, and tests of requests also test sign-in.
      testsOf: (file: string) => [...besides(file), testFiles(/\/(?:http|ui)\//.test(file) ? 'auth' : 'http')],
    },
    {
      name: 'http',
      files: ['http', 'ui']
        .flatMap((folder) => readdirSync(join(root, core, folder)).map((name) => `${folder}/${name}`))
        // A changed style sheet does not fail a test, because people check it.
        .filter((file) => isSource(file) && file !== 'ui/style.ts'),
      testsOf: besides,
    },
    { name: 'stores/libsql', files: stores('stores/libsql'), testsOf: ofStore },
  ]
  return folders.map(({ name, files, testsOf }) => ({
    name,
    files: files.map((file) => `${core}/${file.replace(/^\.\//, '')}`),
    testsOf,
  }))
}

// Defines which files may import which (shared design: core runs everywhere, a capability knows only its own store).
// `npm test` checks these rules.
const core = '^packages/core/src/'
const test = '(\\.test|\\.fixture|/fixture)\\.ts$'
const capability = 'documents|auth|telemetry|traces|ingest|contributors|ads|ledger|reports|outbox|admin|audit|mcp'

// The folders of core, lowest first. A folder may call only lower folders, so no two folders load each other; types may
// come from anywhere. Files next to the folders (ids, ports, errors) are below all, `index.ts` is above all.
const folders = (
  'messages http ui scrubber queue audit browser outbox events telemetry auth ledger ads reports traces ingest ' +
  'contributors documents home admin mcp client stores service'
).split(' ')
const inOrder = folders.slice(0, -1).map((folder, at) => ({
  name: 'down-the-order-of-folders',
  comment: `${folder}/ must not run what is above it in the order of folders (at the top of this file).`,
  severity: 'error',
  from: { path: `${core}${folder}/`, pathNot: test },
  to: { path: `${core}(?:${folders.slice(at + 1).join('|')})/`, dependencyTypesNot: ['type-only'] },
}))

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...inOrder,
    {
      name: 'every-folder-has-a-place-in-the-order',
      severity: 'error',
      from: {},
      to: { path: `${core}[^/]+/`, pathNot: `${core}(?:${folders.join('|')})/` },
    },
    {
      name: 'the-lowest-files-stand-alone',
      comment: 'Files beside the folders are below all of them.',
      severity: 'error',
      from: { path: `${core}[^/]+$`, pathNot: [test, `${core}index\\.ts$`] },
      to: { path: `${core}[^/]+/`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-circles',
      comment: 'Files that import each other cannot be understood or loaded apart. Types count too.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'core-runs-anywhere',
      comment: 'The platform reaches core through a port that a host passes in.',
      severity: 'error',
      from: { path: core, pathNot: test },
      to: {
        path: '^node:|node_modules/(h3|srvx|pino|nodemailer|maxmind|@aws-sdk|@types/aws-lambda|@libsql|libsql)/|^packages/(host-|test-kit)',
      },
    },
    {
      name: 'core-has-no-built-ins',
      severity: 'error',
      from: { path: core, pathNot: test },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'open-telemetry-only-in-tracing',
      comment: 'Its API reads a global that the app may set; one file decides what that means.',
      severity: 'error',
      from: { path: core, pathNot: [test, `${core}(?:spans|tracing)\\.ts$`] },
      to: { path: 'node_modules/@opentelemetry/' },
    },
    {
      name: 'drizzle-only-in-stores',
      severity: 'error',
      from: { path: core, pathNot: [test, `${core}stores/(?:libsql|postgres)/`] },
      to: { path: 'node_modules/drizzle-orm/' },
    },
    {
      name: 'no-store-of-another-capability',
      comment: 'service/ passes functions between capabilities. The outbox and the audit log are written by all.',
      severity: 'error',
      from: { path: `${core}(${capability})/`, pathNot: [test, `${core}ingest/(store|prepare)\\.ts$`] },
      to: {
        path: `${core}(${capability})/.*store\\.ts$`,
        pathNot: [`${core}$1/`, `${core}(outbox|audit)/store\\.ts$`],
      },
    },
    {
      name: 'a-capability-knows-ports-not-stores',
      severity: 'error',
      from: { path: `${core}(${capability}|http|ui|scrubber|client)/`, pathNot: test },
      to: { path: `${core}stores/` },
    },
    {
      name: 'stores-know-store-types-only',
      severity: 'error',
      from: { path: `${core}stores/`, pathNot: test },
      to: { path: `${core}(${capability})/`, pathNot: `(store|rules)\\.ts$` },
    },
    {
      name: 'contracts-and-rules-know-zod-and-http',
      severity: 'error',
      from: { path: `(${core}[^/]+/).*\\b(contract|rules)\\.ts$` },
      to: {
        path: `${core}|node_modules`,
        pathNot: [
          `${core}(http/|ui/|audit/contract\\.ts|messages/|traces/detail-schemas\\.ts|ids\\.ts|ports\\.ts|sources\\.ts|money\\.ts)`,
          '$1',
          'node_modules/zod/',
        ],
      },
    },
    {
      name: 'the-scrubber-stands-alone',
      severity: 'error',
      from: { path: `${core}scrubber/`, pathNot: test },
      to: { path: core, pathNot: `${core}(scrubber/|deadline\\.ts$)` },
    },
    {
      name: 'rules-of-the-scrubber-know-no-detector',
      comment: 'Rules name the functions of detectors/, and packs/ load both.',
      severity: 'error',
      from: { path: `${core}scrubber/rules/` },
      to: { path: core, pathNot: `${core}scrubber/(?:rules|engine)/` },
    },
    {
      name: 'rules-of-the-scrubber-run-nothing',
      comment: 'Rules are data: they use only the types of engine/.',
      severity: 'error',
      from: { path: `${core}scrubber/rules/` },
      to: { path: `${core}scrubber/engine/`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'only-what-core-exports',
      severity: 'error',
      from: { path: '^(packages/(host-node|host-lambda|test-kit)|examples)/', pathNot: test },
      to: {
        path: core,
        pathNot: `${core}(index|stores/(libsql/(index|lazy)|postgres/index)|scrubber/((names|model)/)?index|auth/passkeys/verifier|client/index|documents/index|service/(worker|host|adapter|store-adapter))\\.ts$`,
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|bench)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { conditionNames: ['tributary-source', 'import', 'default'], exportsFields: ['exports'] },
  },
}

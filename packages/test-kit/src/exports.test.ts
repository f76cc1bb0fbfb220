import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

/**
 * Returns the names that an entry exports at run time. A name that appears or disappears changes the public interface.
 * If that is intended, run `npx vitest run packages/test-kit/src/exports.test.ts -u`.
 */
const listNames = async (entry: Promise<object>): Promise<string> =>
  Object.keys(await entry)
    .sort()
    .join(' ')

describe('the exports change only with this list:', () => {
  test('@tributary/core', async () => {
    expect(await listNames(import('@tributary/core'))).toMatchInlineSnapshot(
      `"BodyAlreadyRead BodyReadError Unavailable cells contentHash createService displayTitle estimateTokenizer fixedCountry formatMessageBlock formatTraceDocument formatTracePieces gravity headerCountry logsRequest otlpSink parseMessageBlocks readAdminTokens securityEvents sponsorLine terminalSafe terminalVectors titleOf"`,
    )
  })

  test('@tributary/core/libsql', async () => {
    expect(await listNames(import('@tributary/core/libsql'))).toMatchInlineSnapshot(
      `"MigrationError enqueue inspectSchema isRead libsqlAccount libsqlAds libsqlAudit libsqlAuth libsqlBlobs libsqlBuyers libsqlContents libsqlContributors libsqlCopies libsqlDataset libsqlIdempotency libsqlIngest libsqlLedger libsqlLimiter libsqlOutbox libsqlOverview libsqlPolicy libsqlProgram libsqlReports libsqlStores libsqlTelemetry libsqlTraces libsqlWebhooks listTableShapes migrate migrations movingLedgerName openDatabase openDrizzle raw remoteConfig schema schemaStatements"`,
    )
  })

  test('@tributary/core/libsql-lazy', async () => {
    expect(await listNames(import('@tributary/core/libsql-lazy'))).toMatchInlineSnapshot(
      `"lazyLibsqlStores remoteConfig"`,
    )
  })

  test('@tributary/core/stores', async () => {
    expect(await listNames(import('@tributary/core/stores'))).toMatchInlineSnapshot(
      `"clockSkewMs decideOutcome deliveryStatuses divideByTokens entryIdAt estimate expiredAuthorizationMs guessWindowMs hasReplacedDuplicate maxSkippedTraces maxTracesPerSaleStep maxWebhooks newestFirst nothingLeftOut queueTimes redactionCounts skipReasons traceState withBackend"`,
    )
  })

  test('@tributary/core/scrub', async () => {
    expect(await listNames(import('@tributary/core/scrub'))).toMatchInlineSnapshot(
      `"DetectorError createScrubber previewScrub scrubJson warmUpScrubber"`,
    )
  })

  test('@tributary/core/client', async () => {
    expect(await listNames(import('@tributary/core/client'))).toMatchInlineSnapshot(
      `"balanceParts createClient decimalsOf formatUsd paginate sendRequest toDollars toMicros"`,
    )
  })

  test('@tributary/core/messages', async () => {
    expect(await listNames(import('@tributary/core/messages'))).toMatchInlineSnapshot(
      `"checkTranslations englishMessages"`,
    )
  })

  test('@tributary/core/documents', async () => {
    expect(await listNames(import('@tributary/core/documents'))).toMatchInlineSnapshot(
      `"endpointTable llmsText openapi"`,
    )
  })

  test('@tributary/core/passkeys', async () => {
    expect(await listNames(import('@tributary/core/passkeys'))).toMatchInlineSnapshot(`"webAuthnPasskeys"`)
  })

  test('@tributary/core/events', async () => {
    expect(await listNames(import('@tributary/core/events'))).toMatchInlineSnapshot(`"ServiceEventSchema eventTypes"`)
  })

  test('@tributary/core/adapter', async () => {
    expect(await listNames(import('@tributary/core/adapter'))).toMatchInlineSnapshot(
      `"Failure Reply checkOptionNames createDispatcher createMatcher createMeasurements createNetworkTest fail impliedFailures measuredMetrics mount readRequestId redactAddresses redirect reply route standardHeaders uuid7 within"`,
    )
  })

  test('@tributary/core/worker and @tributary/core/host', async () => {
    expect(await listNames(import('@tributary/core/worker'))).toMatchInlineSnapshot(`"createWorker"`)
    expect(await listNames(import('@tributary/core/host'))).toMatchInlineSnapshot(
      `"Html brandLink brandName checkPackageFile commandBlock devMessages docsMessages html icon isPublicAddress language lintVerifier loadLineCheck localPath messagesOf moveContents openContents operatorTokens page serviceDownloads serviceIntake serviceOptions time"`,
    )
  })

  test('@tributary/host-lambda', async () => {
    expect(await listNames(import('../../host-lambda/src/index.ts'))).toMatchInlineSnapshot(
      `"UnsupportedEvent emfMeter extensionSecrets jsonLogger lambdaPlatform readSigningKeys toLambdaHandler toQueueHandler toScheduleHandler withSecrets"`,
    )
    expect(await listNames(import('../../host-lambda/src/aws.ts'))).toMatchInlineSnapshot(
      `"s3Blobs sqsQueue sqsVisibility sqsWorker"`,
    )
    expect(await listNames(import('../../host-lambda/src/turso.ts'))).toMatchInlineSnapshot(`"tursoClient tursoStores"`)
  })
})

/**
 * The names that the main entry exports, including types, with a sentence for each group. Other entries export all
 * other names.
 */
const mainEntry: Readonly<Record<string, string>> = {
  'A service and its options':
    'Brand CountReader MessageKey Messages OperatorToken Service ServiceCounts ServiceOptions ServiceWorker StartWorkerOptions User WorkOptions WorkSummary WorkerLoop createService estimateTokenizer fixedCountry headerCountry readAdminTokens',
  'The ports of a service':
    'AdNetwork AdQuestion Blobs Clock Country DeviceContext Digest Fetch Identity Logger Mail Mailer NetworkAd PasskeyExpectation Passkeys Person PublishParams Queue Random RateLimiter RegisteredPasskey Stores TelemetryRecord TelemetrySink Tokenizer Verifier',
  'Requests and replies, for an app that implements a host':
    'Batch BodyAlreadyRead BodyReadError Download Downloads Intake PlainReply PlainRequest Receipt Unavailable',
  'Sponsors':
    'AdsOptions GravityOptions Promotion TerminalVector cells gravity sponsorLine terminalSafe terminalVectors',
  'Traces, as clients send them and buyers read them':
    'DatasetFormat HashedMessage MessageBlock SigningKey TraceDocument contentHash displayTitle formatMessageBlock formatTraceDocument formatTracePieces parseMessageBlocks titleOf',
  'The information that a service gives: events, security events, telemetry and measurements':
    'EventData EventType Measurement Measurements Meter MetricName OnEvent OtlpOptions SecurityEvent ServiceEvent StopTimer logsRequest otlpSink securityEvents',
}

test('the main entry of core lists each export under a sentence, at most 100 exports in total', () => {
  const source = readFileSync(new URL('../../core/src/index.ts', import.meta.url), 'utf8')
  const groups = source.split(/^\/\/ /m).slice(1)
  const named = groups.map((group) => {
    const lists = [...group.matchAll(/^export (?:type )?\{([^}]*)\}/gm)]
    const names = lists.flatMap(([, list]) => list!.split(',').map((name) => name.trim().replace(/^type /, '')))
    return [
      group.slice(0, group.indexOf('.\n')),
      names
        .filter((name) => name !== '')
        .sort()
        .join(' '),
    ]
  })
  expect(Object.fromEntries(named)).toEqual(mainEntry)
  expect(source).not.toContain('export *')
  expect(named.flatMap(([, names]) => names!.split(' ')).length).toBeLessThanOrEqual(100)
})

test('each entry that a package declares has a source file', () => {
  const missing = ['core', 'host-node', 'host-lambda', 'test-kit'].flatMap((name) => {
    const folder = new URL(`../../${name}/`, import.meta.url)
    const { exports } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as {
      exports: Record<string, Record<string, string>>
    }
    return Object.entries(exports)
      .filter(([, { 'tributary-source': source }]) => !existsSync(new URL(source!, folder)))
      .map(([entry]) => `${name} ${entry}`)
  })
  expect(missing).toEqual([])
})

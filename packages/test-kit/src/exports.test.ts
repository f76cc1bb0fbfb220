import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

/**
 * Returns what each entry exports at run time. A name that appears or disappears changes the public interface: decide
 * it, then `npx vitest run packages/test-kit/src/exports.test.ts -u`.
 */
const listNames = async (entry: Promise<object>): Promise<string> =>
  Object.keys(await entry)
    .sort()
    .join(' ')

describe('the exports of', () => {
  test('@tributary/core', async () => {
    expect(await listNames(import('@tributary/core'))).toMatchInlineSnapshot(
      `"BodyAlreadyRead BodyReadError Failure Reply Unavailable cells checkOptionNames contentHash createDispatcher createMatcher createMeasurements createNetworkTest createService deliveryStatuses displayTitle divideByTokens estimateTokenizer fail fixedCountry formatMessageBlock formatTraceDocument formatTracePieces gravity headerCountry impliedFailures logsRequest maxSkippedTraces maxTracesPerSaleStep maxWebhooks measuredMetrics mount nothingLeftOut otlpSink parseMessageBlocks readAdminTokens readRequestId redactAddresses redirect reply route securityEvents skipReasons sponsorLine standardHeaders terminalSafe terminalVectors titleOf uuid7 within"`,
    )
  })

  test('@tributary/core/libsql', async () => {
    expect(await listNames(import('@tributary/core/libsql'))).toMatchInlineSnapshot(
      `"MigrationError enqueue inspectSchema isRead libsqlAccount libsqlAds libsqlAudit libsqlAuth libsqlBlobs libsqlBuyers libsqlContents libsqlContributors libsqlCopies libsqlDataset libsqlIdempotency libsqlIngest libsqlLedger libsqlLimiter libsqlOutbox libsqlOverview libsqlPolicy libsqlProgram libsqlReports libsqlStores libsqlTelemetry libsqlTraces libsqlWebhooks listTableShapes migrate migrations openDatabase openDrizzle raw remoteConfig schema"`,
    )
  })

  test('@tributary/core/libsql-lazy', async () => {
    expect(await listNames(import('@tributary/core/libsql-lazy'))).toMatchInlineSnapshot(
      `"lazyLibsqlStores remoteConfig"`,
    )
  })

  test('@tributary/core/stores', async () => {
    expect(await listNames(import('@tributary/core/stores'))).toMatchInlineSnapshot(
      `"advanceWindow clockSkewMs decideOutcome entryIdAt estimate expiredAuthorizationMs guessWindowMs hasReplacedDuplicate newestFirst queueTimes redactionCounts remainingCalls retryAfterMs traceState windowStart withBackend"`,
    )
  })

  test('@tributary/core/memory', async () => {
    expect(await listNames(import('@tributary/core/memory'))).toMatchInlineSnapshot(
      `"MemoryScrubContexts MemoryTraces contributorRecords memoryAccount memoryAds memoryAudit memoryAuth memoryBlobs memoryBlockedTerms memoryBuyers memoryContents memoryContributors memoryDailyCounts memoryIdempotency memoryIngest memoryLedger memoryLimiter memoryOutbox memoryOverview memoryPolicy memoryProgram memoryReports memoryRescrub memoryStores memoryTelemetry memoryWebhooks"`,
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

  test('@tributary/core/events', async () => {
    expect(await listNames(import('@tributary/core/events'))).toMatchInlineSnapshot(`"ServiceEventSchema eventTypes"`)
  })

  test('@tributary/core/worker and @tributary/core/host', async () => {
    expect(await listNames(import('@tributary/core/worker'))).toMatchInlineSnapshot(`"createWorker"`)
    expect(await listNames(import('@tributary/core/host'))).toMatchInlineSnapshot(
      `"Html brandLink brandName devMessages docsMessages html icon isPublicAddress language lintVerifier loadLineCheck localPath messagesOf moveContents openContents page serviceDownloads serviceIntake serviceOptions time"`,
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

test('each entry that a package names has its source', () => {
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

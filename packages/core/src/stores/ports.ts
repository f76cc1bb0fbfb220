import type { IterableMethod, PromiseMethod } from '../lazy.ts'
import type { Stores } from '../stores.ts'

export type StorePort = Exclude<keyof Stores, 'ready'>

/** The optional methods that only a blob store outside a database may have. */
type BlobExtra = 'presign' | 'publish'
type MethodNames<Port> = Exclude<PromiseMethod<Port> & string, BlobExtra> | `${Extract<IterableMethod<Port>, string>}*`
type Words<Text, Found = never> = Text extends `${infer Name} ${infer Rest}` ? Words<Rest, Found | Name> : Found | Text

/** The methods of every store. The name of a method that returns an async iterable ends in `*`. */
const names = {
  account: [
    'startErasure isErasing startExport findExport findExportFile claimJob renewLease releaseJob postponeJob',
    'completeExport failExport completeErasure listExpiredExports deleteExports listExports eraseExports',
  ],
  limiter: ['consume refund'],
  audit: ['recordRead listEntries findStatusChange deleteEntries'],
  overview: ['listDailyCounts countWaiting listQueues'],
  blobs: ['put get delete stale'],
  idempotency: ['claimKey storeReply releaseKey deleteKeys export erase'],
  ingest: [
    'enqueueJob countWaitingBytes withdrawJob findJob listOutcomes listJobs listAllJobs findAnyJob retryJob',
    'claimJob findClaimTime hasDueJob renewLease writeBatch completeJob releaseJob postponeJob failJob',
    'listJobsNeedingUpload findUploadOfJob markUploadDeleted createUpload findUpload claimUpload',
    'releaseUpload deleteExpiredUploads deleteFinishedJobs eraseJobs exportJobs*',
  ],
  outbox: [
    'enqueue recordRefusedMail hasDue claim claimMail acknowledge retry fail release advanceRetries resend',
    'list deleteUndelivered countUnsent deleteFinished',
  ],
  webhooks: [
    'listWebhooks createWebhook updateWebhook deleteWebhook rotateSecret disableWebhook sendTest',
    'listDeliveries redeliver listDueWebhooks claimDeliveries',
  ],
  telemetry: [
    'recordReport findReports deleteReports recordFeedback deleteFeedback listFeedback handleFeedback export',
    'erase',
  ],
  reports: [
    'claimKey createReport attachEvidence findReceipt listReports countReports findReport mergeReports',
    'separateReport setReportStatus deleteKeys deleteStaleReports',
  ],
  auth: [
    'findCredential renewCredential revokeCredential findRevokedCredential deleteExpiredRevocations findUser',
    'upsertUser ensureSecret countWrongGuesses createSignInCode verifySignInCode startDeviceAuthorization',
    'findDeviceAuthorization decideDeviceAuthorization findPolledAuthorization pollDeviceToken',
    'listCredentials revokeCredentialById revokeCredentials startOperatorSession findOperatorSession',
    'endOperatorSession setChallenge takeChallenge listPasskeys addPasskey usePasskey removePasskey export',
    'erase',
  ],
  policy: [
    'getStanding acceptTerms setPause joinWaitlist leaveWaitlist findWaitlistEntry listAcceptedTerms',
    'listWaitlist countWaitlist notifyWaitlist removeFromWaitlist export erase',
  ],
  contributors: [
    'findApplication submitApplication reviewApplication listApplications findContact saveContact getConsent',
    'setConsent findContributor listContributors listAddresses findUserIdByAddress listApplicants',
    'setOperatorPause export erase',
  ],
  blockedTerms: ['findTerms saveTerms export erase'],
  traces: [
    'findTrace setSellExcluded deleteUnsoldTraces listFormerNames listTitles findKnownHashes listTraces',
    'getTraceStats readTrace reportReplacement eraseTraces exportTraces* exportDeletedHashes*',
    'exportConversations* exportDeletedNames*',
  ],
  dataset: [
    'listSales startSale readPendingSale addSaleItems findLastPlace listPendingSales finishSale',
    'listSaleCandidates listSkipReasons listSoldTraces findSale findSimilarSale recordSale readSoldTraces',
    'readSellableTraces',
  ],
  buyers: [
    'createBuyer listBuyers setEmail setToken findBuyer startSession findSession endSession withdrawTrace',
    'findWithdrawal listWithdrawalReasons listRemovals acknowledgeRemovals listAllRemovals countRemovals countSold findErasure',
    'findBuyerByName',
  ],
  copies: ['findSimilarTraces readMessages getCopyStats listCopiers listUnfilledTraces fillCopies'],
  contents: ['reserveBlobs releaseBlobs claimReleasedBlobs forgetBlobs readContent listMovable replaceContent'],
  rescrub: [
    'getProgress countStaleTraces claimPass saveCursor releasePass findChangedPerson completePerson',
    'listStaleTraces storeRescrubbed',
  ],
  program: ['claimDevice findOwnership listDevices erase'],
  ads: [
    'listActiveCampaigns createCampaign listCampaigns listCampaignNames findCampaign replaceCampaign',
    'setCampaignStatus endCampaign setSponsorLink findSponsored correctCampaign closeMonth rotateSecrets',
    'serveAd deleteServes recordImpression recordUnknownImpression recordClick findTarget recordVote listDays',
    'export erase',
  ],
  ledger: [
    'listEntries listDayEarnings listBalances listPayouts findLastPayout findSaleShare recordPayout',
    'requestPayout findPayoutRequest listPayoutRequests rejectPayoutRequest exportPayoutRequests',
    'recordCorrection postImpressions export erase',
  ],
} as const satisfies Readonly<Record<StorePort, readonly string[]>>

/**
 * The method names that are missing from a port's list, or that are in the list although the port has no such method.
 * If there is such a name, the code does not compile.
 */
type WrongNames = {
  [Port in StorePort]: Listed<Port> extends MethodNames<Required<Stores[Port]>>
    ? Exclude<MethodNames<Required<Stores[Port]>>, Listed<Port>>
    : Exclude<Listed<Port>, MethodNames<Required<Stores[Port]>>>
}[StorePort]
type Listed<Port extends StorePort> = Words<(typeof names)[Port][number]>
const checkedNames: [WrongNames] extends [never] ? Readonly<Record<StorePort, readonly string[]>> : WrongNames = names

export const storePorts = Object.keys(names) as StorePort[]

/** Returns the names of a port's methods. The name of a method that returns an async iterable ends in `*`. */
const listNames = (port: StorePort): string[] => checkedNames[port].join(' ').split(' ')

/** Returns the names of a port's methods. */
const listMethods = (port: StorePort): string[] => listNames(port).map((name) => name.replace('*', ''))

/** Returns the names of a port's methods: those that return a promise, and those that return an async iterable. */
export function divideMethods(port: StorePort): { readonly promises: string[]; readonly iterables: string[] } {
  const names = listNames(port)
  return {
    promises: names.filter((name) => !name.endsWith('*')),
    iterables: names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1)),
  }
}

type Method = (...params: unknown[]) => unknown

/**
 * Returns stores in which each port is a plain object. Each of its methods runs the method of `stores` through `call`.
 * The ports of `stores` may be instances of classes.
 */
export function wrapStores(stores: Stores, call: <Result>(port: StorePort, run: () => Result) => Result): Stores {
  const wrapPort = (port: StorePort): object => {
    const store = stores[port]
    const methods = listMethods(port)
      .filter((name) => name in store)
      .map((name) => {
        const run = (params: unknown[]): unknown => (Reflect.get(store, name) as Method).apply(store, params)
        return [name, (...params: unknown[]) => call(port, () => run(params))]
      })
    return Object.fromEntries(methods)
  }
  const ports = storePorts.map((port) => [port, wrapPort(port)])
  return { ...Object.fromEntries(ports), ready: () => stores.ready() } as Stores
}

/** The methods that a port may omit. */
const optionalMethods: ReadonlySet<string> = new Set(['limiter.refund'])

/**
 * Throws an error that names each missing store and method. Without this check, plain JavaScript would only fail at the
 * first request that needs the missing method.
 */
export function checkStores(stores: Stores): void {
  const missing = storePorts.flatMap((port): string[] => {
    const store: unknown = stores[port]
    if ((typeof store !== 'object' && typeof store !== 'function') || store === null) return [port]
    const required = listMethods(port).filter((name) => !optionalMethods.has(`${port}.${name}`))
    return required.filter((name) => typeof Reflect.get(store, name) !== 'function').map((name) => `${port}.${name}()`)
  })
  if (missing.length > 0)
    throw new Error(
      `stores lacks ${missing.join(', ')}; take all of one database, such as libsqlStores(client), or write each port`,
    )
}

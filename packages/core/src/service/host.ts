// The parts for long-running processes. Serverless functions must not load them, so the main entry does not export
// them.
import { lazyStoredSecret, resolveSecrets } from '../auth/hmac.ts'
import { lastOf } from '../lists.ts'
import { inlineIntake, type Intake } from '../ingest/intake.ts'
import type { Blobs } from '../ports.ts'
import type { Stores } from '../stores.ts'
import { wrapStores } from '../stores/ports.ts'
import { isReference, keyOfReference, type ContentStore } from '../traces/contents/store.ts'
import { inlineDownloads, type Downloads } from '../traces/download.ts'
import { createBlobContents, isDamaged } from './blob-contents.ts'
import { resolveContentBytes, resolveOptions, encryptUploads } from './resolve-options.ts'
import type { ServiceOptions } from './options.ts'
import { silentLogger, systemClock, systemRandom, systemYield } from '../system.ts'

export {
  brandLink,
  brandName,
  commandBlock,
  Html,
  html,
  icon,
  language,
  messagesOf,
  page,
  time,
  type PageFrame,
} from '../ui/html.ts'
export { operatorTokens } from '../auth/operator.ts'
export { localPath } from '../auth/rules.ts'
export { devMessages } from '../messages/dev.ts'
export { docsMessages } from '../messages/docs.ts'
export { isPublicAddress } from '../http/public-address.ts'
export { checkPackageFile, loadLineCheck, type PackageFile } from '../traces/dataset/check-package.ts'
export type { OptionsOf, OptionTable } from '../option.ts'
export { serviceOptions } from './options.ts'
export { lintVerifier, type Secretlint } from './lint-verifier.ts'

/** Returns the blobs of a service with these options, which encrypt their content. */
function openBlobs(options: ServiceOptions): Blobs {
  const { stores, clock = systemClock, random = systemRandom, logger = silentLogger } = options
  return encryptUploads({
    blobs: options.blobs ?? stores.blobs,
    secrets: resolveSecrets(options),
    storedSecret: lazyStoredSecret({ store: stores.auth, clock, random }),
    random,
    logger,
  })
}

/**
 * Returns the stores of a service with these options, which read contents of traces from the database and the blobs.
 */
export function openContents(options: ServiceOptions): Stores {
  const { stores, clock = systemClock, random = systemRandom, logger = silentLogger } = options
  const minBytes = resolveContentBytes(options)
  const plain = wrapStores(stores, (_, run) => run())
  return createBlobContents({ stores: plain, blobs: openBlobs(options), clock, random, logger, minBytes }).stores
}

/** The number of contents that are looked up together. */
const contentsPerPage = 200

/**
 * Moves the contents of stored traces of a service with these options to the database, or moves contents with at least
 * `contentBytes` to its blobs. The call may be interrupted and repeated at any time, also while services and workers
 * run. Returns how many contents it moved, and how many are missing in the blobs; the database keeps the references to
 * the missing contents. Throws `UploadUnreadable`, and moves nothing to the blobs, when a blob is encrypted under
 * another secret.
 */
export async function moveContents(
  options: ServiceOptions,
  to: 'blobs' | 'database',
  onMoved: (moved: number) => void = () => {},
): Promise<{ readonly moved: number; readonly missing: number }> {
  const { stores, clock = systemClock, random = systemRandom, logger = silentLogger } = options
  const minBytes = resolveContentBytes({ ...options, contents: 'blobs' }) ?? 0
  const blobs = openBlobs(options)
  const { moveContent } = createBlobContents({ stores, blobs, clock, random, logger, minBytes })
  if (to === 'blobs') {
    const { stored, found } = await probeContents(stores.contents, blobs)
    if (stored > 0 && found === 0) return { moved: 0, missing: stored }
  }
  let [moved, missing] = [0, 0]
  for (let after = 0; ;) {
    const page = await stores.contents.listMovable({ to, minBytes, after, limit: contentsPerPage })
    for (const { traceId } of page) {
      const outcome = await moveContent({ traceId, to })
      if (outcome === 'moved') onMoved(++moved)
      if (outcome === 'missing') missing++
    }
    if (page.length < contentsPerPage) return { moved, missing }
    after = lastOf(page).num
  }
}

/** The number of contents in the blobs that are decrypted as a test before other contents are moved to the blobs. */
const probedContents = 5

/**
 * Decrypts some contents in the blobs as a test, because the servers could not read moved contents if their secret or
 * their blobs were different. Returns the number of contents to which the database refers, and how many of these
 * contents the blobs contain. Throws `UploadUnreadable` for a blob that no secret decrypts.
 */
async function probeContents(
  contents: ContentStore,
  blobs: Blobs,
): Promise<{ readonly stored: number; readonly found: number }> {
  const listed = await contents.listMovable({ to: 'database', minBytes: 0, after: 0, limit: probedContents })
  const stored = await Promise.all(listed.map(({ traceId }) => contents.readContent({ traceId })))
  const references = stored.filter((content) => content !== null && isReference(content)) as string[]
  const opened = await Promise.all(
    references.map((reference) =>
      blobs.get(keyOfReference(reference)).catch((error: unknown) => {
        if (!isDamaged(error)) throw error
        return true
      }),
    ),
  )
  return { stored: references.length, found: opened.filter(Boolean).length }
}

/**
 * Makes the intake of a service with these options for the current thread: a worker thread, or a thread that combines
 * this intake with the intake of a worker thread.
 */
export function serviceIntake(options: ServiceOptions): Intake {
  return inlineIntake({ blobs: openBlobs(options), yieldToEventLoop: options.yieldToEventLoop ?? systemYield })
}

/** Makes the downloads of a service with these options, for a worker thread. */
export function serviceDownloads(options: ServiceOptions): Downloads {
  const resolved = resolveOptions(options)
  return inlineDownloads({ ...resolved, traces: resolved.stores.traces })
}

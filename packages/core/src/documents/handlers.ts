import { within } from '../deadline.ts'
import { fail } from '../http/failures.ts'
import { lazy, type Lazy } from '../lazy.ts'
import type { OperatorSession } from '../auth/operator.ts'
import type { AuditContext } from '../audit/store.ts'
import type { PlainRequest } from '../http/message.ts'
import { reply, mount, type Handlers, type Mounted, type NamedRoute } from '../http/route.ts'
import type { Logger } from '../ports.ts'
import { documentsContract } from './contract.ts'
import type { Documents, DocumentsOptions } from './documents.ts'
import type { PrivacyTerms } from './privacy.ts'

export interface DocumentsDeps extends DocumentsOptions, PrivacyTerms {
  readonly brand: DocumentsOptions['brand']
  readonly logger: Logger
  readonly signedIn: OperatorSession['signedIn']
  /** Loads every capability and returns its routes. */
  readonly routes: () => Promise<readonly NamedRoute[]>
  /** Resolves when the stores answer. */
  readonly ready: () => Promise<void>
  /** Returns whether the process is stopping. Then the process is alive but not ready. */
  readonly isDraining: () => boolean
}

interface Deps extends DocumentsDeps {
  /** The documents without the operators' routes. */
  readonly forAnyone: Lazy<Documents>
  readonly forOperators: Lazy<Documents>
}

/** Returns the documents for the caller: an operator's documents contain the operators' routes. */
async function documentsFor(
  {
    request,
    now,
    audit,
  }: { readonly request: PlainRequest; readonly now: number; readonly audit?: AuditContext | undefined },
  { signedIn, forAnyone, forOperators }: Deps,
): Promise<Documents> {
  const isOperator = audit !== undefined || typeof (await signedIn(request, now)) === 'object'
  return isOperator ? forOperators() : forAnyone()
}

/** The longest time that the stores may take to answer `/readyz`, in milliseconds. */
const readyMs = 2_000

const documentHandlers: Handlers<typeof documentsContract, Deps> = {
  getHealth: () => ({ ok: true }),

  async getReadiness(_, { isDraining, ready, logger }) {
    if (isDraining()) return fail('unavailable', { reason: 'draining' })
    try {
      await within(readyMs, ready)
      return { ok: true }
    } catch (error) {
      logger.warn({ err: error }, 'service.not_ready')
      return fail('unavailable', { reason: 'store' })
    }
  },

  getOpenapi: async (input, deps) =>
    reply(200, (await documentsFor(input, deps)).openapi, [['content-type', 'application/json']]),
  async docsPage({ user, ...input }, deps) {
    const [{ referencePage }, { reference }] = await Promise.all([import('../ui/docs.ts'), documentsFor(input, deps)])
    return referencePage(reference, { prefix: deps.prefix, email: user?.email ?? null, signedIn: user !== null })
  },
  async privacyPage({ user }, deps) {
    const [{ message, page, prose }, { defaultPrivacy }] = await Promise.all([
      import('../ui/html.ts'),
      import('./privacy.ts'),
    ])
    const own = deps.brand.privacyText
    return page({
      title: message('privacy.title'),
      prefix: deps.prefix,
      email: user?.email ?? null,
      signedIn: user !== null,
      main: own === undefined ? defaultPrivacy(deps) : prose(own),
    })
  },
  getLlmsText: async (input, deps) =>
    reply(200, (await documentsFor(input, deps)).llms, [['content-type', 'text/plain; charset=utf-8']]),
}

/** Binds the routes of the probes and documents to their handlers. Each document is made once. */
export function mountDocuments(deps: DocumentsDeps): Mounted[] {
  const makeDocuments = (isOperator: boolean): Lazy<Documents> =>
    lazy(async () => {
      const routes = await deps.routes()
      const listed = isOperator ? routes : routes.filter(({ route }) => !route.auth.startsWith('admin'))
      return (await import('./documents.ts')).createDocuments(listed, deps)
    })
  return mount(documentsContract, documentHandlers, {
    ...deps,
    forAnyone: makeDocuments(false),
    forOperators: makeDocuments(true),
  })
}

import { within } from '../deadline.ts'
import { fail } from '../http/failures.ts'
import { lazy, type Lazy } from '../lazy.ts'
import { mount } from '../http/mount.ts'
import { reply, type Handlers, type Mounted, type NamedRoute } from '../http/route.ts'
import type { Logger } from '../ports.ts'
import { documentsContract } from './contract.ts'
import type { Documents, DocumentsOptions } from './documents.ts'
import type { PrivacyTerms } from './privacy.ts'

export interface DocumentsDeps extends DocumentsOptions, PrivacyTerms {
  readonly brand: DocumentsOptions['brand']
  readonly logger: Logger
  /** Loads every capability and returns its routes. */
  readonly routes: () => Promise<readonly NamedRoute[]>
  /** Resolves when the stores answer. */
  readonly ready: () => Promise<void>
  /** Returns whether the process is stopping: it is then alive but not ready. */
  readonly isDraining: () => boolean
}

type Deps = DocumentsDeps & { readonly documents: Lazy<Documents> }

/** How long the stores may take to answer `/readyz`, in milliseconds. */
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

  getOpenapi: async (_, { documents }) =>
    reply(200, (await documents()).openapi, [['content-type', 'application/json']]),
  async docsPage({ user }, { documents, prefix }) {
    const [{ referencePage }, { reference }] = await Promise.all([import('../ui/docs.ts'), documents()])
    return referencePage(reference, { prefix, email: user?.email ?? null, signedIn: user !== null })
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
  getLlmsText: async (_, { documents }) =>
    reply(200, (await documents()).llms, [['content-type', 'text/plain; charset=utf-8']]),
}

/** Binds the routes of the probes and documents to their handlers. Each document is made once. */
export function mountDocuments(deps: DocumentsDeps): Mounted[] {
  return mount(documentsContract, documentHandlers, {
    ...deps,
    documents: lazy(async () => (await import('./documents.ts')).createDocuments(await deps.routes(), deps)),
  })
}

import type { CachingAuthenticator } from '../auth/authenticator.ts'
import type { HmacCode } from '../auth/hmac.ts'
import type { OperatorSession } from '../auth/operator.ts'
import type { People } from '../contributors/people.ts'
import type { DocumentsDeps } from '../documents/handlers.ts'
import type { PlainReply, PlainRequest } from '../http/message.ts'
import type { Rates } from '../http/rate-limit.ts'
import type { ResolvedOptions } from './resolve-options.ts'

/** The values that the `wire.ts` of a capability gets. */
export interface Wiring {
  readonly options: ResolvedOptions
  readonly people: People
  readonly hmacCode: HmacCode
  readonly authenticator: CachingAuthenticator
  readonly operator: OperatorSession
  readonly rates: Rates | undefined
  /** Converts a path of the service, below the mount, to its public path. */
  readonly publicPath: (path: string) => string
  /** The parts of the whole service that the documents and probes need. */
  readonly documents: Pick<DocumentsDeps, 'routes' | 'isDraining' | 'interactiveReference'>
  /** Answers a request to the service itself. */
  readonly handle: (request: PlainRequest) => Promise<PlainReply | null>
}

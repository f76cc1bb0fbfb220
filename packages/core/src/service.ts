import { prepare, type ServiceOptions } from './config.ts'
import { always, failed } from './http/answer.ts'
import { dispatcher, sentId } from './http/dispatch.ts'
import { fail } from './http/failures.ts'
import type { PlainReply, PlainRequest } from './http/message.ts'
import { mount, type Mounted, type RouteShape } from './http/route.ts'
import { fromWeb, toWeb } from './http/web.ts'
import { uuid7 } from './ids.ts'
import { deviceContract, sessionsContract } from './sessions/contract.ts'
import { deviceHandlers } from './sessions/device.ts'
import { sessionsHandlers, type SessionsDeps } from './sessions/handlers.ts'
import { operatorSession } from './sessions/operator.ts'
import { identification } from './sessions/who.ts'
import { tracesContract } from './traces/contract.ts'
import { tracesHandlers } from './traces/handlers.ts'

/** The whole server as a value. It starts nothing by itself. */
export interface Service {
  /** Answers a request, or null when the path is not one of ours: the embedding app goes on to its own routes. */
  handle(request: PlainRequest): Promise<PlainReply | null>
  /** The same for web-standard requests. `address` is the peer's, where the platform tells it. */
  fetch(request: Request, address?: string | null): Promise<Response | null>
  /** The 404 of a host that has no routes of its own. */
  missing(request: PlainRequest): PlainReply
  /** Resolves when the stores answer; throws `Unavailable`. */
  ready(): Promise<void>
  /** The path before every address of the service, `` or `/tributary`. */
  readonly prefix: string
  /** Every route as data, by name. */
  readonly routes: readonly { readonly name: string; readonly route: RouteShape }[]
}

/**
 * Makes the service. Throws on options that cannot work.
 *
 * ```ts
 * const service = createService({ baseUrl: 'http://127.0.0.1:8787', stores: memoryStores() })
 * const response = await service.fetch(new Request('http://127.0.0.1:8787/api/cli/session'))
 * ```
 */
export function createService(options: ServiceOptions): Service {
  const kit = prepare(options)
  const operator = operatorSession(kit.adminToken, kit.secure)
  const who = identification({ ...kit, store: kit.stores.sessions, operator: operator.check })
  const sessions: SessionsDeps = {
    ...kit, operator, store: kit.stores.sessions, forget: who.forget,
    mailer: kit.identity ? null : kit.mailer, // an app's own sign-in stands in for ours
    scrub(text) {
      const done = kit.scrubber.scrub([text])
      return done.ok ? done.texts[0]! : 'unnamed machine'
    },
  }
  const mounted: Mounted[] = [
    // each capability is mounted here, one line each: ...mount(sessionsContract, sessionsHandlers, {...}, gates)
    ...mount(sessionsContract, sessionsHandlers, sessions),
    ...mount(deviceContract, deviceHandlers, sessions),
    ...mount(tracesContract, tracesHandlers, { ...kit, traces: kit.stores.traces }),
  ]
  const handle = dispatcher(mounted, { ...kit, who, failureHeaders: [] })
  return {
    handle,
    async fetch(request, address = null) {
      const reply = await handle(fromWeb(request, address))
      return reply ? toWeb(reply) : null
    },
    missing(request) {
      const base = always(sentId(request.headers['x-request-id']) ?? uuid7(kit.clock(), kit.random))
      return failed({ envelope: 'ok', failures: {} }, fail('not_found'), base, [])
    },
    ready: () => kit.stores.ready(),
    prefix: kit.prefix,
    routes: mounted,
  }
}

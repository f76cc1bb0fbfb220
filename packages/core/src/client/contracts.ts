import { routes as generated } from './generated.ts'
import type { auditContract } from '../audit/contract.ts'
import type { contributorContract } from '../admin/contributor/contract.ts'
import type { overviewContract } from '../admin/overview/contract.ts'
import type { adsContract, campaignsContract } from '../ads/contract.ts'
import type { programContract } from '../ads/program/contract.ts'
import type { deviceContract, authContract } from '../auth/contract.ts'
import type { sessionContract } from '../auth/session/contract.ts'
import type { accountContract } from '../contributors/account/contract.ts'
import type { blockedTermsContract } from '../contributors/blocked-terms/contract.ts'
import type { contributorsContract } from '../contributors/contract.ts'
import type { policyContract } from '../contributors/policy/contract.ts'
import type { webhooksContract } from '../events/webhooks/contract.ts'
import type { ingestContract } from '../ingest/contract.ts'
import type { ledgerContract } from '../ledger/contract.ts'
import type { mcpContract } from '../mcp/contract.ts'
import type { outboxContract } from '../outbox/contract.ts'
import type { reportsContract } from '../reports/contract.ts'
import type { telemetryContract } from '../telemetry/contract.ts'
import type { buyersContract } from '../traces/buyers/contract.ts'
import type { datasetContract } from '../traces/dataset/contract.ts'
import type { tracesContract } from '../traces/contract.ts'

/** All contracts. Only their types are used: the client contains neither schemas nor zod. */
export type Contracts = typeof sessionContract &
  typeof authContract &
  typeof deviceContract &
  typeof policyContract &
  typeof contributorsContract &
  typeof accountContract &
  typeof blockedTermsContract &
  typeof tracesContract &
  typeof datasetContract &
  typeof buyersContract &
  typeof ingestContract &
  typeof telemetryContract &
  typeof adsContract &
  typeof campaignsContract &
  typeof programContract &
  typeof ledgerContract &
  typeof reportsContract &
  typeof outboxContract &
  typeof auditContract &
  typeof overviewContract &
  typeof webhooksContract &
  typeof mcpContract &
  typeof contributorContract

/** The routes for programs; pages and forms are for browsers. */
export type RouteName = {
  [K in keyof Contracts]: Contracts[K]['path'] extends `/api/${string}` | `/.well-known/${string}` ? K : never
}[keyof Contracts]

/**
 * The method and path of each route. A test generates this list. A route that differs from its contract does not
 * compile.
 */
export const routes: { readonly [K in RouteName]: `${Contracts[K]['method']} ${Contracts[K]['path']}` } = generated

import { account } from './conformance/account.ts'
import { admin } from './conformance/admin.ts'
import { ads } from './conformance/ads.ts'
import { blockedTerms } from './conformance/blocked-terms.ts'
import type { Group } from './conformance/check.ts'
import type { Target } from './conformance/target.ts'
import { runCommand, type Terminal } from './conformance/command.ts'
import { contributors } from './conformance/contributors.ts'
import { device } from './conformance/device.ts'
import { oauth } from './conformance/oauth.ts'
import { forms, operatorForms } from './conformance/forms.ts'
import { webhooks } from './conformance/webhooks.ts'
import { gate, host } from './conformance/host.ts'
import { http } from './conformance/http.ts'
import { idempotency } from './conformance/idempotency.ts'
import { ingestion } from './conformance/ingest.ts'
import { ledger } from './conformance/ledger.ts'
import { outcomeChecks } from './conformance/outcome.ts'
import { mcp } from './conformance/mcp.ts'
import { passkeys } from './conformance/passkeys.ts'
import { pages } from './conformance/pages.ts'
import { policy } from './conformance/policy.ts'
import { program } from './conformance/program.ts'
import { rates } from './conformance/rates.ts'
import { reports } from './conformance/reports.ts'
import { runGroups, type Report, type RunOptions } from './conformance/run.ts'
import { buyers } from './conformance/buyers.ts'
import { dataset } from './conformance/dataset.ts'
import { sessions } from './conformance/session.ts'
import {
  bodies,
  crossSite,
  forged,
  ids,
  methods,
  misspeltQueries,
  queries,
  signIns,
  unauthorized,
} from './conformance/shape.ts'
import { telemetry } from './conformance/telemetry.ts'
import { traces } from './conformance/traces.ts'
import { uploading } from './conformance/upload.ts'

/**
 * Every check, by capability. Each check tests a sentence of the interface (`E1` to `E20`) or of a decision that
 * completes it. Together they cover every endpoint, its successes, and each failure that can be caused from outside.
 */
export const groups: readonly Group[] = [
  { title: 'ads', checks: ads },
  { title: 'every path: HTTP', checks: http },
  { title: 'every path: methods', checks: methods },
  { title: 'every path: who asks', checks: [...unauthorized, ...crossSite, ...signIns, ...forged] },
  { title: 'every path: bodies, ids and queries', checks: [...bodies, ...ids, ...queries, ...misspeltQueries] },
  { title: 'ingest', checks: ingestion },
  { title: 'ingest: outcomes', checks: outcomeChecks },
  { title: 'ingest: uploads', checks: uploading },
  { title: 'traces', checks: traces },
  { title: 'sales', checks: dataset },
  { title: 'buyers', checks: buyers },
  { title: 'passkeys of operators', checks: passkeys },
  { title: 'earnings', checks: ledger },
  { title: 'idempotency keys', checks: idempotency },
  { title: 'sessions', checks: sessions },
  { title: 'device login', checks: [...device, ...oauth] },
  { title: 'upload policy', checks: policy },
  { title: 'contributors', checks: contributors },
  { title: 'account', checks: account },
  { title: 'blocked terms', checks: blockedTerms },
  { title: 'telemetry and feedback', checks: telemetry },
  { title: 'program', checks: program },
  { title: 'agent reports', checks: reports },
  { title: 'tools of MCP clients', checks: mcp },
  { title: 'operator', checks: admin },
  { title: 'webhooks', checks: webhooks },
  { title: 'pages', checks: [...pages, ...forms, ...operatorForms] },
  { title: 'host', checks: host },
  { title: 'client versions', checks: gate },
  { title: 'rates', checks: rates },
]

/**
 * Runs the conformance checks against a target: a service in this process or at any URL. Checks whose needs the target
 * does not meet are skipped with the reason. The run creates its own accounts, erases them at the end, and reports the
 * data that remains.
 *
 * ```ts
 * const { request } = overHttp('http://127.0.0.1:8787')
 * const { failed, results } = await conformance({ request, adminToken: 'the-operator' })
 * ```
 */
export function conformance(target: Target, options: RunOptions = {}): Promise<Report> {
  return runGroups(groups, target, options)
}

/** Runs `npm run check -- conformance ADDRESS` in this process. Resolves with the exit code, 0 or 1. Never throws. */
export function conformanceCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
  return runCommand(groups, argv, terminal)
}

export type { Check, Group, Need } from './conformance/check.ts'
export { Broken, Skip, type Target } from './conformance/target.ts'
export { createMailReader } from './conformance/mailbox.ts'
export type { Report, Result, RunOptions } from './conformance/run.ts'
export { overFetch, overHttp, type Transport } from './conformance/transport.ts'
export { checkFeedbackProtocol, feedbackProtocolCommand } from './conformance/feedback-protocol.ts'

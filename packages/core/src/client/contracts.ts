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

/** Every contract, for its types alone: neither schemas nor zod come with the client. */
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

/** Method and path of each route. A route that is missing here, or differs from its contract, does not compile. */
export const routes: { readonly [K in RouteName]: `${Contracts[K]['method']} ${Contracts[K]['path']}` } = {
  session: 'GET /api/cli/session',
  sendCode: 'POST /api/auth/email',
  verifyCode: 'POST /api/auth/email/verify',
  signOut: 'POST /api/auth/sign-out',
  listMachines: 'GET /api/account/machines',
  revokeMachine: 'DELETE /api/account/machines/:id',
  startDevice: 'POST /api/cli/device/start',
  pollDevice: 'GET /api/cli/device/poll',
  approveDevice: 'POST /api/cli/device/approve',
  denyDevice: 'POST /api/cli/device/deny',
  uploadPolicy: 'GET /api/traces/upload-policy',
  acceptTerms: 'POST /api/account/terms',
  readAccount: 'GET /api/account',
  updateAccount: 'PATCH /api/account',
  joinWaitlist: 'POST /api/waitlist',
  listWaitlist: 'GET /api/admin/waitlist',
  exportWaitlist: 'GET /api/admin/waitlist/export',
  notifyWaitlist: 'POST /api/admin/waitlist/notify',
  removeFromWaitlist: 'DELETE /api/admin/waitlist/:userId',
  access: 'GET /api/traces/access',
  contact: 'GET /api/traces/contact',
  apply: 'POST /api/account/application',
  saveContact: 'POST /api/account/contact',
  setConsent: 'PUT /api/account/consent',
  readBlockedTerms: 'GET /api/account/blocked-terms',
  saveBlockedTerms: 'PUT /api/account/blocked-terms',
  exportAccount: 'GET /api/account/export',
  eraseAccount: 'DELETE /api/account',
  adminApplications: 'GET /api/admin/applications',
  adminReview: 'POST /api/admin/applications/:id',
  adminContributors: 'GET /api/admin/contributors',
  adminPause: 'POST /api/admin/contributors/:userId',
  startExport: 'POST /api/account/exports',
  readExport: 'GET /api/account/exports/:id',
  downloadExport: 'GET /api/account/exports/files/:secret',
  ingest: 'POST /api/ingest',
  listJobs: 'GET /api/ingest/jobs',
  ingestJob: 'GET /api/ingest/jobs/:jobId',
  ingestOutcomes: 'GET /api/ingest/jobs/:jobId/outcomes',
  deleteUpload: 'DELETE /api/ingest/jobs/:jobId/upload',
  startUpload: 'POST /api/ingest/uploads',
  putUpload: 'PUT /api/ingest/uploads/:secret',
  adminJobs: 'GET /api/admin/jobs',
  adminRetryJob: 'POST /api/admin/jobs/:jobId/retry',
  bulkUpdateTraces: 'POST /api/traces/bulk',
  bulkDeleteTraces: 'DELETE /api/traces/bulk',
  knownHashes: 'POST /api/traces/known',
  getTrace: 'GET /api/traces/:id',
  updateTrace: 'PATCH /api/traces/:id',
  downloadTrace: 'GET /api/traces/:id/download',
  listTraces: 'GET /api/traces',
  getTraceStats: 'GET /api/traces/stats',
  recordSale: 'POST /api/admin/sales',
  listSales: 'GET /api/admin/sales',
  listSoldTraces: 'GET /api/admin/sales/:id/traces',
  readSale: 'GET /api/admin/sales/:id',
  readDataset: 'GET /api/admin/dataset',
  listSigningKeys: 'GET /.well-known/tributary-keys.json',
  createBuyer: 'POST /api/admin/buyers',
  listBuyers: 'GET /api/admin/buyers',
  changeBuyer: 'PATCH /api/admin/buyers/:id',
  rotateBuyerToken: 'POST /api/admin/buyers/:id/rotate',
  revokeBuyerToken: 'POST /api/admin/buyers/:id/revoke',
  withdrawTrace: 'POST /api/admin/traces/:id/withdraw',
  listOpenRemovals: 'GET /api/admin/removals',
  listPurchases: 'GET /api/buyer/sales',
  readPurchase: 'GET /api/buyer/sales/:id',
  downloadPurchase: 'GET /api/buyer/sales/:id/dataset',
  listRemovals: 'GET /api/buyer/removals',
  acknowledgeRemoval: 'POST /api/buyer/removals/:id/ack',
  serveAd: 'GET /api/ad',
  adConfig: 'GET /api/ad/config',
  voteAd: 'POST /api/ad/feedback',
  countImpression: 'GET /api/ad/imp/:nonce',
  postImpression: 'POST /api/ad/imp/:nonce',
  listCampaigns: 'GET /api/admin/campaigns',
  createCampaign: 'POST /api/admin/campaigns',
  getCampaign: 'GET /api/admin/campaigns/:id',
  replaceCampaign: 'PUT /api/admin/campaigns/:id',
  updateCampaign: 'PATCH /api/admin/campaigns/:id',
  endCampaign: 'POST /api/admin/campaigns/:id/end',
  correctCampaign: 'POST /api/admin/campaigns/:id/corrections',
  rotateSponsorLink: 'POST /api/admin/campaigns/:id/sponsor-link',
  revokeSponsorLink: 'DELETE /api/admin/campaigns/:id/sponsor-link',
  claimDevice: 'POST /api/program/claim',
  listEarnings: 'GET /api/account/earnings',
  requestPayout: 'POST /api/account/payout-requests',
  listPayoutRequests: 'GET /api/admin/payout-requests',
  rejectPayoutRequest: 'POST /api/admin/payout-requests/:id',
  listWebhooks: 'GET /api/admin/webhooks',
  createWebhook: 'POST /api/admin/webhooks',
  updateWebhook: 'PATCH /api/admin/webhooks/:id',
  deleteWebhook: 'DELETE /api/admin/webhooks/:id',
  rotateWebhookSecret: 'POST /api/admin/webhooks/:id/rotate-secret',
  testWebhook: 'POST /api/admin/webhooks/:id/test',
  listWebhookDeliveries: 'GET /api/admin/webhooks/:id/deliveries',
  redeliverWebhook: 'POST /api/admin/webhooks/:id/deliveries/:deliveryId/redeliver',
  recordPayout: 'POST /api/admin/payouts',
  recordCorrection: 'POST /api/admin/corrections',
  listPayouts: 'GET /api/admin/payouts',
  listBalances: 'GET /api/admin/balances',
  reportTelemetry: 'POST /api/cli/telemetry',
  sendFeedback: 'POST /api/cli/feedback',
  adminFeedback: 'GET /api/admin/feedback',
  handleFeedback: 'PATCH /api/admin/feedback/:id',
  sendReport: 'POST /api/v1/feedback',
  attachEvidence: 'POST /api/v1/feedback/:id/attachments',
  observe: 'POST /api/v1/observations',
  readReceipt: 'GET /api/v1/receipts/:id',
  policy: 'GET /api/v1/policy',
  discovery: 'GET /.well-known/agent-feedback.json',
  adminReports: 'GET /api/admin/reports',
  getReportStats: 'GET /api/admin/reports/stats',
  getReport: 'GET /api/admin/reports/:id',
  mergeReport: 'POST /api/admin/reports/:id/merge',
  separateReport: 'POST /api/admin/reports/:id/separate',
  triageReport: 'PATCH /api/admin/reports/:id',
  adminOutbox: 'GET /api/admin/outbox',
  resendOutbox: 'POST /api/admin/outbox/resend',
  deleteOutbox: 'POST /api/admin/outbox/delete',
  listAudit: 'GET /api/admin/audit',
  getContributor: 'GET /api/admin/contributors/:userId',
  signOutContributor: 'POST /api/admin/contributors/:userId/sign-out',
  searchDocs: 'GET /api/docs/search',
  getOverview: 'GET /api/admin/overview',
}

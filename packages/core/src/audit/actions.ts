/** The actions of operators that only read: they are recorded, and change nothing. */
const readActions = [
  'sample.read',
  'dataset.download',
  'contributor.read',
  'waitlist.read',
  'waitlist.download',
  'list.download',
] as const

export type ReadAction = (typeof readActions)[number]

/** The actions of operators that are recorded. */
export const auditActions = [
  'application.review',
  'contributor.pause',
  'contributor.sign_out',
  'waitlist.notify',
  'waitlist.remove',
  'job.retry',
  ...readActions,
  'sale.record',
  'buyer.create',
  'buyer.set_email',
  'buyer.rotate_token',
  'buyer.revoke_token',
  'trace.withdraw',
  'payout.record',
  'payout_request.reject',
  'correction.record',
  'campaign.create',
  'campaign.update',
  'campaign.rotate_sponsor_link',
  'campaign.revoke_sponsor_link',
  'feedback.handle',
  'campaign.correct',
  'report.update',
  'report.merge',
  'report.separate',
  'webhook.create',
  'webhook.update',
  'webhook.delete',
  'webhook.rotate_secret',
  'webhook.test',
  'webhook.redeliver',
  'outbox.resend',
  'outbox.delete',
  'operator.sign_in',
  'operator.sign_out',
  'operator.add_passkey',
  'operator.use_passkey',
  'operator.remove_passkey',
] as const

export type AuditAction = (typeof auditActions)[number]

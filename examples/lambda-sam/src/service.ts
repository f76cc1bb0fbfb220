import { readAdminTokens, type ServiceOptions } from '@tributary/core'
import { lambdaPlatform } from '@tributary/host-lambda'
import { verifierFrom } from '@tributary/host-lambda/secretlint'
import { s3Blobs, sqsQueue } from '@tributary/host-lambda/aws'
import { tursoStores } from '@tributary/host-lambda/turso'
import { sesMailer } from './mail.ts'

function needed(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`the environment variable ${name} is not set`)
  return value
}

/** What the one service of all three functions is made of, read once for each cold start. Nothing is asked of anybody yet. */
export async function serviceOptions(): Promise<ServiceOptions> {
  const { TURSO_TOKEN: authToken, ADMIN_TOKEN: adminToken, ADMIN_TOKENS: named, APPROVAL: approval } = process.env
  const { VERIFIER: verifier } = process.env
  const from = needed('MAIL_FROM')
  return {
    ...lambdaPlatform(),
    baseUrl: needed('BASE_URL'),
    stores: tursoStores({ url: needed('TURSO_URL'), ...(authToken ? { authToken } : {}) }),
    blobs: s3Blobs({ bucket: needed('BUCKET'), prefix: 'uploads/' }),
    queue: sqsQueue({ queueUrl: needed('QUEUE_URL') }),
    mailer: sesMailer(from),
    contactEmail: from,
    approval: approval === 'automatic' ? 'automatic' : 'manual',
    ...(await verifierFrom(verifier)),
    ...(adminToken ? { adminToken } : {}),
    ...(named ? { adminTokens: readAdminTokens(named) } : {}),
  }
}

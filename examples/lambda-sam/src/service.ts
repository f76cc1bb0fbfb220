import { readAdminTokens, type ServiceOptions } from '@tributary/core'
import { lambdaPlatform } from '@tributary/host-lambda'
import { verifierFrom } from '@tributary/host-lambda/secretlint'
import { s3Blobs, sqsQueue } from '@tributary/host-lambda/aws'
import { tursoStores } from '@tributary/host-lambda/turso'
import { sesMailer } from './mail.ts'

function requireVariable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`the environment variable ${name} is not set`)
  return value
}

/** Reads the options of the service that all three functions share, once for each cold start. Makes no request. */
export async function readServiceOptions(): Promise<ServiceOptions> {
  const { TURSO_TOKEN: authToken, ADMIN_TOKEN: adminToken, ADMIN_TOKENS: named, APPROVAL: approval } = process.env
  const { VERIFIER: verifier, SECRET: secrets, CONTENTS: contents } = process.env
  const from = requireVariable('MAIL_FROM')
  return {
    ...lambdaPlatform(),
    baseUrl: requireVariable('BASE_URL'),
    stores: tursoStores({ url: requireVariable('TURSO_URL'), ...(authToken ? { authToken } : {}) }),
    blobs: s3Blobs({ bucket: requireVariable('BUCKET') }),
    contents: contents === 'blobs' ? 'blobs' : 'database',
    queue: sqsQueue({ queueUrl: requireVariable('QUEUE_URL') }),
    mailer: sesMailer(from),
    contactEmail: from,
    approval: approval === 'automatic' ? 'automatic' : 'manual',
    ...(await verifierFrom(verifier)),
    // Several, newest first, divided by commas: contents and waiting uploads are read with the one that encrypted them.
    ...(secrets ? { secret: secrets.split(',') } : {}),
    ...(adminToken ? { adminToken } : {}),
    ...(named ? { adminTokens: readAdminTokens(named) } : {}),
  }
}

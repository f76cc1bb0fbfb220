import type { ServiceOptions } from '@tributary/core'
import { lambdaPlatform } from '@tributary/host-lambda'
import { verifierFrom } from '@tributary/host-lambda/secretlint'
import { s3Blobs, sqsQueue } from '@tributary/host-lambda/aws'
import { sesMailer } from './mail.ts'

export function requireVariable(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`the environment variable ${name} is not set`)
  return value
}

/**
 * Reads the options that all three functions share and that are not secret. Runs once per cold start and makes no
 * request.
 */
export async function readSharedOptions(): Promise<Omit<ServiceOptions, 'stores'>> {
  const { APPROVAL: approval, VERIFIER: verifier, CONTENTS: contents } = process.env
  const from = requireVariable('MAIL_FROM')
  return {
    ...lambdaPlatform(),
    baseUrl: requireVariable('BASE_URL'),
    blobs: s3Blobs({ bucket: requireVariable('BUCKET') }),
    contents: contents === 'blobs' ? 'blobs' : 'database',
    queue: sqsQueue({ queueUrl: requireVariable('QUEUE_URL') }),
    mailer: sesMailer(from),
    contactEmail: from,
    approval: approval === 'automatic' ? 'automatic' : 'manual',
    ...(await verifierFrom(verifier)),
  }
}

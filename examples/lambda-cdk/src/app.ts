import { fileURLToPath } from 'node:url'
import { App } from 'aws-cdk-lib'
import { TributaryStack } from './stack.ts'

const app = new App()
/** Reads a value of the context: `-c country=US`. */
const readContext = (name: string): string | undefined =>
  (app.node.tryGetContext(name) as string | undefined) || undefined
const required = ['tursoUrl', 'mailFrom', 'mailIdentity'] as const
const missing = required.filter((name) => readContext(name) === undefined)
if (missing.length > 0) fail(`missing: ${missing.map((name) => `-c ${name}=...`).join(' ')}`)
const [tursoUrl, mailFrom, mailIdentity] = required.map((name) => readContext(name) ?? '') as [string, string, string]
const [baseUrl, country, countryHeader] = [readContext('baseUrl'), readContext('country'), readContext('countryHeader')]
const alarmEmail = readContext('alarmEmail')
const contents = readContext('contents') ?? 'database'
if (contents !== 'database' && contents !== 'blobs') fail('-c contents= must be database or blobs')

/** Ends with a message in place of a stack trace. */
function fail(message: string): never {
  console.error(`${message} (examples/lambda-cdk/README.md lists every -c)`)
  process.exit(1)
}

new TributaryStack(app, 'Tributary', {
  functions: fileURLToPath(new URL('../../lambda-sam/dist', import.meta.url)),
  tursoUrl,
  secrets: readContext('secrets') ?? 'tributary',
  contents,
  mailFrom,
  mailIdentity,
  ...(baseUrl ? { baseUrl } : {}),
  ...(country ? { country } : {}),
  ...(countryHeader ? { countryHeader } : {}),
  ...(alarmEmail ? { alarmEmail } : {}),
  reserveConcurrency: readContext('reserveConcurrency') !== 'false',
})
app.synth()

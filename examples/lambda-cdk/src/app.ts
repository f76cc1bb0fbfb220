import { fileURLToPath } from 'node:url'
import { App } from 'aws-cdk-lib'
import { rollouts, TributaryStack } from './stack.ts'

const app = new App()
/** Reads a value of the context: `-c country=US`. */
const readContext = (name: string): string | undefined =>
  (app.node.tryGetContext(name) as string | undefined) || undefined
const required = ['tursoUrl', 'mailFrom', 'mailIdentity'] as const
const missing = required.filter((name) => readContext(name) === undefined)
if (missing.length > 0) fail(`missing: ${missing.map((name) => `-c ${name}=...`).join(' ')}`)
const [tursoUrl, mailFrom, mailIdentity] = required.map((name) => readContext(name) ?? '') as [string, string, string]
const [baseUrl, country, countryHeader, signingKeys] = ['baseUrl', 'country', 'countryHeader', 'signingKeys'].map(
  readContext,
)
const alarmEmail = readContext('alarmEmail')
const contents = readContext('contents') ?? 'database'
if (contents !== 'database' && contents !== 'blobs') fail('-c contents= must be database or blobs')

const [domain, certificateArn, webAcl] = [readContext('domain'), readContext('certificateArn'), readContext('webAcl')]
if ((domain === undefined) !== (certificateArn === undefined)) fail('-c domain= and -c certificateArn= go together')
if (webAcl && !domain) fail('-c webAcl= needs -c domain= and -c certificateArn=')
const rollout = rollouts.find((one) => one === (readContext('rollout') ?? 'AllAtOnce'))
if (!rollout) fail(`-c rollout= must be one of ${rollouts.join(', ')}`)
const provisionedConcurrency = Number(readContext('provisionedConcurrency') ?? 0)
if (!(provisionedConcurrency >= 0)) fail('-c provisionedConcurrency= must be a number')

/** Exits with a message instead of a stack trace. */
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
  ...(signingKeys ? { signingKeys } : {}),
  ...(alarmEmail ? { alarmEmail } : {}),
  ...(domain && certificateArn ? { domain: { name: domain, certificateArn } } : {}),
  ...(webAcl ? { webAcl } : {}),
  rollout,
  provisionedConcurrency,
  reserveConcurrency: readContext('reserveConcurrency') !== 'false',
})
app.synth()

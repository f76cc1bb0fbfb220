import { fileURLToPath } from 'node:url'
import { App } from 'aws-cdk-lib'
import { TributaryStack } from './stack.ts'

const app = new App()
/**
 * Reads a value of the context: `cdk deploy -c tursoUrl=libsql://... -c mailFrom=hello@example.com -c
 * mailIdentity=example.com -c country=US`
 */
const readContext = (name: string): string | undefined => app.node.tryGetContext(name) as string | undefined
const requireContext = (name: string): string => {
  const value = readContext(name)
  if (!value) throw new Error(`say -c ${name}=...`)
  return value
}
const [baseUrl, country, countryHeader] = [readContext('baseUrl'), readContext('country'), readContext('countryHeader')]
const [alarmEmail, contents] = [readContext('alarmEmail'), readContext('contents') ?? 'database']
if (contents !== 'database' && contents !== 'blobs') throw new Error('-c contents= must be database or blobs')

new TributaryStack(app, 'Tributary', {
  functions: fileURLToPath(new URL('../../lambda-sam/dist', import.meta.url)),
  tursoUrl: requireContext('tursoUrl'),
  secret: readContext('secret') ?? 'tributary',
  contents,
  mailFrom: requireContext('mailFrom'),
  mailIdentity: requireContext('mailIdentity'),
  ...(baseUrl ? { baseUrl } : {}),
  ...(country ? { country } : {}),
  ...(countryHeader ? { countryHeader } : {}),
  ...(alarmEmail ? { alarmEmail } : {}),
  reserveConcurrency: readContext('reserveConcurrency') !== 'false',
})
app.synth()

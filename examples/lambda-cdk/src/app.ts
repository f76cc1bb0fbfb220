import { fileURLToPath } from 'node:url'
import { App } from 'aws-cdk-lib'
import { TributaryStack } from './stack.ts'

const app = new App()
/**
 * Reads a value of the context: `cdk deploy -c tursoUrl=libsql://... -c mailFrom=hello@example.com -c
 * mailIdentity=example.com -c country=US`
 */
const given = (name: string): string | undefined => app.node.tryGetContext(name) as string | undefined
const needed = (name: string): string => {
  const value = given(name)
  if (!value) throw new Error(`say -c ${name}=...`)
  return value
}
const [baseUrl, country, countryHeader] = [given('baseUrl'), given('country'), given('countryHeader')]
const [alarmEmail, contents] = [given('alarmEmail'), given('contents') ?? 'database']
if (contents !== 'database' && contents !== 'blobs') throw new Error('-c contents= must be database or blobs')

new TributaryStack(app, 'Tributary', {
  functions: fileURLToPath(new URL('../../lambda-sam/dist', import.meta.url)),
  tursoUrl: needed('tursoUrl'),
  secret: given('secret') ?? 'tributary',
  contents,
  mailFrom: needed('mailFrom'),
  mailIdentity: needed('mailIdentity'),
  ...(baseUrl ? { baseUrl } : {}),
  ...(country ? { country } : {}),
  ...(countryHeader ? { countryHeader } : {}),
  ...(alarmEmail ? { alarmEmail } : {}),
  reserveConcurrency: given('reserveConcurrency') !== 'false',
})
app.synth()

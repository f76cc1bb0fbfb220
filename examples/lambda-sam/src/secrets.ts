import { readAdminTokens, type ServiceOptions } from '@tributary/core'
import { extensionSecrets, type SecretValues } from '@tributary/host-lambda'
import { tursoStores } from '@tributary/host-lambda/turso'
import { requireVariable } from './service.ts'

/** The secrets of the service, by the end of their names in Secrets Manager: `tributary/turso-token`. */
const secretNames = { tursoToken: 'turso-token', secret: 'secret', adminTokens: 'admin-tokens' } as const
type SecretName = keyof typeof secretNames

/** Returns a reader of the named secrets. The role of the function allows it to read only these secrets. */
export function readSecrets<Name extends SecretName>(
  ...names: readonly Name[]
): (signal?: AbortSignal) => Promise<SecretValues<Name>> {
  const prefix = requireVariable('SECRETS')
  return extensionSecrets(
    Object.fromEntries(names.map((name) => [name, `${prefix}/${secretNames[name]}`])) as Record<Name, string>,
  )
}

/** Returns the options whose values are secrets. */
export function toSecretOptions({
  tursoToken: authToken,
  secret,
  adminTokens,
}: Partial<SecretValues<SecretName>>): Pick<ServiceOptions, 'stores' | 'secret' | 'adminTokens'> {
  return {
    stores: tursoStores({ url: requireVariable('TURSO_URL'), ...(authToken ? { authToken } : {}) }),
    // The value may contain several secrets, newest first, separated by commas: contents and waiting uploads are
    // decrypted with the secret that encrypted them.
    ...(secret ? { secret: secret.split(',') } : {}),
    ...(adminTokens ? { adminTokens: readAdminTokens(adminTokens) } : {}),
  }
}

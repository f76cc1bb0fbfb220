import type { Stores } from '@tributary/core'
import { canVerifyPasskeys } from '../../server-config.ts'
import { attempt, type Finding } from './doctor-finding.ts'

/** Checks that operators with passkeys can sign in at the base URL. Returns no finding if no operator has a passkey. */
export async function checkPasskeys({ auth }: Stores, baseUrl: string | undefined): Promise<Finding[]> {
  let count = 0
  const finding = await attempt('passkeys', async () => {
    const passkeys = await auth.listPasskeys({ operator: null })
    count = passkeys.length
    if (count > 0 && !canVerifyPasskeys())
      throw new Error('operators with passkeys cannot sign in: npm install @simplewebauthn/server')
    const host = baseUrl !== undefined && URL.canParse(baseUrl) ? new URL(baseUrl).hostname : null
    const others = passkeys.filter(({ rpId }) => host !== null && rpId !== host)
    if (others.length > 0) {
      const domains = [...new Set(others.map(({ rpId }) => rpId))].join(', ')
      const names = [...new Set(others.map(({ operator }) => operator))].join(', ')
      throw new Error(
        `those of ${names} belong to ${domains}, not ${host}: remove them at /admin/keys as another operator`,
      )
    }
    return `${count} registered`
  })
  return finding.ok && count === 0 ? [] : [finding]
}

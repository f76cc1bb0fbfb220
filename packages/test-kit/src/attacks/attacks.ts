import type { Group } from '../conformance/check.ts'
import { access, inventory, links } from './access.ts'
import { buyerAttacks } from './buyers.ts'
import { conversations } from './conversations.ts'
import { copyAttacks } from './copies.ts'
import { forgery } from './forgery.ts'
import { notices } from './notices.ts'
import { guessing } from './guessing.ts'
import { money } from './money.ts'
import { passkeyAttacks } from './passkeys.ts'
import { reading } from './reading.ts'
import { requests } from './requests.ts'
import { resources } from './resources.ts'
import { sponsors } from './sponsors.ts'
import { storedText } from './stored-text.ts'
import { toolAttacks } from './tools.ts'

/**
 * Attacks on a running service, by chapters of OWASP's API Security Top 10 of 2023 (`API1`) and of ASVS 5.0 (`V3`). An
 * attack fails if the service refuses it and no person's data was read, changed or delayed.
 */
export const attacks: readonly Group[] = [
  { title: 'access: each operation by each actor', checks: [...inventory, ...access, ...links] },
  { title: 'access: each tool by each actor', checks: toolAttacks },
  { title: 'data of another buyer', checks: buyerAttacks },
  { title: 'uploads of other people', checks: copyAttacks },
  { title: 'requests from other sites', checks: forgery },
  { title: 'false notices', checks: notices },
  { title: 'who is paid', checks: money },
  { title: 'money of sponsors', checks: sponsors },
  { title: 'reads without a record', checks: reading },
  { title: 'guesses and lock-outs', checks: guessing },
  { title: 'sign-in with a passkey', checks: passkeyAttacks },
  { title: 'conversations that come back', checks: conversations },
  { title: 'stored text on pages', checks: storedText },
  { title: 'slow, large and open bodies', checks: resources },
  { title: 'paths, headers and request lines', checks: requests },
]

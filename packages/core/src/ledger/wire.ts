import type { Capability } from '../http/match.ts'
import type { Wiring } from '../service/wiring.ts'
import type { LedgerDeps } from './handlers.ts'

export const ledgerDeps = ({ options, people }: Wiring): LedgerDeps => ({
  ...options,
  store: options.stores.ledger,
  progress: people.progress,
  listDevices: async (ownerId) => (await options.stores.program.listDevices({ ownerId })).map(({ id }) => id),
})

export const wireLedger = (wiring: Wiring): Capability => ({
  name: 'ledger',
  paths: [
    '/api/account/earnings',
    '/api/account/payout-requests',
    '/api/admin/payout-requests',
    '/api/admin/payouts',
    '/api/admin/corrections',
    '/api/admin/balances',
    '/earnings',
  ],
  load: async () => (await import('./handlers.ts')).mountLedger(ledgerDeps(wiring)),
})

import { decimal, integer } from '../option.ts'

/** Shares of contributors and the time that sales are pending. */
export const ledgerOptions = {
  /** The contributors' share of a sale, 0 to 1. Default: 0.8. */
  revenueShare: decimal({
    default: 0.8,
    max: 1,
    flag: { name: 'revenue-share', placeholder: 'SHARE', help: "the contributors' share of the price of a sale" },
  }),
  /** The contributor's share of the price of counted impressions, 0 to 1. Default: 0.5. */
  adShare: decimal({
    default: 0.5,
    max: 1,
    flag: { name: 'ad-share', placeholder: 'SHARE', help: "the contributor's share of the price of sponsor lines" },
  }),
  /** Whole days until a share of a sale is available, 0 to 365. Default: 14. */
  settleDays: integer({
    default: 14,
    max: 365,
    flag: { name: 'settle-days', placeholder: 'DAYS', help: 'days until a share of a sale can be paid out' },
  }),
  /** The least balance for which a contributor may request a payout, in dollars. Default: 25. */
  minPayoutUsd: decimal({
    default: 25,
    max: 1_000_000,
    flag: {
      name: 'min-payout',
      placeholder: 'USD',
      help: 'the lowest balance at which contributors can request a payout',
    },
  }),
}

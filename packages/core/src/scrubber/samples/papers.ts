import type { Row } from './row.ts'

/** One for each rule of `rules/papers.ts`. */
export const papers: readonly Row[] = [
  [
    'said-passport',
    'Reisepass-Nr.: C01X00T47',
    'passport.js 0.7.0',
    'https://www.icao.int/publications/pages/publication.aspx?docnum=9303',
  ],
  ['said-licence', 'Driver license: D4821-37596-01287', 'driver version 535.104', 'https://www.aamva.org/identity/'],
  [
    'said-id',
    'NHS number: 482 137 5960',
    'fiscal year 2024-2025',
    'https://www.oecd.org/tax/automatic-exchange/crs-implementation-and-assistance/tax-identification-numbers/',
  ],
  ['said-account', 'Konto-Nr.: 4821375', 'konto: leer', 'https://www.swift.com/standards/data-standards/iban'],
  [
    'said-account-bare',
    'rekeningnummer 48213759601',
    'rekeningnummer onbekend',
    'https://www.swift.com/standards/data-standards/iban',
  ],
  ['said-pix', 'UPI ID: jane.r82@okicici', 'UPI ID: none', 'https://www.npci.org.in/what-we-do/upi/product-overview'],
  ['said-vin', 'Fahrgestellnummer 1HGCM82633A004352', 'vin: 12 V', 'https://www.iso.org/standard/52200.html'],
  ['said-plate', 'targa: FK482RT', 'plate: 12', 'https://unece.org/transport/vehicle-regulations'],
  ['said-plate-bare', 'госномер А482КВ 177', 'number plate 12', 'https://unece.org/transport/vehicle-regulations'],
  ['said-device', 'IMSI: 310260482137596', 'imsi: null', 'https://www.itu.int/rec/T-REC-E.212'],
  ['said-serial', 'Serial number: C02FK4LXQ05N', 'Serial number: 4821375960', 'https://support.apple.com/102767'],
  [
    'said-wallet',
    'Solana wallet: 7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
    'wallet: closed',
    'https://solana.com/docs/core/accounts',
  ],
  ['said-handle', 'Instagram: @jane.roe82', 'Twitter: @handle', 'https://help.instagram.com/'],
  [
    'mrz',
    'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
    'P<UTO',
    'https://www.icao.int/publications/pages/publication.aspx?docnum=9303',
  ],
]

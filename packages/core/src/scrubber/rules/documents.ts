import type { Rule } from '../engine/rule.ts'
import { personalBeginnings, personalKeywords } from './personal-labels.ts'
import { labelledRule } from './labelled-value.ts'

const uuid = '[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}'

/**
 * Rules for numbers of documents, cars, devices, accounts and wallets. A label reveals them, so a check digit is not
 * required.
 */
export const paperRules: readonly Rule[] = [
  labelledRule(
    'labelled-pix',
    'bank_account',
    'BANK_ACCOUNT',
    ['chave pix', 'upi', 'vpa'],
    'chave pix|upi(?: id)?|vpa',
    `${uuid}|[\\w.-]{3,40}@(?:ok)?[a-z]{2,12}`,
    () => true,
  ),
  labelledRule(
    'labelled-wallet',
    'crypto_address',
    'CRYPTO_ADDRESS',
    ['wallet', 'solana', 'tron', 'trc20', 'trc-20', 'monero', 'xmr', 'litecoin', 'ltc', 'dogecoin', 'ripple', 'xrp'],
    'wallet|solana|tron|trc-?20|monero|xmr|litecoin|ltc|dogecoin|ripple|xrp',
    '[1-9A-HJ-NP-Za-km-z]{32,44}|[48][1-9A-HJ-NP-Za-km-z]{94}|ltc1[02-9a-z]{38,58}',
    (value) => /\d.*\d/.test(value) && /[A-Z]/.test(value) && /[a-z]/.test(value) && !/^[0-9a-f]+$/i.test(value),
  ),
  labelledRule(
    'labelled-handle',
    'user_name',
    'USER',
    ['telegram', 'instagram', 'insta:', 'ig:', 'twitter', 'snapchat', 'tiktok', 'threads', 'wechat', 'discord'],
    'telegram|instagram|insta|ig|twitter|snapchat|tiktok|threads|wechat|discord',
    '@[A-Za-z][\\w.]{3,30}\\w|[\\w.]{2,32}#\\d{4}',
    (value) =>
      !/^@?(?:handle|user|username|your|example|name|me|here|media|types|import|charset|param|latest)/i.test(value) &&
      (/[\d_.#]/.test(value) || value.length > 5),
  ),
  {
    id: 'personal-field',
    category: 'government_id',
    placeholder: 'NATIONAL_ID',
    keywords: personalKeywords,
    finder: 'personalField',
  },
  {
    id: 'personal-word',
    category: 'government_id',
    placeholder: 'NATIONAL_ID',
    keywords: personalBeginnings,
    finder: 'personalWord',
  },
  {
    id: 'card-detail',
    category: 'card',
    placeholder: 'CARD_DETAIL',
    keywords: [
      'exp',
      'valid t',
      'valid u',
      'scadenza',
      'caducidad',
      'validade',
      'code on the',
      'cvv=',
      'cvc=',
      'cvv2=',
    ],
    finder: 'cardDetail',
  },
  {
    id: 'hl7-person',
    category: 'person',
    placeholder: 'PERSON',
    keywords: ['pid|', 'nk1|', 'gt1|', 'in1|'],
    finder: 'segment',
  },
  {
    id: 'record-element',
    category: 'person',
    placeholder: 'PERSON',
    keywords: ['nm1*', 'dmg*d8*', 'n3*', 'n4*', 'nad+', 'com+', 'adr;', 'adr:'],
    finder: 'element',
  },
  {
    id: 'payment-party',
    category: 'person',
    placeholder: 'PERSON',
    keywords: [':50:', ':50a:', ':50f:', ':50h:', ':50k:', ':59:', ':59a:', ':59f:', ':52d:', ':57d:'],
    inside: true,
    finder: 'paymentParty',
  },
  {
    id: 'mrz',
    category: 'government_id',
    placeholder: 'PASSPORT',
    keywords: ['p<', 'i<'],
    pattern:
      /P<[A-Z][A-Z<]{2}[A-Z<]{20,41}(?![A-Z<])(?:(?:\\{1,7}n|\r?\n|\s)[+-]?[A-Z0-9<]{28,44})?|I[A-Z<][A-Z]{3}[A-Z0-9<]{24,25}<(?:(?:\\{1,7}n|\r?\n|\s)[+-]?[A-Z0-9<]{30}){1,2}/y,
    finder: 'travelDocument',
  },
]

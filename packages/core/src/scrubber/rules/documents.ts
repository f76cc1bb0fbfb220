import type { RuleTable } from '../engine/rule.ts'
import { PERSON, USER } from './categories.ts'

/**
 * The beginning of a label, also inside `userPassport`. A letter beyond ASCII may precede it, because keywords do not
 * contain such letters.
 */
const LABEL = String.raw`(?:(?<![A-Za-z])|(?<=\\[nrt])|(?<![A-Z])(?=[A-Z]))`
/** The text between a label and its value. It must contain a colon, an equals sign or a word for "number". */
const GAP = String.raw`[\p{L}\d_ .'’-]{0,24}?(?:["'\\]{0,3}\s?[:=#№：>]|[nN][or°º]\.?|[Nn]umber|[Nn]ummer|[Nn]umero|номер) ?["'\\:=#>(（]{0,6}\s?["'\\]{0,3}(?<![A-Za-z0-9])`
const END = String.raw`(?![\w-]|\.\d)`
const UUID = '[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}'
const NATIONAL_ID = { category: 'government_id', placeholder: 'NATIONAL_ID' }

/**
 * Rules for numbers of documents, cars, devices, accounts and wallets after a label. Because of the label, a check
 * digit is not required. A pattern begins at one of the keywords, so it does not list the keywords again.
 */
export const paperRules: RuleTable = {
  rows: {
    'labelled-pix': [
      'chave pix|upi|vpa',
      new RegExp(
        `${LABEL}(?:[cC]\\w{4} \\w{3}|[uUvV]\\w\\w(?: [iI][dD])?)${GAP}(${UUID}|[\\w.-]{3,40}@(?:ok)?[a-z]{2,12})${END}`,
        'uy',
      ),
      { category: 'bank_account', inside: true },
    ],
    'labelled-wallet': [
      'wallet|solana|tron|trc20|trc-20|monero|xmr|litecoin|ltc|dogecoin|ripple|xrp',
      new RegExp(
        `${LABEL}[\\w-]{3,8}${GAP}([1-9A-HJ-NP-Za-km-z]{32,44}|[48][1-9A-HJ-NP-Za-km-z]{94}|ltc1[02-9a-z]{38,58})${END}`,
        'uy',
      ),
      {
        category: 'crypto_address',
        inside: true,
        valid: [/\d.*\d/, /[A-Z]/, /[a-z]/, { not: /^[0-9a-f]+$/i }],
      },
    ],
    'labelled-handle': [
      `telegram|instagram|insta:|ig:|twitter|snapchat|tiktok|threads|wechat|discord|username:|username**|user name:|
      user name**|nickname:|login:|login**|handle:|логин|никнейм`,
      new RegExp(
        `${LABEL}(?:(?![uUnNlLhH])[A-Za-z]{2,9}${GAP}|(?:User ?[nN]ame|Nickname|Login|Handle|[лЛ]огин|[нН]икнейм)\\*{0,2}:\\*{0,2} ["'\`]?(?=@))(@[A-Za-z][\\w.]{3,30}\\w|[\\w.]{2,32}#\\d{4})${END}`,
        'uy',
      ),
      {
        ...USER,
        inside: true,
        valid: [
          { not: /^@?(?:handle|user|username|your|example|name|me|here|media|types|import|charset|param|latest)/i },
          { not: /\.[A-Z]/ },
          /[\d_.#]|.{6}/,
        ],
      },
    ],
    'personal-field': ['', 'personalField', NATIONAL_ID],
    'personal-word': ['', 'personalWord', NATIONAL_ID],
    'card-detail': [
      'exp|valid t|valid u|scadenza|caducidad|validade|code on the|cvv=|cvc=|cvv2=',
      'cardDetail',
      { category: 'card', placeholder: 'CARD_DETAIL' },
    ],
    'hl7-person': [['pid|', 'nk1|', 'gt1|', 'in1|'], 'segment', PERSON],
    'record-element': ['nm1*|dmg*d8*|n3*|n4*|nad+|com+|adr;|adr:', 'element', PERSON],
    'payment-party': [
      ':50:|:50a:|:50f:|:50h:|:50k:|:59:|:59a:|:59f:|:52d:|:57d:',
      'paymentParty',
      { ...PERSON, inside: true },
    ],
    'mrz': [
      'p<|i<',
      /P<[A-Z][A-Z<]{2}[A-Z<]{20,41}(?![A-Z<])(?:(?:\\{1,7}n|\r?\n|\s)[+-]?[A-Z0-9<]{28,44})?|I[A-Z<][A-Z]{3}[A-Z0-9<]{24,25}<(?:(?:\\{1,7}n|\r?\n|\s)[+-]?[A-Z0-9<]{30}){1,2}/y,
      { category: 'government_id', placeholder: 'PASSPORT', finder: 'travelDocument' },
    ],
  },
}

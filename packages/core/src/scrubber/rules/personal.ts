import type { RuleTable } from '../engine/rule.ts'

/** Rules for data that identifies a person. */
export const personalRules: RuleTable = {
  rows: {
    'email': ['@', 'email', { category: 'email', next: 'alnum' }],
    'number': ['0', 'number', { category: 'phone', next: 'number' }],
    'phone': ['+', 'plus', { category: 'phone', next: 'digit' }],
    'ipv4': ['.', 'ipv4', { category: 'ip_address', next: 'digit' }],
    'ipv6': [':', 'colons', { category: 'ip_address', next: 'address' }],
    'mac-hyphens': ['-', 'hyphens', { category: 'mac_address', next: 'address' }],
    'mac-dots': ['.', 'dots', { category: 'mac_address', next: 'address' }],
    'labelled-mac': [
      'mac |mac:|mac=|mac"|mac addr|macaddr|mac_addr|ether |hwaddr',
      /(?:mac(?:[ _]?addr(?:ess)?)?|ether|hwaddr)["']?[ :=]{1,3}["']?((?=[\d.]{0,14}[a-f])(?=[a-f.]{0,14}\d)(?:(?:[\da-f]{2}\.){5}[\da-f]{2}|[\da-f]{12}))(?![\w.])/iy,
      { category: 'mac_address' },
    ],
    // The UDID of an iPhone or iPad since 2018: the type of its chip and its ECID.
    'apple-device': ['00006|00008', /0000[68][0-9A-F]{3}-[0-9A-F]{16}(?![\w-])/y, { category: 'device_id' }],
    'bic': [
      'swift|bic',
      /(?:SWIFT|BIC|[Ss]wift|[Bb]ic)(?:\/(?:BIC|SWIFT|bic|swift))?(?: [Cc]ode| CODE|_code)?\\{0,3}["']?(?: is)?\s{0,2}[:=]?\s{0,2}\\{0,3}["']?([A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?)(?![A-Za-z0-9])/y,
      {
        category: 'bank_account',
        placeholder: 'BIC',
        valid: { any: ['ibanCountry', /^.{4}(?:US|CA|AU|JP|CN|IN|HK|SG|NZ|ZA|KR|MX|RU|TH|ID|PH|AR|CL|CO|PE)/] },
      },
    ],
    'ethereum-address': ['0x', /0x[0-9a-f]{40}(?![0-9a-z])/iy, { category: 'crypto_address', finder: 'wallet' }],
    'bitcoin-bech32': ['bc1', /bc1[02-9ac-hj-np-z]{38,62}(?![A-Za-z0-9])/y, { category: 'crypto_address' }],
  },
}

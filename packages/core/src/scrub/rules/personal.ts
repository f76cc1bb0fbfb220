import type { Rule } from '../rule.ts'

/** Data that tells who somebody is. */
export const personalRules: readonly Rule[] = [
  { id: 'email', category: 'email', placeholder: 'EMAIL', keywords: ['@'], next: 'alnum', finder: 'email' },
  { id: 'number', category: 'phone', placeholder: 'PHONE', keywords: [...'0123456789'], next: 'number', finder: 'number' },
  { id: 'phone', category: 'phone', placeholder: 'PHONE', keywords: ['+'], next: 'digit', finder: 'plus' },
  { id: 'ipv4', category: 'ip_address', placeholder: 'IP_ADDRESS', keywords: ['.'], next: 'digit', finder: 'ipv4' },
  { id: 'ipv6', category: 'ip_address', placeholder: 'IP_ADDRESS', keywords: [':'], next: 'address', finder: 'colons' },
  { id: 'mac-hyphens', category: 'mac_address', placeholder: 'MAC_ADDRESS', keywords: ['-'], next: 'address', finder: 'hyphens' },
  { id: 'mac-dots', category: 'mac_address', placeholder: 'MAC_ADDRESS', keywords: ['.'], next: 'address', finder: 'dots' },
  { id: 'home', category: 'user_name', placeholder: 'USER', keywords: ['/home/', '/users/', '\\users\\', '\\documents and settings\\'], finder: 'home' },
  { id: 'account', category: 'user_name', placeholder: 'USER', keywords: ['user=', 'username=', 'logname=', 'sudo_user='], finder: 'account' },
  { id: 'author', category: 'person', placeholder: 'PERSON', keywords: ['author:', 'authored-by:', 'signed-off-by:', 'committer:', 'commit:', 'reviewed-by:', 'acked-by:', 'tested-by:', 'reported-by:', 'author ', 'committer ', 'tagger ', 'tagger:', 'from:'], finder: 'author' },
  { id: 'prompt', category: 'user_name', placeholder: 'USER', keywords: ['@'], next: 'alnum', finder: 'prompt' },
  { id: 'birth', category: 'date_of_birth', placeholder: 'DATE_OF_BIRTH', keywords: ['birth', 'dob', 'd.o.b', 'born', 'bday', 'geboren', 'nacimiento', 'naissance'], finder: 'birth' },
  { id: 'street', category: 'street_address', placeholder: 'ADDRESS', keywords: ' street, st, avenue, ave, road, rd, lane, ln, drive, dr, boulevard, blvd, court, ct, way, place, pl, terrace, parkway, pkwy, highway, hwy, square, circle, trail, crescent, close, loop, plaza, alley, pike, mews'.split(','), finder: 'street' },
  { id: 'street-german', category: 'street_address', placeholder: 'ADDRESS', keywords: ['stra'], finder: 'strasse' },
  { id: 'street-romance', category: 'street_address', placeholder: 'ADDRESS', keywords: ['rue ', 'avenue ', 'boulevard ', 'chemin ', 'quai ', 'via ', 'viale ', 'piazza ', 'calle ', 'avenida '], finder: 'rue' },
  { id: 'postcode', category: 'street_address', placeholder: 'POSTCODE', keywords: ['zip', 'postal', 'postcode'], pattern: /(?:zip|postal|post)[ _-]?(?:code)?["']?\s{0,2}[:=]?\s{0,2}["']?(\d{5}(?:-\d{4})?)(?![\w-])/iy },
  { id: 'po-box', category: 'street_address', placeholder: 'ADDRESS', keywords: ['po box', 'p.o. box', 'p.o.box', 'post office box'], pattern: /(?:p\.? ?o\.? ?|post office )box #?\d{1,6}(?![\w])/iy },
  { id: 'coordinates', category: 'coordinates', placeholder: 'COORDINATES', keywords: ['lat', 'latitude', 'lng', 'lon', 'longitude', 'coord', 'gps', 'geo:', 'maps/@', '?q=', 'll='], finder: 'place' },
  { id: 'bitcoin-bech32', category: 'crypto_address', placeholder: 'CRYPTO_ADDRESS', keywords: ['bc1'], pattern: /bc1[02-9ac-hj-np-z]{38,62}(?![A-Za-z0-9])/y },
]

import { vendors } from './vendors.ts'
import type { Rule } from '../rule.ts'

/** Secrets that only their place gives away: a name, a URL, a header, a frame. */
export const genericRules: readonly Rule[] = [
  { id: 'private-key', category: 'private_key', placeholder: 'PRIVATE_KEY', keywords: ['-----begin '], finder: 'pem' },
  { id: 'url-password', category: 'password', placeholder: 'PASSWORD', keywords: ['://'], finder: 'credentials' },
  { id: 'jwt', category: 'token', placeholder: 'JWT', keywords: ['eyj'], pattern: /eyJ[\w-]{8,4000}\.(?:eyJ[\w-]{4,8000}\.[\w-]{10,2000}|\.{0,1}[\w-]{0,2000}\.[\w-]{10,8000}\.[\w-]{10,200})(?![\w-])/y },
  { id: 'authorization', category: 'token', placeholder: 'TOKEN', keywords: ['bearer '], pattern: /[Bb]earer\s{1,3}(?=[\w.~+/-]{0,400}\d)([\w.~+/-]{16,4096}={0,2})/y },
  { id: 'basic-authorization', category: 'password', placeholder: 'PASSWORD', keywords: ['basic '], pattern: /[Bb]asic\s{1,3}([A-Za-z0-9+/]{8,512}={0,2})(?![\w+/=])/y, valid: (value) => decodesToPair(value) },
  { id: 'assignment', category: 'secret', placeholder: 'SECRET', keywords: ['pass', 'pwd', 'secret', 'token', 'key', 'auth', 'credential', 'contrase', 'kennwort', 'senha', 'creds', 'bearer', 'motdepasse'], finder: 'assignment' },
  { id: 'vendor', category: 'secret', placeholder: 'SECRET', keywords: [...new Set(vendors)], finder: 'vendor' },
]

const decodesToPair = (value: string): boolean => {
  try {
    return /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(atob(value))
  } catch {
    return false
  }
}

import type { Rule } from '../rule.ts'

/** Data that tells who somebody is. */
export const personalRules: readonly Rule[] = [
  { id: 'email', category: 'email', placeholder: 'EMAIL', keywords: ['@'], finder: 'email' },
  { id: 'number', category: 'phone', placeholder: 'PHONE', keywords: [...'0123456789'], finder: 'number' },
  { id: 'phone', category: 'phone', placeholder: 'PHONE', keywords: ['+'], finder: 'plus' },
  { id: 'ipv4', category: 'ip_address', placeholder: 'IP_ADDRESS', keywords: ['.'], finder: 'ipv4' },
  { id: 'ipv6', category: 'ip_address', placeholder: 'IP_ADDRESS', keywords: [':'], finder: 'colons' },
  { id: 'home', category: 'user_name', placeholder: 'USER', keywords: ['/home/', '/users/', '\\users\\', '\\documents and settings\\'], finder: 'home' },
]

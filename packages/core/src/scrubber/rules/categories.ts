/** The categories of rules, each with the word for its placeholders. */
export const ACCOUNT = { category: 'account_name', placeholder: 'ACCOUNT' }
export const ADDRESS = { category: 'street_address', placeholder: 'ADDRESS' }
export const HOST = { category: 'host_name', placeholder: 'HOST' }
export const ORGANIZATION = { category: 'organization', placeholder: 'ORG' }
export const PASSWORD = { category: 'password', placeholder: 'PASSWORD' }
export const PERSON = { category: 'person', placeholder: 'PERSON' }
export const PRIVATE_KEY = { category: 'private_key', placeholder: 'PRIVATE_KEY' }
export const SECRET = { category: 'secret', placeholder: 'SECRET' }
export const TOKEN = { category: 'token', placeholder: 'TOKEN' }
export const USER = { category: 'user_name', placeholder: 'USER' }
export const WEBHOOK = { category: 'webhook', placeholder: 'WEBHOOK' }

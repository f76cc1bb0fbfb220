import { databaseFlags } from './database.ts'
import { defineFlags } from './flag.ts'
import { createDrainFlags, jsonFlags, logFlags, queueFlags, serviceFlags } from './service.ts'

/** The flags of `start`, which `doctor` also accepts. */
export const startFlags = {
  ...databaseFlags,
  ...serviceFlags,
  ...queueFlags,
  ...jsonFlags,
  ...logFlags,
  ...createDrainFlags(5),
  ...defineFlags({
    'base-url': { kind: 'text', placeholder: 'URL', help: 'the public URL of the service, used for every link' },
    'host': {
      kind: 'text',
      placeholder: 'ADDRESS',
      default: '127.0.0.1',
      help: 'the address to listen on; 0.0.0.0 for every address of this machine, as in a container',
    },
    'trusted-proxies': {
      kind: 'number',
      default: 0,
      max: 10,
      help: 'the number of proxies in front that append to x-forwarded-for',
    },
    'smtp-url': {
      kind: 'text',
      placeholder: 'URL',
      help: 'the mail server, over TLS (smtps:// or STARTTLS); use the variable to keep it out of the shell',
    },
    'mail-from': { kind: 'text', placeholder: 'ADDRESS', help: 'the sender of mails' },
    'country': {
      kind: 'text',
      placeholder: 'US|none|..',
      default: 'none',
      help: "every caller's country, where no header or file says it",
    },
    'origins': { kind: 'text', placeholder: 'URL,URL', help: 'further origins whose pages may call the API' },
    'prefix': {
      kind: 'text',
      placeholder: 'PATH',
      help: 'the path prefix of requests as they arrive; "/" when a proxy strips it',
    },
    'require-database': {
      kind: 'switch',
      help: 'refuse to start when the database file does not exist, instead of creating it',
    },
    'migrate': { kind: 'text', choices: ['on', 'off'], default: 'on', help: 'apply pending migrations first' },
  }),
}

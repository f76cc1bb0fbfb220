import type { ServerConfig } from '../../server-config.ts'
import { parseOrigins, parsePrefix, parseSmtp } from './addresses.ts'
import { parseGravity } from './ads.ts'
import { databaseFlags } from './database.ts'
import { defineFlags, UsageError, type FlagValues } from './flag.ts'
import { requireStrongTokens } from './operators.ts'
import {
  createDrainFlags,
  jsonFlags,
  logFlags,
  parseBlobs,
  parseCountry,
  parseDetectorModel,
  parseQueue,
  parseService,
  parseVerifier,
  queueFlags,
  requireSecret,
  serviceFlags,
} from './service.ts'
import { parseTelemetry } from './telemetry.ts'

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
      help: 'the country of callers for whom no header or file states a country',
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

type StartValues = FlagValues<typeof startFlags>

/** Returns the mail server and the sender. Throws `UsageError` if one of them is missing. */
export function parseMailFlags({ 'smtp-url': url, 'mail-from': from }: Pick<StartValues, 'smtp-url' | 'mail-from'>) {
  if (!url)
    throw new UsageError(
      '--smtp-url (or TRIBUTARY_SMTP_URL) is required, such as smtps://user:password@host: sign-in codes are mailed',
    )
  if (!from) throw new UsageError('--mail-from is required, such as --mail-from hello@example.com')
  return parseSmtp(url, from)
}

/** Parses the flags of `start`, except the flags of the database and the mail server. Throws `UsageError`. */
export async function parseStart(
  flags: StartValues,
  baseUrl: string,
): Promise<Omit<ServerConfig, 'database' | 'smtp'>> {
  requireStrongTokens(flags)
  requireSecret(flags)
  return {
    ...parseBlobs(flags.blobs),
    ...parseVerifier(flags.verifier),
    ...parseDetectorModel(flags),
    ...parseQueue(flags.queue),
    logLevel: flags['log-level'],
    country: await parseCountry(flags),
    gravity: parseGravity(flags),
    telemetry: parseTelemetry(flags),
    service: {
      ...parseService(flags, baseUrl),
      trustedProxies: flags['trusted-proxies'],
      ...(flags.origins ? { origins: parseOrigins(flags.origins) } : {}),
      ...(flags.prefix === undefined ? {} : { prefix: parsePrefix(flags.prefix) }),
    },
  }
}

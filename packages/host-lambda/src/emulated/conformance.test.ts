import { runConformanceContract } from '@tributary/test-kit'
import { overHttp } from '@tributary/test-kit/conformance'
import { describe } from 'vitest'
import { adminToken, openAccount } from './account.fixture.ts'

const client = process.env['TRIBUTARY_RIC']

describe.skipIf(!client)(
  "the built functions under Lambda's own runtime client, on libSQL over HTTP, SQS, S3 and SES",
  () => {
    runConformanceContract({
      name: 'over HTTP, with the default rates',
      // Rate limits are on, so the run waits a minute when a reply asks for this. A batch of 64 MiB is above the limit
      // of a function.
      skips: [
        'this host has no ',
        'needs --country-header',
        'needs --min-version',
        'needs --rates',
        'needs --passkey-token',
        'this service approves by itself',
        'its limit is',
        'uploads go to a separate store',
      ],
      timeoutMs: 400_000,
      async open() {
        const account = await openAccount(client!)
        const { request, close } = overHttp(account.gateway.url)
        let open = true
        const worker = (async () => {
          while (open) {
            await account.trigger()
            // The schedule runs exports and re-scrubbing, here more often than once a minute.
            await account.schedule.invoke({ source: 'aws.events' })
          }
        })()
        return {
          request,
          adminToken,
          code: (email) => account.code(email),
          async close() {
            open = false
            await worker
            close()
            await account.close()
          },
        }
      },
    })
  },
)

import { createService } from '@tributary/core'
import { englishMessages } from '@tributary/core/messages'
import { createTestStores } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { people } from '../cli/demo/people.ts'
import { createMailbox } from '../mail.ts'
import { referencePage } from './api-reference.ts'
import { startEchoServer } from './connection.fixture.ts'
import { devAccountPages } from './dev-accounts.ts'
import { mailboxPages } from './mailbox.ts'

/** Messages with texts in capitals between brackets, so that the test finds texts outside of the catalog. */
const messages = Object.fromEntries(
  Object.entries(englishMessages).map(([key, text]) => [
    key,
    `⟦${text.replace(/\{\w+\}|[a-z]/g, (part) => (part.length > 1 ? part : part.toUpperCase()))}⟧`,
  ]),
)

describe('the texts of the pages of the host', () => {
  test.each(['/dev/accounts', '/dev/mail', '/dev/mail?full', '/docs/interactive'])(
    'are all in the catalog: %s',
    async (path) => {
      const mailbox = createMailbox()
      if (path.endsWith('full')) mailbox.add({ to: 'A@X', subject: '1', text: '2' })
      const service = createService({
        baseUrl: 'http://127.0.0.1',
        stores: createTestStores(),
        messages: { qps: messages },
      })
      const pages = { ...mailboxPages(mailbox), ...devAccountPages({ service, mailbox, adminToken: '' }) }
      const { url } = await startEchoServer({ pages }, service)
      const reply = await fetch(url + path, { headers: { 'accept-language': 'qps' } })
      expect([reply.status, reply.headers.get('content-language')]).toEqual([200, 'qps'])
      const page = (await reply.text())
        .replace(/<(style|script|code|noscript|time)\b[^]*?<\/\1>/g, ' ')
        .replace(/<[^>]*>/g, ' ')
      let text = people.reduce((rest, { name }) => rest.replaceAll(name, ''), page).replaceAll('Tributary', '')
      expect(text).toContain('⟦')
      expect(text.match(/[a-z]/g)).toBeNull()
      while (/⟦[^⟦⟧]*⟧/.test(text)) text = text.replace(/⟦[^⟦⟧]*⟧/g, ' ')
      expect(text.match(/[A-Z]{2,}/g)).toBeNull()
    },
  )

  test('include the header of the service, with a link to the home page', async () => {
    const mailbox = createMailbox()
    const service = createService({ baseUrl: 'http://127.0.0.1', stores: createTestStores() })
    const { url } = await startEchoServer({ pages: mailboxPages(mailbox) }, service)
    for (const path of ['/docs', '/dev/mail'])
      expect(await (await fetch(url + path)).text()).toContain('<a class="brand" href="/"')
    expect(referencePage('/t')!.html).toContain('<a class="brand" href="/t/"')
  })
})

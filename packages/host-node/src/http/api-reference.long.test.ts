import { createService } from '@tributary/core'
import { createTestStores } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { executable, launchBrowser, openPerson } from '../browser.fixture.ts'
import { startEchoServer } from './connection.fixture.ts'

describe.skipIf(!executable)('GET /docs/interactive in Chromium', () => {
  test(
    'shows the API reference under its content security policy, with requests to this server only',
    { tags: 'slow' },
    async () => {
      const { url } = await startEchoServer(
        {},
        createService({ baseUrl: 'http://127.0.0.1', stores: createTestStores() }),
      )
      const browser = await launchBrowser()
      try {
        const { open, page, troubles } = await openPerson(browser, url, true)
        await page.route('**/docs/scalar.js', async (route) => {
          expect(await page.getByRole('status').textContent()).toBe('Loading…')
          expect(await page.getByRole('link', { name: 'Read the page without scripts' }).isVisible()).toBe(true)
          await route.continue()
        })
        await open('/docs/interactive')
        await page.getByRole('heading', { name: 'Uploads' }).waitFor()
        expect(await page.getByText('Loading…', { exact: true }).isVisible()).toBe(false)
        expect(await page.getByText('“Test Request” opens a form.').isVisible()).toBe(true)
        // The test ignores Scalar's messages about the duration of its steps. No message about the policy or the
        // network may be logged.
        expect(
          troubles.filter((trouble) => !/ said (?:@scalar|\w+: \d+ ms|document validation|\[Object)/.test(trouble)),
        ).toEqual([])
      } finally {
        await browser.close()
      }
    },
  )

  test('GET /docs/interactive links to the plain page without scripts', async () => {
    const { url } = await startEchoServer(
      {},
      createService({ baseUrl: 'http://127.0.0.1', stores: createTestStores() }),
    )
    const browser = await launchBrowser()
    try {
      const { open, page, troubles } = await openPerson(browser, url, false)
      await open('/docs/interactive')
      expect(await page.getByText('Loading…').isVisible()).toBe(false)
      await page.getByRole('link', { name: 'Read the page without scripts' }).click()
      await page.getByRole('heading', { name: 'Uploads' }).waitFor()
      expect(troubles).toEqual([])
    } finally {
      await browser.close()
    }
  })
})

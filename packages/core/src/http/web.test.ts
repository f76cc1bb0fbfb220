import { createTestStores } from '@tributary/test-kit'
import { describe, expect, test, vi } from 'vitest'
import { createService } from '../service/create.ts'

const start = (): Request =>
  new Request('https://x.example/api/cli/device/start', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"machine":"laptop"}',
  })

describe('Service.fetch', () => {
  test('answers 500 and logs the cause when middleware of the app has read the body', async () => {
    const error = vi.fn()
    const logger = { info() {}, warn() {}, error }
    const service = createService({ baseUrl: 'https://x.example', stores: createTestStores(), logger })
    const [unread, read] = [start(), start()]
    await read.json()
    expect((await service.fetch(unread))?.status).toBe(200)
    expect((await service.fetch(read))?.status).toBe(500)
    expect(error).toHaveBeenCalledOnce()
    expect(error.mock.calls[0]![0]).toMatchObject({ err: { name: 'BodyAlreadyRead' }, route: '/api/cli/device/start' })
  })
})

import { createTestStores } from '@tributary/test-kit'
import { expect, test } from 'vitest'
import { signInContributor, openAutoApprovingService, makeTraceInput } from '../ingest/contributor.fixture.ts'

const day = 24 * 60 * 60 * 1000
const pastSweep = 11 * 60 * 1000

test('work deletes feedback and finished jobs after their retention period, and keeps traces and waiting jobs', async () => {
  const stores = createTestStores()
  const made = openAutoApprovingService(stores, { feedbackDays: 40, jobDays: 50 })
  const who = await signInContributor(made)
  const upload = (id: string) =>
    made.ask('POST', '/api/ingest', { headers: who.bearer, json: { traces: [makeTraceInput(id)] } })
  const listFeedback = async () =>
    (await stores.telemetry.export({ ownerId: who.userId })).feedback.map(({ message }) => message)
  const listStatuses = async () =>
    (await stores.ingest.listJobs({ ownerId: who.userId, limit: 10 })).map(({ status }) => status)
  await upload('a')
  await made.ask('POST', '/api/cli/feedback', { headers: who.bearer, json: { message: 'Slow today.' } })
  await made.service.work()

  made.clock.advance(40 * day)
  await made.service.work()
  expect([await listFeedback(), await listStatuses()]).toEqual([['Slow today.'], ['done']])
  made.clock.advance(pastSweep)
  await made.service.work()
  expect([await listFeedback(), await listStatuses()]).toEqual([[], ['done']])

  made.clock.advance(10 * day)
  await made.service.work()
  expect(await listStatuses()).toEqual([])
  expect((await stores.traces.listTraces({ ownerId: who.userId, cursor: null, limit: 10 })).items).toHaveLength(1)
})

test('createService throws for an invalid retention', () => {
  for (const wrong of [{ feedbackDays: 0 }, { feedbackDays: 1.5 }, { jobDays: 29 }]) {
    expect(() => openAutoApprovingService(createTestStores(), wrong)).toThrow(Object.keys(wrong)[0])
  }
})

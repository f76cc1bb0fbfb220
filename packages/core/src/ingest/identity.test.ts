import type { Fixture, Signed } from '@tributary/test-kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  signInContributor,
  openAutoApprovingService,
  places,
  makeTraceInput,
  type Place,
} from './contributor.fixture.ts'

describe('POST /api/ingest of a contributor with a known contact', () => {
  let place: Place
  let made: Fixture
  let ann: Signed
  beforeEach(async () => {
    place = await Object.values(places)[0]!()
    made = openAutoApprovingService(place.stores)
    ann = await signInContributor(made)
    const contact = { name: 'Hortense Delacroix', email: 'hortense@delacroix.fr', phone: '+33 1 23 45 67 89' }
    await made.ask('POST', '/api/account/contact', { headers: ann.bearer, json: contact })
  })
  afterEach(() => place.close())

  const storeTrace = async (trace: object): Promise<string> => {
    await made.ask('POST', '/api/ingest', { headers: ann.bearer, json: { traces: [trace] } })
    await made.service.work()
    const { traces } = (await made.ask('GET', '/api/traces', { headers: ann.bearer })).json
    const { json } = await made.ask('GET', `/api/traces/${traces[0].id}/download`, { headers: ann.bearer })
    return JSON.stringify(json)
  }

  test('stores the trace without name, e-mail address and phone number, in every form', async () => {
    const content = 'hortense.delacroix, HORTENSE, Delacroix, hortense@delacroix.fr, 0123456789'
    const document = await storeTrace(makeTraceInput('notes-of-hortense', { messages: [{ content }] }))
    expect(document).not.toMatch(/hortense|delacroix|0123456789/i)
  })

  test('stores the trace without the organization of a GitHub URL in the application', async () => {
    const { bearer } = await made.signIn('peter@mail.example')
    const application = {
      companyName: 'Acme',
      website: 'https://github.com/thornfield-labs',
      email: 'peter@mail.example',
      role: 'developer',
      authorized: true,
    }
    const { json: policy } = await made.ask('GET', '/api/traces/upload-policy', { headers: bearer })
    const terms = { termsVersion: policy.termsVersion, residencyConfirmed: true }
    await made.ask('POST', '/api/account/terms', { headers: bearer, json: terms })
    await made.ask('POST', '/api/account/application', { headers: bearer, json: application })
    ann = { ...ann, bearer }
    const content = 'The deployments of thornfield-labs run in @thornfield-labs/tps.'
    expect(await storeTrace(makeTraceInput('a', { messages: [{ content }] }))).toContain(
      'The deployments of [ORG_1] run in @[ORG_1]/tps.',
    )
  })

  test('replaces a person in the name of a trace even when only the messages identify the person', async () => {
    const document = await storeTrace(
      makeTraceInput('session-of-zebulonk', { messages: [{ content: 'cd /home/zebulonk/app' }] }),
    )
    expect(document).not.toContain('zebulonk')
  })
})

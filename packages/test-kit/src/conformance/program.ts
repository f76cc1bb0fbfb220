import { check, type Check } from './check.ts'

const claim = '/api/program/claim'
const claimed = { ok: true, result: 'claimed' }

/** The checks of `POST /api/program/claim`: the devices of the sponsor program. */
export const program: readonly Check[] = [
  check('E19', 'a user can claim a device, and claim it again', ['mailbox'], async ({ ask, own, stage }) => {
    const { bearer } = await own('claimer')
    for (let i = 0; i < 2; i++)
      await ask('POST', claim, { as: bearer, json: { deviceId: `claimed-${stage.run}` } }).is(200, claimed)
  }),
  check('E19', 'a device of another user returns 409', ['mailbox'], async ({ ask, own, stage }) => {
    const deviceId = `contested-${stage.run}`
    await ask('POST', claim, { as: (await own('claimer')).bearer, json: { deviceId } }).is(200, claimed)
    await ask('POST', claim, { as: (await own('stranger')).bearer, json: { deviceId } }).is(409, {
      ok: false,
      error: 'already_claimed',
    })
  }),
  check('E19', 'only one of two concurrent claims succeeds', ['mailbox'], async ({ ask, own, stage }) => {
    const people = [await own('claimer'), await own('stranger')]
    const replies = await Promise.all(
      people.map(({ bearer }) => ask('POST', claim, { as: bearer, json: { deviceId: `raced-${stage.run}` } })),
    )
    const statuses = replies.map(({ status }) => status).sort()
    replies[0]!.must(statuses.join() === '200,409', 'one 200 and one 409', `they are ${statuses.join(' and ')}`)
  }),
  check('E19', 'a device id has 8 to 64 letters, digits and hyphens', ['mailbox'], async ({ ask, own, stage }) => {
    const { bearer } = await own('claimer')
    for (const deviceId of [stage.run.slice(0, 8), `${stage.run}-Az9-`.padEnd(64, 'x')])
      await ask('POST', claim, { as: bearer, json: { deviceId } }).is(200, claimed)
    for (const deviceId of [
      '',
      'x'.repeat(7),
      'x'.repeat(65),
      'with_underscore',
      'with space',
      'ünicode-1',
      'line\nfeed-1',
      7,
      null,
    ])
      await ask('POST', claim, { as: bearer, json: { deviceId } }).is(400, { ok: false, error: 'invalid_body' })
  }),
]

import { check, type Check } from './check.ts'

const html = /^text\/html; charset=utf-8$/

/** Checks of pages for people, as far as a program can check them. */
export const pages: readonly Check[] = [
  check(
    'sign-in',
    'the home page shows how to start, and shows a signed-in user the next step',
    ['mailbox'],
    async ({ ask, own }) => {
      const reply = await ask('GET', '/').is(200)
      reply
        .has('content-type', html)
        .has('cache-control', /no-store/)
        .must(reply.text.includes('/sign-in'), 'a sign-in link')
        .must(reply.text.includes('TRIBUTARY_URL='), 'the address for a client')
      const { cookie, email } = await own('main')
      const signedIn = await ask('GET', '/', { as: cookie }).is(200)
      signedIn
        .must(signedIn.text.includes(email), 'a page that says who is signed in')
        .must(signedIn.text.includes('/sign-out'), 'a sign-out link')
    },
  ),
  check('sign-in', 'the sign-in page is public', [], async ({ ask }) => {
    const reply = await ask('GET', '/sign-in').is(200)
    reply.has('content-type', html).must(/<form[^>]+method="post"/.test(reply.text), 'a form that is sent by POST')
  }),
  check('http', 'a page has a strict content security policy and cannot be framed', [], async ({ ask }) => {
    const reply = await ask('GET', '/sign-in').is(200)
    reply
      .has('content-security-policy', /default-src 'none'/)
      .has('content-security-policy', /frame-ancestors 'none'/)
      .has('x-frame-options', 'DENY')
    reply
      .must(
        !/unsafe-inline|unsafe-eval/.test(reply.header('content-security-policy')!),
        'a policy without inline scripts',
      )
      .must(!/<script(?![^>]*src=)|\son\w+=|style="/.test(reply.text), 'a page without anything inline')
  }),
  check('http', 'the style sheet of the pages is served and cacheable', [], async ({ ask }) => {
    ;(await ask('GET', '/assets/tributary.css').is(200))
      .has('content-type', 'text/css; charset=utf-8')
      .has('cache-control', /^public, max-age=\d+$/)
  }),
  check('contributor', 'the terms are public', [], async ({ ask }) => {
    ;(await ask('GET', '/terms').is(200)).has('content-type', html).has('cache-control', /no-store/)
  }),
  ...[
    '/traces',
    '/jobs',
    '/earnings',
    '/account',
    '/blocked-terms',
    '/apply',
    '/contact',
    '/waitlist',
    '/device',
    '/terms',
  ].map((path) =>
    check('sign-in', `the page ${path} returns 200 for a signed-in user`, ['mailbox'], async ({ ask, own }) => {
      const { cookie, email } = await own('main')
      const reply = await ask('GET', path, { as: cookie }).is(200)
      reply
        .has('content-type', html)
        .must(reply.text.includes(email), `a page that says who is signed in`)
        .must(reply.text.includes('/sign-out'), 'a sign-out link')
    }),
  ),
  check('ads', 'the earnings page of a device returns 404 to other users', ['mailbox'], async ({ ask, own, stage }) => {
    const deviceId = `earning-${stage.run}`
    const { bearer, cookie } = await own('main')
    await ask('POST', '/api/program/claim', { as: bearer, json: { deviceId } }).is(200)
    ;(await ask('GET', `/earn/${deviceId}`, { as: cookie }).is(200)).has('content-type', html)
    await ask('GET', `/earn/${deviceId}`, { as: (await own('stranger')).cookie }).is(404)
  }),
  check(
    'traces',
    'the page of a trace shows its conversation only to its owner, and the page of its job shows its outcome',
    ['contributor', 'mailbox'],
    async ({ ask, own, contributor, stored }) => {
      const [trace] = await stored(1)
      const { cookie } = await contributor()
      const reply = await ask('GET', `/traces/${trace!.id}`, { as: cookie }).is(200)
      reply.has('content-type', html).must(reply.text.includes('It adds two numbers.'), 'a page with the conversation')
      const stranger = (await own('stranger')).cookie
      await ask('GET', `/traces/${trace!.id}`, { as: stranger }).is(404)
      const job = await ask('GET', `/jobs/${trace!.jobId}`, { as: cookie }).is(200)
      job.has('content-type', html).must(job.text.includes('/traces/'), 'a page with links to its traces')
      await ask('GET', `/jobs/${trace!.jobId}`, { as: stranger }).is(404)
      for (const path of ['/traces/none', '/jobs/none']) await ask('GET', path, { as: cookie }).is(400)
    },
  ),
  check(
    'traces',
    'the form of a trace page excludes the trace, and asks for confirmation before it deletes it',
    ['contributor', 'mailbox'],
    async ({ ask, contributor, stored, target }) => {
      const [trace] = await stored(1)
      const { bearer, cookie } = await contributor()
      const send = (id: string, body: string) =>
        ask('POST', `/traces/${id}`, {
          as: cookie,
          type: 'application/x-www-form-urlencoded',
          headers: { 'sec-fetch-site': 'same-origin' },
          body,
        })
      const path = `${target.prefix ?? ''}/traces/${trace!.id}`
      ;(await send(trace!.id, 'action=exclude').is(303)).has('location', path)
      ;(await send(trace!.id, 'action=delete').is(200)).has('content-type', html)
      await ask('GET', `/api/traces/${trace!.id}`, { as: bearer }).is(200)
      await send(trace!.id, 'action=delete&confirmed=yes').is(303)
      await ask('GET', `/api/traces/${trace!.id}`, { as: bearer }).is(404)
      await send(trace!.id, 'action=exclude').is(404)
      await send('none', 'action=exclude').is(400)
    },
  ),
  check(
    'http',
    'a failure is a page for a browser and JSON for other clients; a trailing slash redirects',
    [],
    async ({ ask, target }) => {
      const path = '/api/v1/receipts/none-of-this-name'
      const accept = 'text/html,*/*;q=0.8'
      const page = await ask('GET', path, { headers: { accept, 'sec-fetch-mode': 'navigate' } })
      const json = await ask('GET', path, { headers: { accept } })
      page.has('content-type', html).must(page.status === json.status, 'the same status for both')
      json.has('content-type', /^application\/json/)
      const slash = await ask('GET', '/terms/').is(308)
      slash.has('location', `${target.prefix ?? ''}/terms`)
    },
  ),
  check('sign-in', 'pages reject bearer tokens', ['person'], async ({ ask, person }) => {
    for (const path of ['/traces', '/account', '/device'])
      await ask('GET', path, { as: (await person()).bearer }).is(401, { ok: false, error: 'unauthorized' })
  }),
  check(
    'operator',
    "the operator's page asks for the token, and a wrong token returns 401",
    ['operator'],
    async ({ ask }) => {
      ;(await ask('GET', '/admin').is(401)).has('content-type', html)
      const form = { type: 'application/x-www-form-urlencoded', headers: { 'sec-fetch-site': 'same-origin' } }
      ;(await ask('POST', '/admin/sign-in', { ...form, body: 'token=wrong' }).is(401)).has('content-type', html)
    },
  ),
  check(
    'operator',
    'the operator can sign in, open every section and sign out',
    ['operator', 'person'],
    async ({ ask, operator, person, target }) => {
      const form = { type: 'application/x-www-form-urlencoded', headers: { 'sec-fetch-site': 'same-origin' } }
      const signed = await ask('POST', '/admin/sign-in', {
        ...form,
        body: `token=${encodeURIComponent(operator()['authorization']!.slice(7))}`,
      }).is(303)
      signed.has('location', `${target.prefix ?? ''}/admin`).has('set-cookie', /HttpOnly/)
      const as = { cookie: signed.header('set-cookie')!.split(';')[0]! }
      for (const section of [
        'applications',
        'contributors',
        'jobs',
        'sales',
        'campaigns',
        'reports',
        'feedback',
        'outbox',
        'audit',
      ])
        (await ask('GET', `/admin/${section}`, { as }).is(200)).has('content-type', html)
      ;(await ask('GET', '/', { as }).is(303)).has('location', `${target.prefix ?? ''}/admin`)
      ;(await ask('GET', '/admin?days=7', { as }).is(200)).has('content-type', html)
      const { userId } = await person()
      ;(await ask('GET', `/admin/contributors/${userId}`, { as }).is(200)).has('content-type', html)
      for (const path of ['/admin/jobs', `/admin/contributors/${userId}`]) await ask('GET', path).is(401)
      for (const path of [`/admin/${'x'.repeat(65)}`, `/admin/jobs/${'x'.repeat(129)}`])
        await ask('GET', path, { as }).is(400, { ok: false, error: 'invalid_id' })
      for (const path of ['/admin/nothing', '/admin/jobs/nothing'])
        await ask('GET', path, { as }).is(404, { ok: false, error: 'not_found' })
      for (const script of ['charts', 'campaign-preview', 'page'])
        (await ask('GET', `/assets/${script}.js`).is(200)).has('content-type', /^text\/javascript/)
      const out = await ask('POST', '/admin/sign-out', { ...form, as, body: '' }).is(303)
      out.must(/Max-Age=0/.test(out.setCookie('operator')), 'a cookie that is removed')
    },
  ),
]

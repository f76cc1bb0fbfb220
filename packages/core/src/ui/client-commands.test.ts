import { createTestStores, fixture } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import type { ServiceOptions } from '../service/options.ts'

const baseUrl = 'https://x.example/base'
const open = (options: Partial<ServiceOptions>) => fixture({ stores: createTestStores(), baseUrl, ...options })
/** Returns the steps of the client on a page, without the buttons that copy a command. */
const listSteps = (text: string) =>
  [...(/<ol class="commands"[^>]*>(.*?)<\/ol>/s.exec(text)?.[1] ?? '').matchAll(/<li>(.*?)<\/li>/gs)].map(([, step]) =>
    step!.replace(/<button.*?<\/button>|<(?!a )[^/>]*>|<\/(?!a\b)\w+\s*>/gs, '').trim(),
  )

describe('clientSteps', () => {
  const needs = 'It needs Node.js 20.19 or later. Run the commands in its folder.'
  const link = '<a href="https://x.example/client">Get the client</a>.'
  const mail = `<a href="mailto:help@x.example?subject=Client for ${encodeURIComponent(baseUrl)}">help@x.example</a>`
  const clientUrl = 'https://x.example/client'
  const contactEmail = 'help@x.example'
  const developmentLinks = [{ path: '/dev/mail', text: 'Mails' }]
  test.each<[Partial<ServiceOptions>, string[]]>([
    [{ clientUrl, clientCommand: 'npx acme' }, [link]],
    [{ clientUrl, contactEmail, developmentLinks }, [`${link} ${needs}`]],
    [{ clientCommand: 'npx acme', contactEmail, developmentLinks }, []],
    [{ contactEmail }, [`Ask us for the client: ${mail}. ${needs}`]],
    [{}, [`Ask the operator of this service for the client. ${needs}`]],
    [
      { contactEmail, developmentLinks },
      ['Go to the folder in which this server was started. It contains the client.'],
    ],
  ])('with %j begins with how to get the client', async (options, first) => {
    const { ask, signIn } = open(options)
    const { cookie } = await signIn('jane@example.com')
    const command = options.clientCommand ?? 'npm run example:contributor --'
    const list = (...names: string[]) => [
      ...first,
      `export TRIBUTARY_URL=${baseUrl}`,
      ...names.map((name) => `${command} ${name}`),
    ]
    const uploads = ['setup', 'preview', 'upload']
    expect(listSteps((await ask('GET', '/')).text)).toEqual(list('login', ...uploads))
    const read = async (path: string) => listSteps((await ask('GET', path, { headers: cookie })).text)
    expect(await read('/')).toEqual(list('login', ...uploads))
    // A device of the person is signed in.
    expect(await read('/traces')).toEqual(list(...uploads))
    expect(await read('/earnings')).toEqual(list('login', 'status'))
  })
})

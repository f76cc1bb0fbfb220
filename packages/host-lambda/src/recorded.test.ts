import { readFileSync } from 'node:fs'
import { echoService, parseResult, type Echo, type Gateway } from '@tributary/test-kit'
import { describe, expect, test } from 'vitest'
import { toLambdaHandler } from './index.ts'

/**
 * Returns one request (`curl` with repeated headers, cookies and query keys) in the form of each gateway. Fields, null
 * fields and encodings come from live captures of July 2026 (https://github.com/hotsock/voker/pull/8, testdata of
 * `vokerhttp`). Names, ids and addresses are invented. `single.json` shows the load balancer's other mode and follows
 * its documentation:
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/lambda-functions.html#multi-value-headers
 */
const readRecording = (name: string): object =>
  JSON.parse(readFileSync(new URL(`./recorded/${name}.json`, import.meta.url), 'utf8')) as object

const gateways: [name: string, gateway: Gateway, repeats: boolean][] = [
  ['rest', 'rest', true],
  ['http', 'http', true],
  ['url', 'url', true],
  ['alb', 'alb', true],
  ['single', 'alb-single', false],
]

describe.each(gateways)('an event recorded behind %s', (name, gateway, repeats) => {
  test('is converted to the request that was sent', async () => {
    const reply = parseResult(await toLambdaHandler(echoService())(readRecording(name) as never), gateway)
    const said = JSON.parse(Buffer.from(reply.body).toString()) as Echo
    expect(said).toMatchObject({
      method: 'POST',
      path: '/echo/space%20value',
      word: 'space value',
      address: '192.0.2.18',
    })
    expect(said.headers).toMatchObject({
      'content-type': 'application/json',
      'cookie': 'session=abc123; theme=dark',
      'user-agent': 'curl/8.7.1',
    })
    expect(said.headers['x-probe']).toMatch(repeats ? /^first, ?second$/ : /^second$/)
    const values: Record<string, string[]> = {}
    for (const [key, value] of said.query) (values[key] ??= []).push(value)
    expect(values).toEqual({
      repeat: repeats ? ['one', 'two'] : ['two'],
      redirect: ['https://example.com/a/b'],
      literalPlus: ['a b'],
      encodedPlus: ['a+b'],
      empty: [''],
    })
    expect(Buffer.from(said.bytes!).toString()).toBe('{"text":"lambda-λ"}')
  })
})

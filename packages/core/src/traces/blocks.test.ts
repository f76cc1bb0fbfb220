import { describe, expect, test } from 'vitest'
import { formatMessageBlock, parseMessageBlocks, type MessageBlock } from './blocks.ts'

const parse = (role: string | null, ...lines: string[]) => parseMessageBlocks({ role, content: lines.join('\n') })
const makeText = (content: string) => ({ type: 'text', text: content })
const call = { type: 'tool_call', id: 'call_1', name: 'Bash', arguments: '{"command":"ls"}' } as const
const callLines = ['```tool_call', '{"id":"call_1","name":"Bash","arguments":{"command":"ls"}}', '```']

describe('parseMessageBlocks', () => {
  test('returns a message without blocks as one text, unchanged', () => {
    for (const content of ['', '\n\n  hello \n', '```js\nlet a\n```', '```thinking', 'a ```tool_call\n{}\n```'])
      expect(parseMessageBlocks({ role: 'assistant', content })).toEqual([makeText(content)])
  })

  test('returns thinking, text and tool calls of an assistant in their order', () => {
    expect(
      parse('assistant', '```thinking', 'with ls', '', 'then', '```', '', 'I look.', '', ...callLines, 'Done'),
    ).toEqual([{ type: 'thinking', text: 'with ls\n\nthen' }, makeText('I look.'), call, makeText('Done')])
  })

  test('returns tool results with the id from the info string or from a JSON object', () => {
    expect(parse('tool', '```tool_result call_1', 'a.txt', '```')).toEqual([
      { type: 'tool_result', id: 'call_1', text: 'a.txt' },
    ])
    expect(parse('tool', '```tool_result', '{"id":"call_1","content":"a"}', '```')).toEqual([
      { type: 'tool_result', id: 'call_1', text: 'a' },
    ])
    expect(parse('tool', '```tool_result', '{"id":7}', '```', '```tool_result x', '```')).toEqual([
      { type: 'tool_result', id: null, text: '{"id":7}' },
      { type: 'tool_result', id: 'x', text: '' },
    ])
  })

  test('reads tool calls in the formats of OpenAI and Anthropic', () => {
    const given = [
      '{"id":"call_1","function":{"name":"Bash","arguments":"{\\"command\\":\\"ls\\"}"}}',
      '{"id":"call_1","name":"Bash","input":{"command":"ls"}}',
    ]
    for (const json of given) expect(parse('assistant', '```tool_call', json, '```')).toEqual([call])
    expect(parse('assistant', '```tool_call', '{"name":"patch","arguments":"*** Begin"}', '```')).toEqual([
      { type: 'tool_call', id: null, name: 'patch', arguments: '"*** Begin"' },
    ])
  })

  test('returns a block that the role cannot write, an invalid call, and blocks inside other code as text', () => {
    for (const role of ['user', 'system', 'tool'])
      expect(parse(role, ...callLines)).toEqual([makeText(callLines.join('\n'))])
    for (const body of ['no JSON', '[]', '{}', '{"name":""}', '{"name":1}']) {
      const lines = ['```tool_call', body, '```']
      expect(parse('assistant', ...lines)).toEqual([makeText(lines.join('\n'))])
    }
    const quoted = ['````md', ...callLines, '````']
    expect(parse('assistant', ...quoted, ...callLines)).toEqual([makeText(quoted.join('\n')), call])
    expect(parse(null, ...callLines)).toEqual([call])
  })

  test('ends a fence at a line with at least as many backticks, and ignores a fence without an end', () => {
    const result = ['````tool_result call_1', '```', 'code', '```', '````']
    expect(parse('tool', ...result)).toEqual([{ type: 'tool_result', id: 'call_1', text: '```\ncode\n```' }])
    expect(parse('assistant', '`````js', 'half', ...callLines)).toEqual([makeText('`````js\nhalf'), call])
    expect(parse('assistant', ...callLines.map((line) => `${line}\r`), 'end\r')).toEqual([call, makeText('end')])
  })

  test(
    'takes linear time for hostile content of 1 MB, which would take hours in quadratic time',
    { tags: 'long' },
    () => {
      const size = 1_000_000
      const descending = Array.from({ length: 6 }, (_, n) => '`'.repeat(8 - n) + 'tool_call\n').join('')
      for (const content of [
        '```tool_call\n'.repeat(size / 13),
        '```\n'.repeat(size / 4) + '```tool_call\n',
        descending.repeat(size / descending.length),
        descending.slice(0, 60) + '```\n'.repeat(size / 4) + '````\n',
        `\`\`\`tool_call ${' '.repeat(size)}\``,
        `\`\`\`tool_call\n${'\n'.repeat(size)}x`,
        `${callLines.join('\n')}\n${'\r\n'.repeat(size / 2)}x`,
        '`'.repeat(size) + 'tool_call',
        `\`\`\`tool_call\n${'['.repeat(size)}\n\`\`\``,
      ]) {
        expect(parseMessageBlocks({ role: 'assistant', content }).length).toBeGreaterThan(0)
      }
    },
  )
})

describe('formatMessageBlock', () => {
  test.each<[string, MessageBlock]>([
    ['assistant', call],
    ['assistant', { ...call, id: null, arguments: '"```\\n```"' }],
    ['assistant', { type: 'thinking', text: 'a\n```js\nb\n```\n' }],
    ['tool', { type: 'tool_result', id: 'call_1', text: '````\n``````\n`````````\n\n```tool_call\n{}' }],
    ['tool', { type: 'tool_result', id: null, text: '' }],
  ])('writes a block of role %s that parseMessageBlocks reads back unchanged: %j', (role, block) => {
    expect(parseMessageBlocks({ role, content: formatMessageBlock(block) })).toEqual([block])
    expect(parseMessageBlocks({ role, content: `Before\n\n${formatMessageBlock(block)}\n\nAfter` })).toEqual([
      makeText('Before'),
      block,
      makeText('After'),
    ])
  })

  test('writes ids that a tool result can refer to', () => {
    const named = { ...call, id: 'call `1' }
    expect(parseMessageBlocks({ role: 'assistant', content: formatMessageBlock(named) })).toMatchObject([
      { id: 'call_1' },
    ])
  })
})

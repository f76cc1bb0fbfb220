import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { main } from './main.ts'
import { createRecordingTerminal, useSurroundings } from './scripted.ts'

const surroundings = useSurroundings()

describe('setup and preview', () => {
  const makeSession = (project: string, prompt: string): string =>
    JSON.stringify({
      type: 'user',
      sessionId: `of-${project}`,
      isSidechain: false,
      cwd: `/work/${project}`,
      timestamp: '2026-11-01T10:00:00Z',
      message: { role: 'user', content: prompt },
    })
  beforeEach(() => {
    for (const [project, prompt] of [
      ['parser', 'write to jane.roe@widgets-of-jane.com about Bluebird'],
      ['client', 'nothing to hide'],
    ] as const) {
      mkdirSync(join(surroundings.home, '.claude/projects', project), { recursive: true })
      writeFileSync(join(surroundings.home, '.claude/projects', project, 'a.jsonl'), makeSession(project, prompt))
    }
  })
  const run = async (...argv: string[]) => {
    const { terminal, outs, notes } = createRecordingTerminal(surroundings.home)
    const fetchNothing = (): Promise<Response> => Promise.reject(new Error('no request is expected'))
    const code = await main(argv, { ...terminal, fetch: fetchNothing })
    return { code, text: outs.join('\n'), notes }
  }

  test('setup stores the selected projects, and preview shows their redactions in context', async () => {
    const { code, text } = await run('setup', '--exclude-project', 'client', '--blocked-term', 'bluebird', '--json')
    expect(code).toBe(0)
    expect(JSON.parse(text)).toMatchObject({
      projects: [
        { project: '/work/client', sessions: 1, chosen: false },
        { project: '/work/parser', sessions: 1, chosen: true },
      ],
      nextSteps: ['preview'],
    })
    const shown = await run('preview')
    expect(shown.code).toBe(0)
    expect(shown.text).toContain('1 trace with 1 message')
    expect(shown.text).toContain('the service also redacts your blocked terms')
    expect(shown.text).toContain('skips those already stored')
    expect(shown.text).not.toMatch(/value|\$/)
    expect(shown.text).toContain('…write to [EMAIL_1] about [BLOCKED_1]…  (email, email, score 1)')
    expect(shown.text).not.toMatch(/jane|bluebird/i)
    const preview = JSON.parse((await run('preview', '--json')).text) as Record<string, unknown>
    expect(preview).toMatchObject({
      totals: { traces: 1, redactions: { blocked_term: 1, email: 1 } },
      traces: [{ redactions: [{ placeholder: '[EMAIL_1]', category: 'email', before: 'write to ' }, {}] }],
      excludedFiles: 1,
    })
  })

  test.each(['/work/client/', '/work/../work/client', '/work/client', 'client'])(
    'setup --exclude-project %s excludes the project',
    async (path) => {
      await run('setup', '--exclude-project', path)
      expect(JSON.parse((await run('preview', '--json')).text)).toMatchObject({
        totals: { traces: 1 },
        excludedFiles: 1,
      })
    },
  )

  test('setup --project accepts a path below the home folder', async () => {
    const { text } = await run('setup', '--project', '~/parser/', '--json')
    expect(JSON.parse(text)).toMatchObject({ choices: { projects: [join(surroundings.home, 'parser')] } })
  })

  test('setup --project undoes an exclusion, and --reset deletes every choice', async () => {
    await run('setup', '--exclude-project', 'client')
    await run('setup', '--project', 'client')
    expect(JSON.parse((await run('preview', '--json')).text)).toMatchObject({ totals: { traces: 1 } })
    await run('setup', '--reset')
    expect(JSON.parse((await run('preview', '--json')).text)).toMatchObject({ totals: { traces: 2 } })
  })

  test.each([
    [['setup', '--source', 'word'], 'claude-code, codex'],
    [['setup', '--blocked-term', 'x'], '2 to 128 characters'],
    [['preview'], 'choose with `setup`'],
  ])('%j exits with 2 and explains what to do', async (argv, message) => {
    const { code, notes } = await run(...argv)
    expect(code).toBe(2)
    expect(notes[0]).toContain(message)
  })
})

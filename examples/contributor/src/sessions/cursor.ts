import { createHash } from 'node:crypto'
import { Transcript, type Reading } from './trace.ts'

/** The second line of a transcript that Cursor exports. */
export const cursorHeader = /^# .*\n_Exported on (.+?) from Cursor \([^)\n]*\)_\s*$/m

/**
 * Reads an export of Cursor's "Export transcript": Markdown with a title and the time, then turns of `**User**` and
 * `**Cursor**` between lines of `---`. The export has no id of the session, so the title and the first turn identify
 * it.
 */
export function readCursor(content: string, fallbackTime: string): Reading {
  const [title = ''] = content.split('\n', 1)
  const exportedAt = Date.parse(
    cursorHeader
      .exec(content)?.[1]
      ?.replace(' at ', ' ')
      .replace(/ GMT.*/, ' GMT') ?? '',
  )
  const transcript = new Transcript()
  for (const turn of content.split(/\n---\n(?=\s*\*\*(?:User|Cursor)\*\*\s*\n)/).slice(1)) {
    const [, speaker, text = ''] = /^\s*\*\*(User|Cursor)\*\*\s*\n([\s\S]*)$/.exec(turn) ?? []
    transcript.addText(speaker === 'User' ? 'user' : 'assistant', text.replace(/\n---\s*$/, '').trim(), undefined)
  }
  const { messages } = transcript
  if (messages.length === 0) return { traces: [], project: null, skipped: 0 }
  const sourceId = createHash('sha256')
    .update(JSON.stringify([title, messages[0]!.content]))
    .digest('hex')
    .slice(0, 32)
  const createdAt = Number.isNaN(exportedAt) ? fallbackTime : new Date(exportedAt).toISOString()
  return { traces: [{ source: 'cursor_sqlite', sourceId, createdAt, messages }], project: null, skipped: 0 }
}

import { describe, expect, test } from 'vitest'
import { html } from './html.ts'

describe('html', () => {
  test('escapes values, in text and in attributes', () => {
    expect(html`<p title="${'"\'&'}">${'<b>'}</p>`.text).toBe('<p title="&quot;&#39;&amp;">&lt;b&gt;</p>')
  })

  test('removes control and bidirectional characters from values, and keeps those of the template', () => {
    expect(html`<p>‮${'a\u202eb\u2066c\u200bd\u0007e\u0000f\u001b[31mg\u{e0041}h'}</p>`.text).toBe(
      '<p>\u202eabcdef[31mgh</p>',
    )
    expect(html`<b title="${'x\u202ey'}">${['one\u2067', 'two']}</b>`.text).toBe('<b title="xy">onetwo</b>')
  })

  test('keeps line breaks, letters of every script and joined emoji', () => {
    const text = 'line\n\tline\nשלום مرحبا 日本語 👩‍👩‍👧 é ✔️'
    expect(html`${text}`.text).toBe(text)
  })
})

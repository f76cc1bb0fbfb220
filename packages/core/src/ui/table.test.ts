import { expect, test } from 'vitest'
import { html } from './html.ts'
import { table } from './table.ts'

test('the labels of a table and of its cells contain only the text of the caption and headings, even if these contain links', () => {
  const link = html`<a href="/start">How to start</a>`
  const { text } = table({
    caption: html`Uploads. ${link}`,
    items: ['a'],
    columns: [
      ['Name', (item) => item],
      [link, (item) => item],
    ],
  })

  expect(text).toContain('aria-label="Uploads. How to start" tabindex="0"')
  expect(text).toContain('data-label="How to start"')
  expect(text).toMatch(/<caption>\s*Uploads\. <a href="\/start">How to start<\/a>\s*<\/caption>/)
})

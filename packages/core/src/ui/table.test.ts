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

test('a heading sorts words from A to Z first, numbers and times from the highest, and then reverses the order', () => {
  const linksOf = (by: string, order: 'asc' | 'desc') =>
    table({
      caption: 'Buyers',
      items: ['a'],
      columns: [
        ['Name', (item) => item, undefined, 'name'],
        ['Amount', (item) => item, 'number', 'amount'],
        ['Created', (item) => item, undefined, 'createdAt'],
      ],
      sort: { by, order, link: (name, to) => `${name}-${to}` },
    }).text.match(/(?<=href=")[^"]+/g)

  expect(linksOf('none', 'desc')).toEqual(['name-asc', 'amount-desc', 'createdAt-desc'])
  expect(linksOf('name', 'asc')).toEqual(['name-desc', 'amount-desc', 'createdAt-desc'])
  expect(linksOf('createdAt', 'desc')).toEqual(['name-asc', 'amount-desc', 'createdAt-asc'])
})

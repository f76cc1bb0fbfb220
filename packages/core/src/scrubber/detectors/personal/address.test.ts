import { expect, test } from 'vitest'
import { createScrubber } from '../../index.ts'

const gone = (text: string): string => {
  const done = createScrubber().scrub([text])
  if (!done.ok) throw new Error(done.reason)
  return done.texts[0]!
}

test.each([
  ['живу: ул. Тверская, д. 17, кв. 42', 'живу: [ADDRESS_1]'],
  ['Київ, вул. Хрещатик, 22', 'Київ, [ADDRESS_1]'],
  ['我住在北京市朝阳区建国路93号', '我住在[ADDRESS_1]'],
  ['서울특별시 강남구 테헤란로 152', '[ADDRESS_1]'],
  ['Адрес: г. Москва, ул. Тверская, д. 17', 'Адрес: [ADDRESS_1]'],
  ['住所：東京都渋谷区神南1-19-11', '住所：[ADDRESS_1]'],
  ['госномер А482КВ 177', 'госномер [LICENSE_PLATE_1]'],
])('scrub turns %s into %s', (text, expected) => {
  expect(gone(text)).toBe(expected)
})

test.each([
  'ул. без номера',
  '北京市的天气',
  '서울특별시 강남구',
  '第12章',
  'переулок',
  'просп. 12 страниц',
  '市场 2024 报告',
])('scrub leaves %s unchanged', (text) => {
  expect(gone(text)).toBe(text)
})

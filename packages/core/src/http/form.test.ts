import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { parseForm } from './parse.ts'

const schema = z.object({ name: z.string(), note: z.string().optional() })
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const parse = (text: string) => parseForm(encode(text), schema)

describe('parseForm', () => {
  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'ignores a field that is named %s',
    (field) => {
      const { fields, value } = parse(`name=a&${field}=x`)
      expect(Object.entries(fields)).toEqual([['name', 'a']])
      expect(value).toEqual({ name: 'a' })
      expect(Object.keys(Object.prototype)).toEqual([])
    },
  )

  test('uses the last value of a repeated field, and every value of a list', () => {
    const withList = schema.extend({ tags: z.array(z.string()) })
    expect(parseForm(encode('name=a&name=b&tags=x&tags=y'), withList).value).toEqual({ name: 'b', tags: ['x', 'y'] })
  })

  test('treats empty and blank fields as absent, and trims the others', () => {
    expect(parse('name=+a+&note=++').value).toEqual({ name: 'a' })
    expect(parse('name=')).toMatchObject({ value: null, issues: [{ path: ['name'] }] })
  })
})

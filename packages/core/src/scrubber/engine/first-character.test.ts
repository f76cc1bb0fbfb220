import { describe, expect, test } from 'vitest'
import { firstCharacter } from './first-character.ts'

describe('firstCharacter', () => {
  test.each([
    [/PT[a-f0-9]{48}/y, 'pt', 'P'],
    [/(?:SK|AC)[0-9a-f]{32}/y, 'ac', 'A'],
    [/(?<=Host (?:a|b))User (\w+)/y, 'user ', 'U'],
    [/Fetch URL: x|To (?!git@)\w/y, 'to ', 'T'],
    [/(USER|Login) /y, 'user ', 'U'],
  ])('returns the only possible first character of a match of %s at %j', (pattern, keyword, char) => {
    expect(firstCharacter(pattern, keyword)).toBe(char.charCodeAt(0))
  })

  test.each([
    [/pt[a-f]{4}/iy, 'pt'],
    [/[Bb]asic\s/y, 'basic '],
    [/(?:S|s)K/y, 'sk'],
    [/P?T[a-f]/y, 'pt'],
    [/(?:PT)?a/y, 'pt'],
    [/\x50T/y, 'pt'],
    [/[)|]PT|PT/y, 'pt'],
  ])('returns 0 for %s, because its matches may begin with different characters', (pattern, keyword) => {
    expect(firstCharacter(pattern, keyword)).toBe(0)
  })
})

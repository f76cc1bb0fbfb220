/** Returns a text without diacritics, because many people write names without diacritics. */
export const stripMarks = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/ß/g, 'ss')
    .replace(/ø/gi, 'o')
    .replace(/ł/gi, 'l')
    .replace(/ı/g, 'i')
/** Returns a text with its letters spelled in ASCII, as in German and Nordic languages: `Jürgen` as `Juergen`. */
export const spellOut = (text: string): string =>
  text.replace(/[äæ]/gi, 'ae').replace(/[öø]/gi, 'oe').replace(/ü/gi, 'ue').replace(/å/gi, 'aa').replace(/ß/g, 'ss')
/** Cyrillic and Greek letters, each followed by the Latin letters that replace it in passports and accounts. */
const ROMAN = new Map<string, string>(
  Array.from(
    `а a б b в v г g д d е e ж zh з z и i к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ shch ы y э e ю
yu я ya і i є ye ґ g ђ dj ј j љ lj њ nj ћ c џ dz ѕ dz α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r
σ s ς s τ t υ y φ f χ ch ψ ps ω o`.matchAll(/(\S+)\s(\S+)/g),
    ([, letter = '', roman = '']) => [letter, roman],
  ),
)
/** Returns a Cyrillic or Greek name in Latin letters: `Загорчинов` as `Zagorchinov`. */
export const romanize = (text: string): string =>
  stripMarks(text).replace(/[\u0370-\u04ff]/g, (letter) => {
    const roman = ROMAN.get(letter.toLowerCase()) ?? ''
    return letter === letter.toLowerCase() ? roman : roman.charAt(0).toUpperCase() + roman.slice(1)
  })
/** Returns a name in Latin letters: without diacritics, and with its letters spelled in ASCII. */
export const latinForms = (text: string): string[] => [stripMarks(romanize(text)), stripMarks(spellOut(text))]

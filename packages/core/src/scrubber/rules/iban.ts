const LENGTHS = `AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18FR27GB22GE22GI23GL18GR27GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MR27MT31MU30NL18NO15PK24PL28PS29PT25QA29RO24RS22SA24SC31SE24SI19SK24SM27ST25SV28TL23TN24TR26UA29VA22VG24XK20`

/** Returns how long an IBAN of a country is, 0 where it has none. */
export const ibanLength = (country: string): number => {
  const at = LENGTHS.indexOf(country)
  return at >= 0 && at % 4 === 0 ? Number(LENGTHS.slice(at + 2, at + 4)) : 0
}

/** Checks ISO 7064 MOD 97-10 of an IBAN (ISO 13616). */
export function isIban(text: string): boolean {
  const moved = text.slice(4) + text.slice(0, 4)
  let rest = 0
  for (let i = 0; i < moved.length; i++) {
    const code = moved.charCodeAt(i)
    rest = code >= 65 ? (rest * 100 + code - 55) % 97 : (rest * 10 + code - 48) % 97
  }
  return rest === 1
}

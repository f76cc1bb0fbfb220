import { findBirthAfterVerb, findBirthDate } from '../detectors/personal/date-of-birth.ts'
import { findEasternAddress } from '../detectors/personal/eastern-address.ts'
import { findLabelledAddress } from '../detectors/personal/labelled-address.ts'
import { numberFinder } from '../detectors/personal/number.ts'
import { findStreetSuffix } from '../detectors/personal/street-suffix.ts'
import { findGermanStreet, findRomanceStreet, findStreet } from '../detectors/personal/street.ts'
import { paperRules } from '../rules/documents.ts'
import { idNumbers } from '../rules/id-numbers.ts'
import { placeRules } from '../rules/places.ts'
import type { RulePack } from './pack.ts'

/** What is written another way in each country and language: numbers of persons, papers, addresses and births. */
export const countries: RulePack = {
  sections: [
    { rank: 120, rules: placeRules },
    { rank: 220, rules: paperRules },
  ],
  finders: {
    addressed: findLabelledAddress,
    birth: findBirthDate,
    born: findBirthAfterVerb,
    eastern: findEasternAddress,
    number: numberFinder(idNumbers),
    rue: findRomanceStreet,
    strasse: findGermanStreet,
    street: findStreet,
    suffix: findStreetSuffix,
  },
}

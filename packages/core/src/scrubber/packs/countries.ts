import { countryChecks } from '../detectors/checks/countries.ts'
import {
  findBirthAfterVerb,
  findDateBeforeBorn,
  findCardDetail,
  findCoordinates,
} from '../detectors/personal/dates-and-places.ts'
import { numberFinder } from '../detectors/personal/number.ts'
import { personalBeginnings, personalKeywords } from '../detectors/personal/personal-labels.ts'
import { isPublished } from '../detectors/personal/published.ts'
import { findNamesInRecords } from '../detectors/personal/record.ts'
import {
  findGermanStreet,
  findRomanceStreet,
  findStreet,
  findStreetSuffix,
  findLabelledAddress,
  findEasternAddress,
} from '../detectors/personal/address.ts'
import { compileCondition, expandRules } from '../engine/rule.ts'
import { paperRules } from '../rules/documents.ts'
import { idNumbers } from '../rules/id-numbers.ts'
import { placeRules } from '../rules/places.ts'
import { mayBeColumn, personalFinder } from '../detectors/personal/personal-field.ts'
import { scoreSecret } from '../detectors/secrets/score.ts'
import { tableFinders } from '../detectors/tables/layouts.ts'
import { findElement, findPaymentParty, findSegment, findTravelDocument } from '../detectors/tables/segments.ts'
import type { RulePack } from './pack.ts'

const numbers = Object.values(idNumbers).map((number) => ({
  category: 'government_id',
  ...number,
  valid: compileCondition(number.valid ?? [], countryChecks),
}))
const tables = tableFinders(scoreSecret)
const findPersonal = personalFinder(tables.delimitedTable)

/** The rules that differ by country and language: numbers of persons and documents, addresses, dates of birth. */
export const countries: RulePack = {
  sections: [
    { rank: 120, rules: expandRules(placeRules) },
    {
      rank: 220,
      rules: expandRules(paperRules, { 'personal-field': personalKeywords, 'personal-word': personalBeginnings }),
    },
  ],
  finders: {
    addressed: (hit) => {
      if (mayBeColumn(hit.text, hit.start, hit.end)) tables.delimitedTable(hit)
      findLabelledAddress(hit)
    },
    cardDetail: findCardDetail,
    element: findElement,
    paymentParty: findPaymentParty,
    personalField: findPersonal,
    personalWord: findPersonal,
    segment: findSegment,
    travelDocument: findTravelDocument,
    birth: findDateBeforeBorn,
    born: findBirthAfterVerb,
    eastern: findEasternAddress,
    number: numberFinder(numbers),
    place: findCoordinates,
    rue: findRomanceStreet,
    strasse: findGermanStreet,
    street: findStreet,
    suffix: findStreetSuffix,
  },
  gates: { personalWord: { isBounded: true } },
  isPublished,
  findInRecords: findNamesInRecords,
}

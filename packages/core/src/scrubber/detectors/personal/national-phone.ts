/**
 * National numbers that are recognized by the groups of their digits: France, Britain, Australia, Japan and Korea,
 * Germany, the Netherlands, Sweden, China.
 */
const GROUPED =
  /^(?:0[1-9](?:[ .]\d\d){4}|07\d{3} \d{6}|020 \d{4} \d{4}|01\d{3} \d{3} \d{3,4}|07\d{3} \d{3} \d{3}|08[35679] \d{3} \d{4}|01\d{3} \d{6}|04\d\d \d{3} \d{3}|0\d{1,3}-\d{3,4}-\d{4}|01[567]\d{1,2}[ /-]\d{7,8}|06[- ]\d{8}|07\d-?\d{3} \d\d \d\d|1[3-9]\d[ -]\d{4}[ -]\d{4})$/
/** A request for a call in other languages, followed by a number that begins with 0 or has groups. */
const CALLED =
  /(?:bel(?:t| me)?|ruf(?:t|en)?|anruf|erreichbar|appele[rz]|joindre|llám|llam[ae]|chiam[ai]|zadzwo|ligue|liga|soita|meine? nummer|mijn nummer|mi n[úu]mero|mon num[ée]ro|mio numero|mój numer|m[eo]u n[úu]mero|telem[oó]vel|portable|gsm|tlf|звони|дзвони|номер телефон)[^\n\d]{0,28}$/i
/**
 * Returns whether a number is a phone number of its own country.
 * @param raw with its separators, beginning with a digit.
 * @param context up to 48 characters before it.
 */
export const isNational = (raw: string, digits: string, context: string): boolean => {
  if (GROUPED.test(raw)) return true
  if (digits.length > 15) return false
  return digits.length >= 9 && /^0|[ -]/.test(raw) && CALLED.test(context)
}

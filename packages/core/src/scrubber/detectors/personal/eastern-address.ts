import type { Hit } from '../../engine/findings.ts'

const FORWARD =
  /[\u3040-\u30ff\u4e00-\u9fff]{1,18}?(?:(?:路|街|道|巷|弄|里|村|镇|鎮|乡|鄉)[\u4e00-\u9fff]{0,6}?[0-9０-９]{1,5} ?(?:号|號|弄|巷|段)?[\u4e00-\u9fff0-9０-９-]{0,16}|[0-9０-９]{1,4}(?:[-−ー－‐][0-9０-９]{1,4}){1,3}|[0-9０-９一二三四五六七八九十]{1,3}丁目[0-9０-９番地号−ー－-]{0,12})/uy
const BACK = /[\u4e00-\u9fff]{1,8}$/u
const SPEECH = /^.*(?:住在|位于|在|是|住所|地址|寄到|送到|我|に|は|を)/u

/** Finds `北京市朝阳区建国路93号`, `東京都渋谷区神南1-19-11`: a district, a street and a number. */
function findEast({ text, start, end, rule, found }: Hit): void {
  FORWARD.lastIndex = end
  const match = FORWARD.exec(text)
  if (!match) return
  const back = (BACK.exec(text.slice(Math.max(0, start - 8), start))?.[0] ?? '').replace(SPEECH, '')
  const from = start - back.length
  const to = end + match[0].length
  found.push({ start: from, end: to, rule, value: text.slice(from, to) })
}

const KOREAN =
  /[가-힣]{1,8}(?:시|도|군|구)(?: [가-힣]{1,8}(?:시|군|구|읍|면|동)){0,2} [가-힣0-9]{1,12}(?:로|길|동)(?: ?\d{1,4}번?길)? ?\d{1,4}(?:-\d{1,4})?(?!\d)/u

/** Finds `서울특별시 강남구 테헤란로 152`. */
function findKorean({ text, start, end, rule, found }: Hit): void {
  const floor = Math.max(0, start - 24)
  const match = KOREAN.exec(text.slice(floor, end + 16))
  if (match)
    found.push({ start: floor + match.index, end: floor + match.index + match[0].length, rule, value: match[0] })
}

const SLAVIC =
  /(?:ул(?:ица|иця|\.)|вул(?:иця|\.)|проспект|пр(?:-?к?т|осп)?\.?|пер(?:еулок|\.)|пров(?:улок|\.)|б(?:ульвар|ул\.|-р)|пл(?:ощадь|оща|\.)|шоссе|ш\.|наб(?:ережная|\.)) ?(?:\d{1,3}(?:-?[а-яі]{1,3})? )?(?:[А-ЯІЇЄҐ][\p{L}.-]{0,24} ?){1,4},? ?(?:д(?:ом|\.)|буд(?:инок|\.))? ?\d{1,4}[а-яА-Я]?(?:[/-]\d{1,4})?(?:,? ?(?:корп|к|стр|кв|оф|под)\.? ?\d{1,4}){0,3}(?!\d)/uy

/** Finds `ул. Тверская, д. 17, кв. 42`, `вул. Хрещатик, 22`: the word for street, its name, house and flat. */
function findSlavic({ text, start, rule, found }: Hit): void {
  if (/[\p{L}]/u.test(text[start - 1] ?? ' ') && text[start - 2] !== '\\') return
  SLAVIC.lastIndex = start
  const match = SLAVIC.exec(text)
  if (match) found.push({ start, end: start + match[0].length, rule, value: match[0] })
}

const TURKISH =
  /(?:\p{Lu}[\p{L}.]{1,24} ){1,4}(?:Mah(?:allesi)?|Sok(?:ağı?|ak)?|Cad(?:desi)?|Bulvarı|Blv)\.?(?: (?:(?:\p{Lu}[\p{L}.]{1,24}|\d{1,5}\.?) ){1,4}(?:Sok(?:ağı?|ak)?|Cad(?:desi)?|Bulvarı|Blv)\.?)?,? ?No ?[:.] ?\d{1,4}[A-Za-z/]{0,3}\d{0,3}(?:,? ?(?:D|Daire|Kat|K)\.?:? ?\d{1,3}){0,2}(?:,? \p{Lu}\p{L}{2,20}(?:\/\p{Lu}\p{L}{2,20})?)?/u

/** Finds `Atatürk Mah. Lale Sok. No: 14 D: 5 Ataşehir/İstanbul`. */
function findTurkish({ text, start, end, rule, found }: Hit): void {
  const floor = Math.max(0, start - 96)
  const match = TURKISH.exec(text.slice(floor, end + 64))
  if (match)
    found.push({ start: floor + match.index, end: floor + match.index + match[0].length, rule, value: match[0] })
}

/** Finds an address in the form that is usual in the script of the keyword. */
export function findEasternAddress(hit: Hit): void {
  const code = hit.text.charCodeAt(hit.start)
  const find = code < 0x400 ? findTurkish : code < 0x600 ? findSlavic : code >= 0xac00 ? findKorean : findEast
  find(hit)
}

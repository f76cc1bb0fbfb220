import type { Finding, KnownForm } from '../../engine/rule.ts'
import { commonWords, publicOwners } from '../../rules/common-words.ts'
import { nobody } from '../../rules/nobody.ts'
import { DOTTED_NAME, formsOf } from './forms.ts'

/** Domains of mail for everybody, and second levels of countries: neither is a company's name. */
const PUBLIC =
  /^(?:gmail|googlemail|outlook|hotmail|live|msn|yahoo|ymail|icloud|me|mac|aol|proton|protonmail|pm|gmx|web|t-online|freenet|posteo|mailbox|fastmail|tutanota|tuta|hey|zoho|yandex|mail|inbox|qq|163|126|sina|naver|daum|hanmail|orange|free|laposte|wanadoo|sfr|libero|virgilio|tiscali|wp|onet|interia|o2|seznam|centrum|bigpond|optusnet|comcast|verizon|att|cox|shaw|rogers|btinternet|sky|virginmedia|ziggo|kpn|xs4all|telia|bluewin|duck|relay|users|noreply|email|example|domain|company|corp|lists?|googlegroups|sourceforge|gnu|kernel|debian|ubuntu|redhat|fedoraproject|gnome|kde|freedesktop|ietf|ieee|acm|mit|stanford|berkeley|gserviceaccount|amazonaws|appspotmail|onmicrosoft|atlassian|sendgrid|mailgun|twilio)$/i
const SECOND_LEVEL = /^(?:co|com|org|net|ac|gov|edu|ne|or|gob|gouv)$/i
/** Mailboxes of everybody at a company: its address may be quoted from its pages. */
const ROLE =
  /^(?:info|support|sales|hello|contact|security|help|helpdesk|team|press|legal|privacy|billing|feedback|abuse|jobs|careers|marketing|news|newsletter|office|service|admin|api|bugs?|dev|devs|conduct|opensource|oss|notifications?|webmaster|hostmaster|.*no-?reply.*|.*bot|git.*)$/i

const ORGANIZATION = { id: 'email', category: 'organization', placeholder: 'ORG' }
const PERSON = { id: 'email', category: 'person', placeholder: 'PERSON' }

/** Adds who is named by the parts of a mail address: the company by its domain, the person by `first.last`. */
export function learnFromAddress(local: string, domain: string, start: number, found: Finding[]): void {
  if (ROLE.test(local)) return
  const labels = domain.split('.')
  const last = labels.length - 2
  const at = last > 0 && SECOND_LEVEL.test(labels[last]!) ? last - 1 : last
  const label = labels[at]?.toLowerCase()
  const end = start + local.length
  if (label && label.length > 4 && !PUBLIC.test(label) && !publicOwners.has(label) && isName(label))
    found.push({
      start: end,
      end: end + 1 + domain.length,
      rule: ORGANIZATION,
      value: label,
      forms: () => formsOf('organization', label.replaceAll('-', ' ')).concat({ text: label }),
    })
  if (!DOTTED_NAME.test(local)) return
  const name = local.replace('.', ' ')
  if (local.split('.').every(isName))
    found.push({
      start,
      end,
      rule: PERSON,
      value: name.toLowerCase(),
      forms: () => formsOf('person', name).flatMap((form) => asName(form, name)),
    })
}

/**
 * Returns a form of a name that an address gives away. A word of it may be that of a product: alone it is a name only
 * with a capital letter, and when it is long.
 */
function asName(form: KnownForm, name: string): KnownForm[] {
  const { text } = form
  if (/[^\p{L}]/u.test(text)) return [form]
  if (text.length < 5) return []
  return [name.split(' ').includes(text) ? { ...form, capitalized: true } : form]
}

const isName = (word: string): boolean => !commonWords.has(word.toLowerCase()) && !nobody.has(word.toLowerCase())

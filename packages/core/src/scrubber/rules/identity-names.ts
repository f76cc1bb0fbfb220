import type { RuleTable } from '../engine/rule.ts'
import { PERSON } from './categories.ts'

/** Rules for people in certain formats or after certain labels. */
export const nameRules: RuleTable = {
  defaults: { inside: true },
  rows: {
    'developer-element': [
      '<developer>|<author>|<contributor>',
      /<(?:developer|author|contributor)>\s{0,20}(?:<id>(?<account>[^<]{0,60})<\/id>\s{0,20})?(?:<name>)?\s{0,4}(?<person>\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4}|\p{sc=Han}{2,4}|[가-힣]{2,4})<\/(?:name>\s{0,20}(?:<email>[^<]{0,80}<\/email>\s{0,20})?<organization>(?<organization>[^<\n]{3,60})<)?/uy,
      { ...PERSON, finder: 'namedGroups' },
    ],
    'name-parts': [
      `firstname|first_name|givenname|given_name|lastname|last_name|familyname|family_name|family-name|given-name|
      surname|family"|family\\"|given"|given\\"|ad=|ad:|ad":|imie|nome|nume"|perenimi|snm>|ime=|vorname|prenom|nom'|
      nom"|фамилия|прізвище`,
      /(?:[fF][iI][rR][sS][tT]_?[nN][aA][mM][eE]|[gG][iI][vV][eE][nN][_-]?[nN][aA][mM][eE][sS]?|[lL][aA][sS][tT]_?[nN][aA][mM][eE]|[fF][aA][mM][iI][lL][yY][_-]?[nN][aA][mM][eE][sS]?|[sS][uU][rR][nN][aA][mM][eE]|[fF][aA][mM][iI][lL][yY]|[gG][iI][vV][eE][nN]|[aA][dD]|[iI][mM][iI][eE]|[nN][oO][mM][eE]|[iI][mM][eE]|nume|perenimi|snm|[vV][oO][rR][nN][aA][mM][eE]|[pP][rR][eE][nN][oO][mM]|[nN][oO][mM]|[Фф]амилия|[Пп]різвище)(?:\\{0,7}["'`]\s?[:=]>?\s?\[?\\{0,7}["'`]|: ?\\{0,7}["'`]|: |=\\{0,7}["'`]|=|>|\\{0,7}["'`][^<>\n]{0,80}>\s{0,8}<(?:\w{1,12}:)?AttributeValue[^<>]{0,60}>)(\p{Lu}[\p{L}\p{M}'’-]{1,30}(?<!['’]))(?=\\{0,7}["'`]|(?:\\{1,4}n|\r?\n)[+> ]{0,8}|\\n|$|[ ,;&<])/uy,
      { ...PERSON, finder: 'nameParts' },
    ],
    'name-beside-address': [
      'name:|<name>',
      /[nN]ame:\s{1,12}(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})\s{0,4}(?:(?:\\{1,4}n|\r?\n)[+> ]{0,8}|\\n)\s{0,8}(?:[eE]-?mail|[pP]hone|[tT]el|[mM]obile|[aA]ddress|DOB|[dD]ate of [bB]irth):|<name>\s{0,4}(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})<\/name>\s{0,20}<email>/uy,
      { ...PERSON, finder: 'personName' },
    ],
    'letter-header': [
      'from: |to: |cc: |an: |organizer: |attendee: ',
      /(?<!(?<!\\)[\w.%:$-])(?:An|To|C[cC]): (?:[^;\n]{1,60}; ){0,6}(\p{Lu}[\p{L}\p{M}'’-]{1,30}, \p{Lu}[\p{L}\p{M}'’-]{1,30})(?=;|(?:\\{1,4}n|\r?\n)[+> ]{0,8})|(?<!(?<!\\)[\w.%:$-])(?:From|To|C[cC]|Organizer|Attendee): {1,8}(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})(?=;|(?:\\{1,4}n|\r?\n)[+> ]{0,8}(?:Sent|To|From|Date|Subject|C[cC]|Organizer|Attendees?|When|Where)\b)/uy,
      { ...PERSON, finder: 'personName' },
    ],
    'quoted-letter': [
      ' wrote:| wrote on ',
      /(?<=(?<!(?<!\\)[\w.%:$-])[oO]n [^\n]{4,60}, (?:at [^\n,]{3,12},? )?(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})) wrote:|(?<=(?:^|\n|\\n)> ?(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})) wrote:|(?<=(?:^|\n|\\n|": ?\\{0,3}")[+> ]{0,8}(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})) wrote on (?=\d|\p{Lu})/uy,
      { ...PERSON, finder: 'personName' },
    ],
    'calendar-person': [
      ';cn=|fn:',
      /(?:;CN=["']?|(?<=^|\n|\\n)FN(?:;[^:\n]{1,40})?:)(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})(?=["';:\r\n\\]|$)/uy,
      { ...PERSON, finder: 'personName' },
    ],
    'author-command': [
      '__author__|@author |\\author{|name="author"|maintainer |author = {|authors = {|author => |\\and ',
      /(?:@author\s{1,4}|__author__\s?=\s?\\{0,7}["'`]|\\{1,4}author\{|\\{1,4}and |name=\\{0,3}"author\\{0,3}" content=\\{0,3}"|MAINTAINER |(?<=\.)authors?\s{1,8}=\s?\{\s?\\{0,7}["'`]|AUTHOR => \\{0,7}["'`]?)(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})(?=$|\s?[\r\n"'\\,;<>(}])/uy,
      { ...PERSON, finder: 'personName', kind: 'probable' },
    ],
    'said-name': [
      "my name is |my name's |i am called ",
      /(?:[mM]y name(?: is|'s)|I am called) (\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})(?=$|[\s"'\\,;.!<>|)])/uy,
      { ...PERSON, finder: 'authorName', kind: 'probable' },
    ],
    'introduction': [
      `je m'appelle |ich hei|me llamo |mein name ist |mi nombre es |mon nom est |meu nome |mi chiamo |the name is |
      the name's |my full name is |mijn naam is |jag heter |je suis | speaking|i am |i'm |ich bin |real name is |
      call me |меня зовут |мене звати |ik heet |nazywam si|jmenuji se |mitt namn `,
      /(?:[jJ]e m'appelle|[iI]ch hei(?:ß|ss)e|[mM]e llamo|[mM]ein Name ist|[mM]i nombre es|[mM]on nom est|[mM]eu nome (?:é|e)|[mM]i chiamo|[tT]he name(?: is|'s)|[mM]y full name is|[mM]ijn naam is|[jJ]ag heter|[rR]eal name is|[cC]all me|[мМ]еня зовут|[мМ]ене звати|[iI]k heet|[nN]azywam się|[jJ]menuji se|[mM]itt namn är|(?:[jJ]e suis|[iI]ch bin|I am|I'm)(?! [^,.!\n]{0,60}ing(?![\p{L}]))(?= \p{Lu}[\p{L}'-]{1,30} (?:v[ao]n |de[rn]? |da )?\p{Lu}[\p{Ll}'’-][\p{L}'’-]{1,30}(?:[,.!]| \(| (?:and|und|et) |\n|$))) (?!\p{Lu}\p{Ll}{3,20}\p{Lu})(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})(?=$|[\s"'\\,;.!<>|)])|(?<=(?:^|[.!,] |\n)(\p{Lu}[\p{L}\p{M}'’-]{1,30} \p{Lu}[\p{L}\p{M}'’-]{1,30})) speaking(?=[,.!]| here)/uy,
      { ...PERSON, finder: 'authorName', kind: 'probable' },
    ],
    'signature': [
      `thanks,|a lot,|so much,|again,|in advance,|best,|regards,|cheers,|sincerely,|wishes,|thank you,|love,|
      liche gr|lichen gr|viele gr|saludos|cordialement|atenciosamente|groeten|groet,|hilsen|saluti|beste gr|besten gr|
      pozdrawiam|lsningar|lsning|pozdravem|terveisin`,
      /(?:[\p{L} ]{4,12}[,!]|(?:(?:liche[rn]?|[vV]ielen?|[bB]esten?) Gr(?:üßen?|uß)|[sS]aludos|[cC]ordialement|[aA]tenciosamente|[gG]roet(?:en)?|[hH]ilsen|[sS]aluti|[pP]ozdrawiam|lsningar|lsning|pozdravem|erveisin),?)[ \t]{0,3}(?:(?:\\{1,4}n|\r?\n)[+> ]{0,8}){1,3}(?:[-–—] ?)?(\p{Lu}[\p{Ll}\p{M}'’-]{2,20}(?: \p{Lu}[\p{L}\p{M}'’.-]{0,30}){0,2})(?=\s{0,3}(?:$|(?:\\{1,4}n|\r?\n)[+> ]{0,8}))/uy,
      { ...PERSON, finder: 'authorName', kind: 'probable' },
    ],
    'chat-author': [
      ' am| pm',
      /(?<=(?:^|\n|\\n|": ?\\{0,3}")[+> ]{0,8}(\p{Lu}[\p{L}\p{M}\d&'’-]{1,30}(?: \p{Lu}[\p{L}\p{M}\d&'’-]{1,30}){1,3}) {1,3}\d{1,2}:\d\d) [AP]M(?=$|(?:\\{1,4}n|\r?\n)[+> ]{0,8})/uy,
      { ...PERSON, finder: 'personName', kind: 'probable' },
    ],
    'messenger-author': [
      '0] |1] |2] |3] |4] |5] |6] |7] |8] |9] | (@',
      /(?<=\[(?:\d{1,4}[./-]\d{1,2}[./-]\d{2,4}[, T]{1,2})?\d{1,2}:\d(?:\d:\d)?)\d\] (\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){1,4}): |(?<=(?<![\p{L}_])(?:[uU]ser|[пП]ользователь|[кК]ористувач|[uU]suario|[uU]suário|[uU]tilisateur|[bB]enutzer|[uU]tente)[*]{0,2}:[*]{0,2} (\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){1,4})) \(@\w{3,38}\)/uy,
      { ...PERSON, finder: 'personName', kind: 'probable' },
    ],
    'name-beside-mail': [
      'name"|name\\|name =|name=|author=|author = |email="',
      /email="[^"<>\s]{3,80}"[^<>]{0,40}>\s{0,4}(\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){1,4})<\/|(?:name|author)\\{0,7}["']?\s{0,3}[:=]\s{0,3}\\{0,7}["'](\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})\\{0,7}["'],?\s{0,16}\\{0,7}["']?(?:(?:author_)?e?-?mail(?:_?[aA]ddress)?|userPrincipalName)\\{0,7}["']?\s{0,3}[:=]/iuy,
      { ...PERSON, finder: 'personName' },
    ],
    'file-header': [
      `created by |comment by |commented by |reviewed by |approved by |added by |edited by |posted by |uploaded by |
      modified by |updated by |reported by `,
      /\p{Lu}\p{Ll}{4,8} by (\p{Lu}[\p{L}\p{M}'’.-]{0,30}(?: [\p{L}\p{M}'’.-]{1,30}){0,4})(?:,| on) \d{1,4}[./-](?:\d|\p{Lu}\p{Ll}{2})/uy,
      { ...PERSON, finder: 'authorName' },
    ],
    'person-beside-number': [
      `dni |nie |pesel|bsn |ssn|cpf|cuil|curp|pan |tfn |passport |nir:|nif|c.f. |codice fiscale|ahv|oib |cnp |
      aadhaar|dob|date of birth|born |geb. |geboren |nata |nato |routing |iban`,
      /(?<=(?<!(?<!\\)[\p{L}'’.-])(\p{Lu}[\p{Ll}\p{M}'’-]{1,30}(?: (?:de|da|van|von|der|di|del|la|\p{Lu}\.)(?= ))?(?: \p{Lu}[\p{L}\p{M}'’-]{1,30}){1,2}),? ?[(:|]?\s{1,2})(?:[dD][nN][iI]|NIE|PESEL|BSN|SSN|[cC][pP][fF]|CUIL|CURP|PAN|TFN|[pP]assport|[nN][iI][rR]:|NIF|C\.F\.|[cC]odice [fF]iscale|AHV|OIB|CNP|[aA]adhaar|[dD][oO][bB]|[dD]ate of [bB]irth|[bB]orn|[gG]eb\.|[gG]eboren|nat[ao]|[rR]outing|IBAN)[ .:#№="']{1,5}(?=[A-Z]{0,6}\d)/uy,
      { ...PERSON, finder: 'personName', kind: 'probable' },
    ],
    'honorific': [
      'mr. |mrs. |ms. |mme |mlle |herr |herrn |frau |mevr. |mevrouw |dhr. |ms |mrs ',
      /(?<!(?<!\\)[\w.-])(?:Mrs?\.|M[rs]s? (?=\p{Lu}[\p{L}'’-]{0,30} \p{Lu})|Ms\.|Mme|Mlle|Herrn?|Frau|[mM]evr\.|[mM]evrouw|[dD]hr\.) ?(?:Dr\. |Prof\. |Dipl\.-Ing\. )?(?<person>\p{Lu}[\p{L}\p{M}'’.-]{0,30} (?:(?:de|da|van|von|der|di|du)(?: |$)){0,2}\p{Lu}[\p{L}\p{M}'’-]{1,30}(?: \p{Lu}[\p{L}\p{M}'’-]{1,30})?)(?![\p{L}])/uy,
      { ...PERSON, finder: 'namedGroups', kind: 'probable' },
    ],
    // In capitals, the English words are part of a heading or a title: `Customer Staging Method`.
    'person-after-role': [
      `customer |patient |tenant |kunde |kundin |patientin |cliente |paciente |klientka |intestata a |intestato a | name is `,
      /(?:customer|patient|Patientin|tenant|Kund(?:e|in)|[cC]liente|[pP]aciente|[kK]lientka|[iI]ntestat[ao] a|(?<=[hH](?:er|is)) name is) (\p{Lu}[\p{Ll}\p{M}'’-]{1,30} \p{Lu}[\p{Ll}\p{M}'’-][\p{L}\p{M}'’-]{1,30})(?=$|[\s"'’\\,;.)])/uy,
      { ...PERSON, finder: 'personName', kind: 'probable' },
    ],
  },
}

/** Labels for a person, in lower case. A colon, an equals sign or a quote follows such a label. */
const LABELS =
  'author|authors|nome|nombre|nom complet|navn|namn|naam|nafn|nimi|nume|nama|nume complet|nome completo|nombre completo|tenant name|customer name|patient name|employee name|client name|holder|cardholder|account holder|account name|tenant|mieter|vermieter|inquilino|mitarbeiterin|kundin|cliente|dest|ime|jmeno|imie i nazwisko|фио|имя|три_имена|ονοματεπώνυμο|họ và tên|coauthor|owner|assignee|assignees|assigned to|reporter|reviewer|reviewers|reviewed by|approver|approved by|creator|created by|updated by|modified by|lastmodifiedby|changed by|written by|maintained by|prepared by|requested by|reported by|submitted by|signed by|opened by|merged by|deployed by|maintainer|maintainers|contributor|contributors|contact|contact person|requester|watchers|notified|escalated to|escalates to|policyholder|policy holder|insured|applicant|beneficiary|consignee|payee|landlord|lessee|candidate|supervisor|emergency contact|next of kin|ship to|bill to|deliver to|adquirente|destinataire|assure|empleado|empleada|tomador|klientka|customer|client|patient|employee|attendees|participants|present|presenter|speaker|organizer|organiser|manager|lead|team lead|engineer|on-call|oncall|recipient|sender|full name|fullname|full_name|display name|displayname|display_name|realname|real_name|real name|username_display|createdby|updatedby|modifiedby|assignedto|requestedby|created_by|updated_by|requested_by|assigned_to|registered owner|autor|autora|verfasser|ersteller|erstellt von|bearbeiter|ansprechpartner|kunde|mitarbeiter|auteur|responsable|contacto|creado por|encargado|revisor|paciente|cliente|autore|responsabile|auteurs|verantwoordelijke|klant|ansvarig|forfatter|autorka|utworzył|klient|szerző|felelős|yazar|sorumlu|penulis|автор|исполнитель|ответственный|отговорник|клиент|сотрудник|відповідальний|συντάκτης|υπεύθυνος|作者|作成者|作成|担当者|担当|承認者|レビュー担当|氏名|负责人|联系人|姓名|审批人|患者|审核|担当 |작성자|담당자|성명|검토자|المؤلف|المُبلِّغ|المُسنَد إليه|المطور|المراجع|نویسنده|بازبین|लेखक'

/** Rules for people after labels in forms, records, comments and JSON. */
export const labelRules: RuleTable = {
  rows: {
    'labelled-person': [LABELS, 'labelledPerson', { ...PERSON, kind: 'probable' }],
  },
}

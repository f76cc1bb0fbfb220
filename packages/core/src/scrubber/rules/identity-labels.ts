import type { RuleTable } from '../engine/rule.ts'
import { PERSON } from './categories.ts'

/** Labels for a person, in lower case. A colon, an equals sign or a quote follows such a label. */
const LABELS =
  'author|authors|nome|nombre|nom complet|navn|namn|naam|nafn|nimi|nume|nama|nume complet|nome completo|nombre completo|tenant name|customer name|patient name|employee name|client name|holder|cardholder|account holder|account name|tenant|mieter|vermieter|inquilino|mitarbeiterin|kundin|cliente|dest|ime|jmeno|imie i nazwisko|фио|имя|три_имена|ονοματεπώνυμο|họ và tên|coauthor|owner|assignee|assignees|assigned to|reporter|reviewer|reviewers|reviewed by|approver|approved by|creator|created by|updated by|modified by|lastmodifiedby|changed by|written by|prepared by|requested by|reported by|submitted by|signed by|opened by|merged by|deployed by|maintainer|maintainers|contributor|contributors|contact|contact person|requester|watchers|notified|escalated to|escalates to|policyholder|policy holder|insured|applicant|beneficiary|consignee|payee|landlord|lessee|candidate|supervisor|emergency contact|next of kin|ship to|bill to|deliver to|adquirente|destinataire|assure|empleado|empleada|tomador|klientka|customer|client|patient|employee|attendees|participants|present|presenter|speaker|organizer|organiser|manager|lead|team lead|engineer|on-call|oncall|recipient|sender|full name|fullname|full_name|display name|displayname|display_name|realname|real_name|real name|username_display|createdby|updatedby|modifiedby|assignedto|requestedby|created_by|updated_by|requested_by|assigned_to|registered owner|autor|autora|verfasser|ersteller|erstellt von|bearbeiter|ansprechpartner|kunde|mitarbeiter|auteur|responsable|contacto|creado por|encargado|revisor|paciente|cliente|autore|responsabile|auteurs|verantwoordelijke|klant|ansvarig|forfatter|autorka|utworzył|klient|szerző|felelős|yazar|sorumlu|penulis|автор|исполнитель|ответственный|отговорник|клиент|сотрудник|відповідальний|συντάκτης|υπεύθυνος|作者|作成者|作成|担当者|担当|承認者|レビュー担当|氏名|负责人|联系人|姓名|审批人|患者|审核|担当 |작성자|담당자|성명|검토자|المؤلف|المُبلِّغ|المُسنَد إليه|المطور|المراجع|نویسنده|بازبین|लेखक'

/** Rules for people after labels in forms, records, comments and JSON. */
export const labelRules: RuleTable = {
  rows: {
    'labelled-person': [LABELS, 'labelledPerson', { ...PERSON, kind: 'probable' }],
  },
}

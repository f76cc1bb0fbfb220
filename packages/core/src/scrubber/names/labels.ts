import { foldName } from './lexicon.ts'

const wordsOf = (list: string): ReadonlySet<string> =>
  new Set(
    list
      .trim()
      .split(/\s+/)
      .map((word) => foldName(word)),
  )

/** Last words of labels whose value is a person, in many languages. */
export const PERSON_LABELS = wordsOf(`
call author coauthor owner assignee assigned reporter reviewer approver creator contact manager lead leader engineer developer
designer signed customer client patient student employee recipient host organizer organiser speaker submitter supervisor
attn attention guardian driver passenger tenant landlord beneficiary buyer seller requester requestor sender operator
technician teacher instructor guest presenter participant attendee representative committer maintainer contributor editor
translator interviewer candidate applicant holder cardholder payer payee signatory witness spouse father mother parent
doctor nurse physician caller consultant architect accountant lawyer coach mentor moderator analyst chair trainee intern
caretaker responder oncall present apologies attendees participants attending anwesend entschuldigt from policyholder surname cardholder beneficiary receiver responsible colleague member fullname handler principal respondent complainant claimant insured
autor autorin verfasser verfasserin verantwortlich verantwortliche verantwortlicher zuständig ansprechpartner
ansprechpartnerin bearbeiter bearbeiterin kunde kundin mitarbeiter mitarbeiterin vorgesetzter vorgesetzte empfänger
empfängerin absender absenderin patientin mieter mieterin vermieter vermieterin vertreter vertreterin sachbearbeiter
sachbearbeiterin leitung leiter leiterin prüfer prüferin kontakt kollege kollegin auftraggeber auftraggeberin teilnehmer
teilnehmerin antragsteller antragstellerin inhaber inhaberin eigentümer nachname besteller bestellerin
auteur autrice responsable interlocuteur interlocutrice destinataire expéditeur expéditrice cliente salarié salariée
rapporteur titularis verzekerde verzekeringnemer versicherungsnehmer kontoinhaber kontoinhaberin halter locataire bénéficiaire titulaire demandeur propriétaire conducteur passager collaborateur collaboratrice
autora empleado empleada destinatario remitente paciente contacto encargado encargada titular solicitante inquilino
propietario revisor trabajador alumno alumna apellidos
responsável funcionário funcionária requerente inquilina aluna proprietário sobrenome
autore responsabile dipendente referente mittente richiedente titolare paziente intestatario inquilina conducente cognome
verantwoordelijke klant medewerker medewerkster contactpersoon afzender ontvanger behandelaar huurder aanvrager eigenaar
författare ansvarig tilldelad kund anställd kontaktperson handläggare mottagare avsändare forfatter ansvarlig tildelt
medarbejder medarbeider sagsbehandler saksbehandler modtager mottaker afsender avsender
autorka odpowiedzialny odpowiedzialna utworzył utworzyła klient klientka pracownik pracownica odbiorca nadawca kontaktowa
zatwierdził zatwierdziła właściciel najemca nazwisko
zodpovědná vytvořil vytvořila upravil upravila přiřazeno zákazník kontaktní osoba schválil schválila příjemce odesílatel
vlastník příjmení
tekijä vastuuhenkilö luonut muokannut asiakas työntekijä yhteyshenkilö vastaanottaja lähettäjä omistaja
szerző felelős létrehozta módosította ügyfél kapcsolattartó címzett feladó tulajdonos jóváhagyta
responsabil angajat angajată destinatar expeditor prenume
yazar sorumlu oluşturan atanan müşteri çalışan alıcı gönderen sahibi yetkili soyad soyadı
penulis jawab pelanggan karyawan penerima pengirim pemilik lengkap giả trách hàng nhận
автор ответственный исполнитель создал создала клиент сотрудник получатель отправитель заказчик покупатель руководитель
менеджер лицо владелец пациент фио відповідальний виконавець отримувач клієнт отговорник одговоран
συντάκτης υπεύθυνος πελάτης ονοματεπώνυμο
担当 担当者 作成者 承認者 氏名 お客様名 负责人 作者 联系人 姓名 客户 审批人 담당자 작성자 고객명 성명`)

/** Labels of the name of somebody or of anything else. */
export const NAME_LABELS = wordsOf(`
name naam namn navn nimi nom nombre nome név jméno imię nume ad adı isim nama tên имя ім'я όνομα 名前 이름`)

/** Last words of labels that say by whom or for whom: `Created by:`, `Erstellt von:`, `Asignado a:`. */
export const LABEL_PREPOSITIONS = wordsOf('by von par por da door av af przez oleh bởi od для від från aan a do')

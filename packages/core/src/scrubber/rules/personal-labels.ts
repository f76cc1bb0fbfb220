import type { Condition } from '../engine/rule.ts'

/** The kind of a personal value, which the name of a field or a column indicates. */
export type PersonalKind =
  | 'name'
  | 'easternName'
  | 'phone'
  | 'birth'
  | 'nationalId'
  | 'account'
  | 'passport'
  | 'licence'
  | 'record'
  | 'booking'
  | 'handle'
  | 'accessCode'
  | 'cardCode'
  | 'cardExpiry'
  | 'plate'
  | 'postcode'
  | 'town'
  | 'vin'
  | 'device'
  | 'serial'
  | 'coordinate'

/**
 * One kind of value, with the beginnings of its labels. `_` separates two words: `fecha_nac` matches `fecha de
 * nacimiento`. Labels of up to four letters, and labels with a `$`, must be whole words. Labels with a colon are
 * searched only where punctuation follows, because many words begin with these letters. A label with `#` at the end
 * means four labels, with `n`, `id`, `ref` and `code` instead of `#`.
 */
interface PersonalData {
  readonly category: string
  readonly placeholder: string
  /** Common English words. They are labels only next to a word for a number or for the owner. */
  readonly labels: string
  /** Words of any language that are labels without another word. */
  readonly otherLabels?: string
  /** English labels that indicate a value, also after any words for the owner of the value. */
  readonly ownedLabels?: string
  /** The source of a bounded regular expression. It is case-sensitive, except for dates. */
  readonly shape: string
  /** An additional condition: a range, a number of digits. */
  readonly valid?: Condition
}

/** A repeated group of digits, or digits in ascending order. */
const TRIVIAL = /^(\D*\d)\1+$|^\D*(\d)(?:\D?\2)+$|^0?1234567/
/** Excludes dates, versions, object identifiers, amounts and scores such as `7.0/10`. */
const NO_DATE: Condition = {
  not: /^\d{4}[-/.]\d\d?[-/.]\d\d?(?:T\d\d)?$|^\d{1,3}\.\d{4,}$|^\d+\.\d\d$|^\d\d?[-/.]\d\d?[-/.]\d{4}$|^\d{1,3}(?:\.\d{1,2}){1,3}(?:\+\d+)?$|^\d{1,3}(?:\.\d{1,3}){3}$|^\d+(?:\.\d+){4,}$|^\d\d?\.\d\/10{1,2}$|^(?:US|R|S|USD|EUR|GBP|CHF|CAD|AUD|BRL|ARS|CLP|COP|MXN|PEN|PYG|UYU|PLN|CZK|SEK|NOK|DKK|RUB|INR|CNY|JPY)\$? ?\d{1,3}(?:[.,]\d{3})*(?:[.,]\d\d)?$/,
}
/**
 * Excludes names of chips, series of names with one prefix, ranges, shares, and literals of code: `ESP32`, `D7/D8/D9`,
 * `15-20C`, `722/722`, `4000000UL`.
 */
const NO_PART: Condition = {
  not: /^(?:ESP|STM|RP|SAMD|NRF|PN|BME|DHT|LPC|MSP|GPIO|ATMEGA|ATTINY|RTX|GTX|UTF|SHA|IPV)-?\d|^([A-Z]+)\d+(?:\/\1\d+)+$|^\d+[KMGT]B?$|^\d{1,3}\/\d{1,3}$|^\d{1,3}-\d{1,3}[CF]$|^\d+U?L{1,2}$/i,
}
const NUMBER: Condition = [NO_DATE, NO_PART, { not: TRIVIAL }]
/** Excludes times in milliseconds since 1970, from which programs make ids. */
const NO_TIME: Condition = { not: /^1[5-9]\d{11}$/ }

/** Groups of capital letters and digits. Each group except the first contains a digit. */
const CODE =
  '(?:\\p{Lu}\\p{L}{0,4}-|\\p{Lu}{1,5}[ +./-]{1,2})?\\p{Lu}{0,8}\\d[\\dA-Z]{0,21}(?:(?:[ +./-]|[/-] | [/-] ?)(?:[A-Z]{1,4}[ ./-])?[A-Z]{0,3}\\d[\\dA-Z]{0,12}){0,8}(?:[ -][A-Z]{1,2}|[A-Z]{2}|\\([\\dA]\\))?'

/** The first letters of months in English, German, French, Spanish, Italian, Portuguese and Dutch. */
const MONTH =
  '(?:jan|f[eé]v|feb|m[aä]r|maa|apr|avr|abr|ma[yijg]|jun|juin|giu|jul|juil|lug|aug|ago|ao[uû]|sep|set|oct|okt|ott|out|nov|de[czs]|d[eé]c|dic|gen|ene)[a-zäéûç]{0,8}'
/** A date, in any letter case. */
export const DATE = `\\d{4}(?:[-/.] ?| )\\d{1,2}(?:[-/.] ?| )\\d{1,2}(?:[T ]00:00[:0-9.Z]{0,12})?|\\d{1,2}(?:[-/.] ?| )\\d{1,2}(?:[-/.] ?| )\\d{4}|\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{2}|${MONTH}\\.? \\d{1,2}(?:st|nd|rd|th)?,? \\d{4}|\\d{1,2}(?:st|nd|rd|th)?\\.? ?(?:of |de )?[\\p{L}\\p{M}]{3,12}\\.?,?(?: de)? \\d{4}|\\d{1,2}[- ]?${MONTH}\\.?[- ]?(?:\\d{4}|\\d{2})|(?:明治|大正|昭和|平成|令和|[MTSHR])\\d{1,2}[年.] ?\\d{1,2}[月.] ?\\d{1,2}日?|\\d{4}[年년] ?\\d{1,2}[月월] ?\\d{1,2}[日일]?|(?:19|20)\\d\\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])|(?:0[1-9]|[12]\\d|3[01])(?:0[1-9]|1[0-2])(?:19|20)\\d\\d`

/**
 * Words of East Asia that a form, a table or a catalog has in place of a name: their beginnings (required, unknown,
 * project), and endings that make a word for a role.
 */
export const NO_EASTERN_NAME =
  /^(?:概要|備考|内容|目的|対象|方法|結果|背景|説明|文件|路径|目录|变量|函数|字段|标题|状态|类型|이렇게|이름|파일|未(?:知|定|设|設|記|填|登|入|回|使)|空(?:$|白|值)|[无無]|測試|测试|用户|名称|患者|客户|作者|なし|不(?:明|要|可|能|详|詳)|省略|匿名|同上|全(?:角|部|员|員)|半角|文字|字符|字段|必|任意|選択|选|可(?:选|空|为)|待|最(?:多|少|大|小|長|长)|请|請|输入|入力|例(?:$|如|:)|.{1,3}名$|없음|테스트|작성자|담당자|연락처|직책|고객|환자|미정|미상|필수|선택|익명|입력|所有|[负負][责責]|项目|專案|介[绍紹]|[职職])|^.{1,5}[者员員给給]$|^[一-龥々]{6}|[ぁ-ん][一-龥]/

const UUID = '[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}'

/** The properties of each kind. To add a kind, add a row. If two rows match a label, the first row applies. */
export const personalData: Readonly<Record<PersonalKind, PersonalData>> = {
  name: {
    category: 'person',
    placeholder: 'PERSON',
    labels: 'cardholder card_holder name_on_card account_holder policy_holder',
    otherLabels: `karteninh kontoinh zahlungspflichtig versicherungsnehm titular titulaire intestat favorecido imię_i imię_nazw imie_nazw nombre_comp nome_comp nom_comp namn$ navn$ naam$ kontoinneh ad_soyad adı_soyadı jméno_a nama_lengkap
      họ_và фио піб име_и ονοματεπώνυμο 姓名 氏名 名前 이름 성명 성함 고객명 xingming שם_מלא الاسم ชื่อ`,
    shape:
      "\\p{sc=Han}{1,6}(?: \\p{sc=Han}{1,4})?|[가-힣]{2,5}|[\\p{sc=Hebr}\\p{sc=Arab}\\p{sc=Thai}]{2,24}(?: [\\p{sc=Hebr}\\p{sc=Arab}\\p{sc=Thai}]{2,24}){1,4}|\\p{Lu}[\\p{L}\\p{M}'’-]{1,30}(?:[ +](?:d[aeiu]|del|van|von|el|al)){0,2}(?:[ +]\\p{Lu}[\\p{L}\\p{M}'’.-]{1,30}){1,3}",
    valid: { not: NO_EASTERN_NAME },
  },
  easternName: {
    category: 'person',
    placeholder: 'PERSON',
    labels: 'patient author customer recipient reviewer employee assignee contact_name applicant',
    otherLabels: 'フリガナ 口座名義 患者 病人 联系人 收件人 客户 员工 作者 担当者 依頼者 환자 고객 담당자',
    shape:
      '[\\p{sc=Han}々]{1,4}[ 　][\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}々ー]{1,5}|[\\p{sc=Han}々]{2,4}|[\\p{sc=Kana}ー・]{2,12}[ 　][\\p{sc=Kana}ー・]{2,12}|[\\p{sc=Kana}ー・]{3,12}|[가-힣]{2,4}',
    valid: { not: NO_EASTERN_NAME },
  },
  nationalId: {
    category: 'government_id',
    placeholder: 'NATIONAL_ID',
    labels: `gov_id vat vat_n vat_id tax_id tax_ref tax_file taxpayer_id personal_id id_num id_card nhs medicare health_card health_num ohip medical_aid utr unique_tax nin: uen abn acn ein: fein employer_id provider_id tfn ppsn ird_num
      hkid nric bvn voter emirates_id philhealth ghana_card sss_n nhi nhi_n ird pps_n epic_n cnic_n nic_n nid_n nid nic ic_n tin sa_id south_african_id kra_pin iqama id_no snils iin$ tin_n tax_n sin_n health_plan_id
      tax_identif ni_n nhs_n citizen_id citizen_n resident_id resident_n residence_permit id_doc ss_n nss nat_ins alien_reg uscis sin: pesel_n personal_code tax_payer`,
    otherLabels: `sozialvers steuerliche ust_id umsatzsteuer partita_iva versicherungsnum versicherten rentenvers svnr sv_nr sv_num avs$ rvnr steuer_id steueri steuernum steuer_n st_nr idnr id_nr ahv personalausw ausweisn ausweis_n kvnr
      sécurité_soc num_secu no_secu numéro_fiscal n_fiscal spi$ contribuinte cartão_de_cid carte_identit carte_nationale carte_d_identit n_cni cni$ nie$ niss$ numéro_national documento$ n_documento número_de_documento inn$ ahvn13
      n_de_contribuinte dni curp rg: nss imss nuss$ naf$ rut: ruc: ruc$ nit: pis nip egn nif: siret siren identidade seguridad_soc seguro_social cédula documento_de_id c_i$ c_c$ cuit cuil cpf cnpj codice_fisc cod_fisc c_f$
      carta_identit carta_d_identit tessera_san bsn burgerserv sofin rijksreg insz gesundheitsk matricule cpr personnummer personnr pnr: fødselsn fnr hetu henkilöt kennitala kt: isikuk personas_k p_k$ asmens_k a_k$ pesel dowodu
      dowód_os rodné_č rodne_c r_č$ rč$ občansk obcansk poistenca číslo_op cnp cod_numeric serie_ci oib osobni_ident jmbg emšo taj_sz taj$ adóazonos személyi_ig szem_ig tckn tc_kim tc_no kimlik aadhaar uidai pan_card nik ktp npwp
      cccd cmnd căn_cước mykad kad_pengen cnic amka afm egn personal_code инн жсн снилс иин егн јмбг лична_карта рнокпп іпн αμκα αφμ α_φ_μ ταυτότητας rnokpp ідентифікаційн זהות ת_ז teudat הוית الهوية الإقامة القومي الوطني کد_ملی マイナンバー 個人番号 身份证 身分證
      身份證 健保卡 shenfenz 주민등록 주민번호 주민_등록 외국인등록 ประชาชน आधार kv_n kvn rv_n versicherungsn insee p_iva lanr arztnum egk_n rrn tnin`,
    ownedLabels: `ssn social_sec soc_sec national_id national_insur nino identity_num identity_card identity_doc npi mbi medicare_ben national_ident social_insurance government_id`,
    shape: CODE,
    valid: [/(?:[\p{Lu}\d][^\p{Lu}\d]*){7}/u, /(?:\d\D*){4}/, NUMBER],
  },
  passport: {
    category: 'government_id',
    placeholder: 'PASSPORT',
    labels: 'passport pass_num travel_doc visa_n',
    otherLabels: `reisepass passeport pasaport passaport paspoort paszport cestovní_pas útlevél passi passin passnum passnr pass_nr pass_num n_passeport numéro_de_passeport загранп паспорт пасош 护照 護照 パスポート 旅券 여권 דרכון جواز เดินทาง`,
    ownedLabels: `passport_n`,
    shape: CODE,
    valid: [/.{6}/, /(?:\d\D*){3}/, NUMBER],
  },
  licence: {
    category: 'government_id',
    placeholder: 'DRIVER_LICENSE',
    labels: 'license licence driving_permit license_n licence_n dl_n',
    otherLabels: `führersch fuehrersch permis_de_c permis$ permiso_cond permiso_de_cond licencia_de_cond licencia_cond carnet_cond carnet_de_cond cnh carteira_de_hab carta_de_cond numéro_de_permis n_de_permis n_permis patente_di patente$
      numero_patente führerscheinn patente_gui rijbew prawo_jazdy prawa_jazdy körkort førerkort ajokort ehliyet водител посвідчення 驾驶证 運転免許 운전면허 licencia$ fahrerlaubnis`,
    ownedLabels: `driver_l drivers_l driver_s_l driving_l`,
    shape: CODE,
    valid: [/.{6}/, /(?:\d\D*){4}/, NUMBER],
  },
  plate: {
    category: 'record_number',
    placeholder: 'LICENSE_PLATE',
    labels:
      'number_pl plate reg: reg_plate vehicle_reg car_reg vehicle_n vehicle registration reg_no rego reg$ vrm vehicle_tag tag_n license_tag own_vehicle',
    otherLabels: `kennz kfz autokennz kontrollsch immatric plaque matrícula placa$ placas patente$ targa kenteken nummerpl rekisterin rekisteri registreringsn regnr regnum registrační rejestrac spz rendszám plaka гос_номер госномер
      номер_машины номерной номерний 车牌 車牌 車両番号 登録番号 ナンバー 차량번호 차번호 no_plat nr_rej rejestracja nomor_polisi biển_số ทะเบียน κυκλοφορίας 牌照 kennzeichen`,
    ownedLabels: `license_pl licence_pl plate_n`,
    // Excludes colours: `icon plate, #E5383B`.
    shape: '(?!(?<=#)[\\dA-F]{6}(?![\\p{L}\\d]))[\\p{Lu}\\p{Lo}\\d]{1,4}(?:[ +·.-]?[\\p{Lu}\\p{Lo}\\d]{1,5}){1,3}',
    // Excludes a range of numbers: `T026-T031`.
    valid: [/\d.*\d/, /[\p{Lu}\p{Lo}]/u, /.{5}/, NO_DATE, NO_PART, { not: /^(\p{Lu}+)\d+-\1\d+$/u }],
  },
  account: {
    category: 'bank_account',
    placeholder: 'BANK_ACCOUNT',
    labels: 'bank_acc ifsc acct acc_n a_c_no a_c_n a_c$ routing aba aba_n bsb transit_n rtn payout_acc',
    otherLabels: `kontonum kontonr konto$ bankverb kto_nr kto$ ccc$ rib$ coordonnées_banc compte cuenta cbu cvu clabe conta: conta$ número_da_conta conto conto_corr rekening tegenrek rachun konta číslo_účtu cislo_uctu č_účtu bankszámla tilinum
      hesap akaun tài_khoản расч_счет расчетный расчётный лицевой р_с$ счет счёт рахун 口座 银行卡 账号 帳號 계좌 บัญชี 账户 帐号`,
    ownedLabels: `iban account_num account_no sort_code sortcode routing_n deposit_acc savings_acc checking_acc current_acc mortgage_acc`,
    shape: CODE,
    valid: [/(?:\d\D*){6}/, NUMBER],
  },
  record: {
    category: 'record_number',
    placeholder: 'RECORD_NUMBER',
    labels: `hospital_n hosp_n claim_n frequent_fl loyalty_card known_trav client_n loan_acc account_id chart_n matriculation university_id docket_n police_report meter_n electricity_meter gas_meter ktn miles_more mpan smart_meter
      group_n booking_ref e_ticket eticket mprn med_rec matric_n enrol enrollment_n roll_n admission_n patient_# member_# membership_# policy_# policyholder_# payroll_# staff_# customer_# cust_# loan_# mortgage_# insurance_#
      personnel_# subscriber_# pupil_# learner_# insured_# loyalty_# badge_# beneficiary_# account_holder_#`,
    otherLabels: `vielflieg kundennum kundennr kunden_nr kd_nr kundenn vertragsn mitgliedsn mitglieds_nr mitarbeitern pers_nr zählern numéro_client numéro_de_client n_client référence_client policen police_nr numéro_de_pol n_de_police n_police
      numéro_d_adhérent numéro_de_contrat n_de_contrat póliza versicherungssch patientenn fallnum fallnr personalnum personal_nr matrikeln matrikel_nr matr_nr matricule$ numéro_de_matr número_de_matr expediente legajo vers_nr
      adherent adhérent número_de_socio número_de_cliente n_de_cliente codice_cliente numero_cliente numero_tessera klantn lidnum relatien numer_klienta nr_klienta numer_polisy polisn polisy nokartu no_kartu digicode türcode
      code_porte code_portail schadenn schaden_n медкарт полис 病历 会員番号 診察券 保険証 工号 kundenid kunden_id mitarbeiter_id mitarbeiter_n versicherungs_n krankenkassenn policen_n vertrags_n`,
    ownedLabels: `mrn medical_rec employee_# emp_# student_#`,
    shape: CODE,
    valid: [/.{5}/, /(?:\d\D*){4}/, NUMBER, NO_TIME],
  },
  booking: {
    category: 'record_number',
    placeholder: 'BOOKING_REFERENCE',
    labels:
      'booking_ref booking_code booking_id booking_n reservation reservation_n reservation_id reservation_code confirmation_n confirmation_code record_loc pnr rloc',
    otherLabels:
      'buchungsn buchungsc vorgangsn reservierungsn numéro_de_réserv código_de_reserva localizador codice_prenot prenotazione boekingsn reserveringsn numer_rezerw 预订号 予約番号 예약번호',
    shape: '(?=[A-Z]{0,7}\\d)[A-Z\\d]{5,10}(?:-[A-Z\\d]{2,6})?',
    valid: [NO_DATE, NO_PART],
  },
  handle: {
    category: 'user_name',
    placeholder: 'USER',
    labels: `telegram tg$ tg_handle instagram insta ig$ twitter tiktok mastodon threads_handle snapchat snap$ skype discord steam_id line_id wechat wechat_id signal_user xing reddit_user x_handle screen_name`,
    shape: '@[A-Za-z][\\w.]{2,30}|[A-Za-z]\\w{1,24}(?:\\.\\w{1,20}){0,2}(?:#\\d{4})?',
    valid: [
      {
        not: /^@?(?:handle|user|username|your|example|name|me|here|media|types|import|charset|param|latest|live)(?![a-z]{3})|\.(?:js|ts|py|com|org|net|io|json|html?|md|css|me|gg|tv|get|name|id|value)$/i,
      },
      { any: [/^@.{4}/, [/^[^@].{5}/, /[A-Za-z].*\d/]] },
    ],
  },
  accessCode: {
    category: 'record_number',
    placeholder: 'ACCESS_CODE',
    labels: 'door_code gate_code alarm_code access_code entry_code keypad_code lockbox_code',
    otherLabels: 'digicode türcode code_porte code_portail',
    shape: '#?\\d{4,8}[#*]?',
  },
  cardCode: {
    category: 'card',
    placeholder: 'CARD_DETAIL',
    labels: 'cvv cvv2 cvc cvc2 card_verification card_security_code security_code',
    otherLabels: 'prüfziffer_karte código_de_seguridad codice_di_sicurezza',
    shape: '\\d{3,4}',
    valid: { not: /^(?:1234?|(\d)\1+)$/ },
  },
  cardExpiry: {
    category: 'card',
    placeholder: 'CARD_DETAIL',
    labels: 'valid_thru card_exp exp_date cc_exp',
    shape: '(?:0[1-9]|1[0-2]) ?/ ?(?:20)?[2-4]\\d(?!/)',
  },
  birth: {
    category: 'date_of_birth',
    placeholder: 'DATE_OF_BIRTH',
    labels: 'birth birthday birth_d bday born',
    otherLabels: `geburtsd geburtst geboren geb naissance nacimiento nacido nacida nascido nascida nato nata letett syntyny ne_le nee_le f_nac fecha_nac nascimento nascita geboorted nasc$ f_nacimiento data_di_n data_ur ur$ fødselsd fødd
      fødselsdag födelsed syntymä urodz narozen narodenia rođen rojstva született születési_i születési_d data_narod nașterii nasterii doğum dogum dzimšan gimimo sünni lahir sinh$ fæðing рожд народж родил γέννησης לידה الميلاد 生年月日 誕生日 出生 生日 생년월일 생일
      เกิด fecha_de_nac ddn$`,
    ownedLabels: `dob d_o_b date_of_b birthdate birth_date`,
    shape: DATE,
    valid: 'birthDate',
  },
  phone: {
    category: 'phone',
    placeholder: 'PHONE',
    labels:
      'phone telephone tel mob ph$ contact_n mobile cell cellphone landline fax whatsapp hp_no my_number msisdn wa_id',
    otherLabels: `telefon téléphone tél$ fone$ telf$ telef contacto$ recapito_tel komórka komorka cell$ handy mobiltel mobilnum mobilfunk mobil$ festnetz rufnummer móvil celular fono telemóvel cel: cellulare telefoon mobiel gsm puhelin
      matkapuh komórk mobilni mobitel cep_tel telepon no_hp nomor_hp điện_thoại sđt sdt símanúmer телеф моб мобил тел τηλέφωνο κινητό טלפון נייד هاتف جوال 電話 携帯 手机 手機 shouji 电话 전화 휴대 연락처 โทรศัพท์ फोन contato$`,
    shape: '\\+?\\(?\\+?\\d[\\d +()./-]{4,22}\\d(?: ?(?:x|ext\\.? ?)\\d{1,6})?',
    valid: [/(?:\d\D*){6}/, NUMBER, NO_TIME, { not: /(?:\d\D*){16}|\d\.\d{1,2}\.\d/ }],
  },
  postcode: {
    category: 'street_address',
    placeholder: 'POSTCODE',
    labels: 'postcode post_code postal_c postal zip zip_c zipcode eircode',
    otherLabels:
      'plz postleitz code_post código_post c_p$ cep codice_post postnum postinum kod_poczt psč psc irányító cod_postal posta_kodu индекс 郵便番号 邮编 邮政编码 우편번호',
    shape:
      '[A-Z]{1,2}\\d[A-Z\\d]? ?\\d[A-Z]{2}|[A-Z]\\d[A-Z] ?\\d[A-Z]\\d|[A-Z]\\d\\d ?[A-Z\\d]{4}|\\d{4} ?[A-Z]{2}|〒?\\d{3}-\\d{4}|\\d{2}-\\d{3}|\\d{3} \\d{2}|\\d{5}-\\d{3,4}|[A-Z]{2}-\\d{4,5}|\\d{4,7}',
    valid: [/\d/, /.{4}/, { not: /^(.)\1+$/ }],
  },
  vin: {
    category: 'device_id',
    placeholder: 'VIN',
    labels: 'vehicle_ident chassis_n',
    otherLabels: `fahrgestell chassis$ châssis telaio bastidor fin:`,
    ownedLabels: `vin`,
    shape: '[A-HJ-NPR-Z0-9]{17}',
    valid: [/(?:\d\D*){4}/, { not: TRIVIAL }, /[A-Z]/],
  },
  device: {
    category: 'device_id',
    placeholder: 'DEVICE_ID',
    labels:
      'sim_n sim_card sim_serial sim$ udid idfa idfv gaid aaid adid advertising advertising_id android_id device_id meid',
    ownedLabels: `imei iccid imsi`,
    shape: `89\\d{16,18}[\\dA-F]?|\\d{14,15}|${UUID}|[0-9A-F]{8}-[0-9A-F]{16}|[0-9a-f]{40}|[0-9a-f]{16}|[0-9A-F]{14}`,
    valid: { not: /^(?:0+|1+)[-0]*$|^0{8}-0{4}/ },
  },
  serial: {
    category: 'device_id',
    placeholder: 'SERIAL_NUMBER',
    labels: 'serial s_n service_tag serialn serialno',
    otherLabels: `seriennummer numéro_de_série número_de_serie numero_di_serie`,
    ownedLabels: `serial_n`,
    shape: '[A-Z0-9]{7,16}',
    valid: [/\d.*\d/, /[A-Z]/, { not: /^[A-F0-9]{16}$/ }],
  },
  coordinate: {
    category: 'coordinates',
    placeholder: 'COORDINATES',
    labels: 'lat lng lon latitude longitude gps coordinate coordinates coords latlng home_location gps_pos gps_loc',
    shape: '[-+]?\\d{1,3}\\.\\d{4,16}(?:, ?[-+]?\\d{1,3}\\.\\d{4,16})?',
    // Excludes tolerances (`LON_EPSILON = 0.0001`) and the constants pi and e.
    valid: [/^[-+]?(?:0\.(?:0[1-9]|[1-9])|[1-9]\d?\.|1[0-7]\d\.)/, { not: /^(?:3\.1415|2\.7182)/ }],
  },
  town: {
    category: 'street_address',
    placeholder: 'POSTCODE',
    labels: 'postcode_town zip_city city town adr_line addr_line',
    otherLabels: `ort: stadt$ ville$ ciudad cidade comune$ plaats$ stad$ miasto$ město$ wohnort plz_ort plz_und_ort plz_wohn cp_ville localidad localité località woonplaats postcode_plaats postcode_en_pl poststed postnr_by postort postitoim
      miejscow kod_i_miasto`,
    shape: "(?:[A-Z]{1,2}-)?\\d{2}[\\d-]{2,4}(?: ?[A-Z]{2})? \\p{Lu}[\\p{L}.’'/() -]{1,40}[\\p{L})]",
  },
}

/** Words that a label may also contain: words for a number, and for the owner of the value. */
export const NEUTRAL = new Set(
  'record group operator registration number numbers numero num nr no nos n o id ids date day code cards card holder home work customer cust client user patient employee emp contact person personal primary private secondary emergency member passenger applicant guest parent mother father spouse student driver my your his her their the is of on de and book document doc string str value current new uk us office evening line registered main full s account insurance health medical bank vehicle set get with old field no1 no2 user1 person1 verified last daytime night business direct reg plan username eu own membership nr1 reference ref social security tax payer taxpayer national state policy policyholder insured subscriber beneficiary x dt identifier identification identity ident sim device wifi provider payee checking savings recipient sender billing shipping delivery permanent residence test seed gps known latest start end pickup dropoff origin destination guardian tenant landlord caller agent doctor physician nurse child kin next alt alternate alternative other sms relative partner wife husband son daughter teacher manager supervisor seller buyer shipper courier rider lead candidate debtor borrower resident owner car phone laptop asset branch pos position correspondence residential'.split(
    ' ',
  ),
)
/**
 * Words of labels that announce a thing or a place, in the languages of most records. The name of a company, a product or a
 * town has the form of a person's name.
 */
export const THINGS = new Set(
  `product products company brand item items plan bank branch city town street address country state province region
  district county area dept department division unit title subject position job role status school university college
  course class hospital clinic ward insurer insurance provider carrier model make car vehicle color colour type kind
  category group team project service description note notes comment comments reason error message diagnosis diagnose
  medication drug allergy allergies procedure treatment language nationality religion occupation profession place
  birthplace org organisation organization employer merchant vendor shop store seller currency method channel
  campaign source file path host server device location venue event package policy coverage tariff rate size topic
  label tag tags level stage grade rank result action summary issue symptom remark remarks branchname filename stadt
  ort straße strasse firma beruf abteilung krankenkasse versicherung produkt artikel bezeichnung beschreibung grund
  land sprache tarif station fach ville rue métier entreprise société pays produit motif objet banque poste langue
  ciudad calle empresa ocupación producto país banco puesto motivo provincia población cargo città via azienda
  prodotto paese banca reparto professione miasto ulica stanowisko kraj opis dział město ulice obec povolání výrobek
  pojišťovna oddělení şehir il ilçe meslek ürün adres banka bölüm cidade rua bairro profissão produto plano stad
  straat woonplaats beroep bedrijf by adresse yrke gate vej stilling kaupunki ammatti katu tuote város utca
  foglalkozás munkahely osztály termék oraș strada profesie grad zanimanje город улица должность профессия компания
  банк товар тариф отдел місто вулиця посада компанія πόλη οδός επάγγελμα προϊόν κάλυψη`.split(/\s+/),
)

/** Words that give a label a technical meaning. A label with such a word does not indicate a personal value. */
export const TECHNICAL =
  /(?:^|_)(?:hash|hashed|count|len|length|size|format|regex|pattern|index|limit|types?|model|version|fields?|label|column|errors?|prefix|width|height|offset|time|timestamp|ms|js|mask|digits|max|min|url|host|port|color|colour)(?:_|$)/

/** Letters that Unicode does not decompose into a letter and an accent, with the letters that replace them. */
export const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  ı: 'i',
  đ: 'd',
  æ: 'ae',
  œ: 'oe',
  ð: 'd',
}

/** A line break, which may be escaped. */
const BREAK = String.raw`(?:\r?\n|(?:\\{1,4}r)?\\{1,4}n)`

/**
 * The text between the name of a field and its value, for each layout. Each regular expression is bounded, and at most
 * six more punctuation marks may precede the value.
 */
const LAYOUTS = [
  // The name on a separate line (`*Phone:*` or `Phone`), a part of a multipart form, or numbered lines of Redis.
  String.raw`${BREAK} {0,3}\d{1,3}\) {0,2}`,
  String.raw`[.:]?\*{0,2}${BREAK}{1,2}(?![^\n]{0,40}:)`,
  // A dump of PHP: `["phone"]=>`, then a line with type and length.
  String.raw`=>\s{0,8}(?:string|int|float)\((?:\d{1,5}\) ?)?`,
  // A value with its type in an inner object (`"phone": {"S": "..."}`), or a value in the next field (`"name": "phone",
  // "value": "..."`).
  String.raw`:\s?\{\s{0,8}\\{0,3}["'](?:number|no|id|value|n[uú]mero|S|N|text|raw|stringValue)\\{0,3}["']:\s?`,
  String.raw`\s{0,4}\}?,\s{0,12}(?:\\{0,3}"(?:type|kind|code|required|format)\\{0,3}"\s?:\s?\\{0,3}"?[\w -]{0,16}\\{0,3}"?,\s{0,12})?\\{0,3}"(?:value\w{0,10}|val|answer|text|content|data|response|v)\\{0,3}"\s?:\s?\[?`,
  // Operators of programming languages.
  String.raw`[ \t]{0,8}[#№]?(?::=|={2,3}|=>|->|\|>|[:=：>#№|│])[ \t]{0,8}(?:(?:Some|Optional|Just)\()?`,
  // Columns and dotted lines of a form, or a dash.
  String.raw` {2,40}|\t{1,4}| [–—-] | ?\.{2,40} ?`,
  // An element inside the element that contains the name, and an element after that element.
  String.raw`[^<>\n"']{0,24}>\s{0,8}(?:<\w{1,12}[^<>\n]{0,40}>\s{0,8}){1,2}`,
  String.raw`(?:<\/\w{1,8}>\s{0,8}){1,2}(?:<\w{1,8}[^<>\n]{0,60}>\s{0,8}){1,3}`,
  // `setPhone("...")`, `expect(user.phone).toBe("...")`, `assertEquals(user.getPhone(), "...")`, an input of a form, and
  // a quoted value after its name.
  String.raw`(?:\.\w{2,20}(?: eq)?)?\((?=["'])|(?:\(\))?, (?=["'])| (?:(?:\w{1,12}=["'][\w -]{0,30}["'] ){0,2}value=(?=["'])|(?=["'\x60«“]))`,
  String.raw` (?:is|was|ist|lautet|war|es|est|era|è|é|er|är|on|je|jest)[: ] ?`,
  '[は于是为為]',
]

/** The source of a regular expression for the text between the name of a field and its value. */
export const JOIN = String.raw`["'\x60*\\\])」]{0,4}(?:${LAYOUTS.join('|')})["'\x60*\\[(「« ]{0,6}`

import { pushIdentity } from '../detectors/identity/learned-identity.ts'
import type { Finding } from '../engine/rule.ts'

/**
 * People and companies in scripts without capital letters: by the words that introduce them, by titles behind them and,
 * in Chinese, Japanese and Korean, by their surnames.
 */
interface Script {
  /** What a text of this script has. */
  readonly letters: RegExp
  /** The name is the group `name`, `name2` and so on, a company `company`. */
  readonly patterns: readonly RegExp[]
  /** What is written like a name and is none. */
  readonly not?: RegExp
}

const all = (...sources: readonly string[]): RegExp[] => sources.map((source) => new RegExp(source, 'gu'))

const HAN = String.raw`\p{sc=Han}`
const KANA_END = String.raw`(?![\p{sc=Han}])`
const JAPANESE_SURNAMES = `佐藤|鈴木|高橋|田中|伊藤|渡辺|山本|中村|小林|加藤|吉田|山田|佐々木|山口|松本|井上|木村|斎藤|清水|山崎|池田|橋本|阿部|石川|山下|中島|石井|小川|前田|岡田|長谷川|藤田|後藤|近藤|村上|遠藤|青木|坂本|斉藤|福田|太田|西村|藤井|金子|岡本|藤原|中野|三浦|原田|中川|松田|竹内|小野|田村|中山|和田|石田|森田|上田|内田|柴田|酒井|宮崎|横山|高木|安藤|宮本|大野|小島|谷口|工藤|今井|高田|増田|丸山|杉山|村田|大塚|新井|小山|平野|藤本|河野|上野|野口|武田|松井|千葉|岩崎|菅原|木下|久保|佐野|野村|松尾|市川|菊地|杉本|古川|大西|島田|水野|桜井|高野|渡部|吉川|山内|西田|飯田|菊池|西川|小松|北村|安田|五十嵐|川口|平田|中田|久保田|服部|岩田|土屋|川崎|福島|本田|樋口|秋山|田口|永井|山中|中西|吉村|川上|石原|大橋|松岡|馬場|浜田|森本|星野|矢野|浅野|大久保|吉岡|藤堂|早川|片山|荒木|三宅|黒田|堀江|石橋|白石|望月|熊谷|小池|内藤|大島|須藤|松下|西山|成田|川村|本間|小田|平井|榎本|栗原|富田|奥村|桑原|神谷|関口|横田|秋元|桐生|榊原|結城|相馬|橘`
const JAPANESE = `(?:(?:${JAPANESE_SURNAMES})(?:[ 　]?[${'\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}'}]{1,3}?)?)`
const CHINESE_SURNAMES =
  '欧阳|諸葛|诸葛|司马|上官|夏侯|皇甫|尉迟|公孙|慕容|令狐|端木|[王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林高罗羅郑鄭梁谢謝宋唐许許韩韓邓鄧冯馮曹彭曾肖蕭田董潘袁蔡蒋蔣余于杜叶葉程魏苏蘇吕呂丁任卢盧姚沈钟鍾姜崔谭譚陆陸范汪廖石金韦贾夏付方邹熊白孟秦邱侯江尹薛闫雷龙黎史陶贺顾毛郝龚邵万覃武钱戴严莫孔向汤]'
const CHINESE = `(?:${CHINESE_SURNAMES})${HAN}{1,2}`
const CHINESE_END =
  '(?=$|[^\\p{sc=Han}]|说|說|要求|确认|反馈|负责|先生|女士|小姐|老师|经理|在|给|让|把|会|也|已|来|去|今|昨|明|是|想|需|提|发|的)'
const KOREAN =
  '(?:남궁|황보|제갈|사공|선우|독고|[김이박최정강조윤장임배한오서신권황안송류전홍고문양손백허유남심노하곽성차주우구민진지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모])[가-힣]{2}'
const KOREAN_TITLES =
  '팀장|부장|과장|차장|대리|사원|주임|이사|상무|전무|사장|대표|교수|선생|박사|매니저|책임|선임|수석|원장|실장|본부장'
const ARABIC = '(?:عبد |أبو |ابن |بن )?[\\p{sc=Arabic}]{2,14} (?:عبد |بن |آل )?[\\p{sc=Arabic}]{3,16}'
const HEBREW = '[\\u05d0-\\u05ea]{2,12} [\\u05d0-\\u05ea\\u05be-]{2,16}'
const DEVANAGARI =
  '(?!ने |को |से |का |की |के |है |में |और )[\\u0900-\\u0963]{2,16} (?!ने |को |से |का |की |के |है|में |और )[\\u0900-\\u0963]{2,20}'
const THAI = '[\\u0e01-\\u0e4e]{2,16} [\\u0e01-\\u0e4e]{2,20}'

const SCRIPTS: readonly Script[] = [
  {
    letters: /[\u3040-\u30ff]|担当|氏名|作成者|承認者/,
    patterns: all(
      `(?<!${HAN})(?<name>${HAN}{1,3}[ 　]?${HAN}{1,3})さん${KANA_END}`,
      `(?<!${HAN})(?<name>${JAPANESE})(?:様|氏|君|くん|先生|部長|課長|係長|社長|専務|主任|さま)${KANA_END}`,
      `(?<name>${JAPANESE})(?:と申します|といいます|です(?=[。、,.!！\\s]|$))`,
      `(?:担当者?|作成者|承認者|確認者|責任者|氏名|お名前|名前|連絡先|お客様名) ?[:：] ?(?<name>${HAN}{1,3}[ 　]?${HAN}{1,4})${KANA_END}`,
      `(?:担当者?|氏名|お名前|名前)は(?<name>${JAPANESE})(?=です|さん|様|が|と|[。、\\s]|$)`,
      `(?:上司|同僚|先輩|後輩|部下|部長|課長|社長|友人|お客様|顧客|担当)の(?<name>${JAPANESE})(?=が|は|に|から|さん|様|、|。|と|も|を)`,
      `(?<company>(?:株式会社|合同会社|有限会社)[\\p{sc=Han}\\p{sc=Katakana}ー]{2,12}|[\\p{sc=Han}\\p{sc=Katakana}ー]{2,12}(?:株式会社|合同会社))`,
    ),
    not: /^(?:業者|患者|店員|息子|奥|皆|客|芸人|新人|同僚|上司|先輩|担当|仕様|隣人)$/,
  },
  {
    letters: /[\u4e00-\u9fff]/,
    patterns: all(
      `(?:我叫|人叫|名叫|叫做|联系人|負責人|负责人|对接人|姓名|客户名|作者|审批人|申请人|收件人|同事|经理|老板|领导|主管|总监|[:：，]\\s?我是|^我是)(?:是|叫|[:：]\\s?)?(?<name>${CHINESE})${CHINESE_END}`,
      `(?:请|問|问|找|让|由|跟|和)(?<name>${CHINESE})(?=确认|说|看一下|帮|检查|反馈|负责|联系|沟通|讨论)`,
      `(?<name>${CHINESE})(?=先生|女士|小姐|老师|经理|总监|主管|同学)`,
      `(?<=我叫|人叫)(?<name>${HAN}{2,4})(?=[，。、,.;；\\s]|$)`,
      `(?<company>${HAN}{2,10}?(?:科技|信息|网络|软件|电子|贸易|实业|集团|物流|医疗|教育|文化|传媒|咨询|投资|食品|服装|机械|建筑)?(?:股份)?有限公司)`,
    ),
    not: /^(?:程序|高级|高度|金融|金额|方案|方法|方式|方面|方便|任务|任何|许多|许可|何时|白色|万一|向量|严重|严格|马上|周[一二三四五六日末期]|顾客|毛病|于是|黄色|石油|江[苏西]|叶子|曾经|雷达|陆续|钱包|余额|夏天)/u,
  },
  {
    letters: /[\uac00-\ud7a3]/,
    patterns: all(
      `(?<![가-힣])(?<name>${KOREAN}) ?(?:님|씨)(?![가-힣]{3})`,
      `(?<![가-힣])(?<name>${KOREAN}) (?:${KOREAN_TITLES})(?![가-힣]{3})`,
      `(?:이름은|저는|동료|상사|담당자는?|작성자는?|매니저) ?[:：]? ?(?<name>${KOREAN})(?=입니다|이에요|예요|이라고|라고 |님|씨)`,
      `(?:담당자|작성자|이름|성명|고객명|신청인|연락처) ?[:：] ?(?<name>${KOREAN})(?![가-힣])`,
      `(?:${KOREAN_TITLES})님? \\((?<name>[가-힣]{3})\\)`,
      `(?<company>(?:주식회사 ?|㈜|\\(주\\) ?)[가-힣A-Za-z]{2,10}|[가-힣A-Za-z]{2,10}(?:주식회사|㈜|\\(주\\)))`,
    ),
  },
  {
    letters: /[\u0600-\u06ff]/,
    patterns: all(
      `(?:اسمي|زميلتي|زميلي|مديرتي|مديري|المهندسة|المهندس|الأستاذة|الأستاذ|الدكتورة|الدكتور|السيدة|السيد|تحدثت مع|أخبرني|أخبرتني|الاسم ?:) (?!في |من |الذي |التي |على |إلى )(?<name>${ARABIC})`,
    ),
  },
  {
    letters: /[\u05d0-\u05ea]/,
    patterns: all(
      `(?:קוראים לי|שמי|דיברתי עם|נפגשתי עם|שוחחתי עם|המנהל שלי,?|המנהלת שלי,?|הבוס שלי,?|שם ?:|מאת ?:?|בברכה,\\n?) ?(?<name>(?!לא |הוא |היא |זה |אין )${HEBREW})`,
    ),
  },
  {
    letters: /[\u0900-\u097f]/,
    patterns: all(
      `(?:मेरा नाम|मैनेजर|बॉस|सहकर्मी|साथी|श्री|श्रीमती|डॉ\\.?|नाम ?:) (?<name>${DEVANAGARI})`,
      `(?<![\\u0900-\\u0963])(?<name>${DEVANAGARI})(?= ने कहा| ने बताया| ने पूछा| जी |जी )`,
    ),
    not: /^(?:मेर[ेीा]|हमार[ेी]|आपक[ेी]|उनक[ेी]|उसक[ेी]|इस|उस|सभी|एक) /,
  },
  {
    letters: /[\u0e00-\u0e7f]/,
    patterns: all(
      `(?:คุณ(?!ต้อง|สามารถ|ควร|จะ|มี|ได้|คือ|สมบัติ|ภาพ|ใช้|กำลัง|อยาก|ไม่|ค่า)|นางสาว|นาย(?!ก|จ้าง)|(?:ผม|ฉัน|ดิฉัน)ชื่อ ?|ชื่อ ?: ?)(?<name>${THAI})(?=[\\s.,ๆ]|$)`,
    ),
  },
  {
    letters: /[\u0370-\u03ff]/,
    patterns: all(
      `(?:[εΕ]ίμαι (?:ο|η)|[μΜ]ε λένε|[οΟ]νομάζομαι|[συ]υνάδελφ(?:ός|ό) μου|[οΟ] κύριος|[ηΗ] κυρία) (?<name>\\p{Lu}\\p{Ll}{2,14} \\p{Lu}\\p{Ll}{2,18})`,
    ),
  },
  {
    letters: /[\u0400-\u04ff]/,
    patterns: all(`(?:ООО|ОАО|ЗАО|ПАО|АО|ИП|ТОВ) ?[«"“](?<company>[^»"”\\n]{2,40})[»"”]`),
  },
]

const ANY_SCRIPT = /[\u0370-\u0fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]/
/** How far a name may go on behind the part that is read. */
const BEHIND = 40

const PERSON = { id: 'script-name', category: 'person', placeholder: 'PERSON' }
const COMPANY = { id: 'script-name', category: 'organization', placeholder: 'ORG' }

/** Adds the people and companies that a text in another script names between two places. */
export function findScriptNames(text: string, from: number, to: number, found: Finding[]): void {
  const part = from === 0 && to === text.length ? text : text.slice(from, to + BEHIND)
  // V8 knows of a text of one byte a character that it has none, without reading it.
  if (!ANY_SCRIPT.test(part)) return
  for (const { letters, patterns, not } of SCRIPTS) {
    if (!letters.test(part)) continue
    for (const pattern of patterns) {
      // Not matchAll, which compiles the expression each time.
      pattern.lastIndex = 0
      for (let match = pattern.exec(part); match; match = pattern.exec(part)) {
        const { name, company } = match.groups!
        const value = name ?? company!
        if (not?.test(value)) continue
        const start = from + match.index + match[0].indexOf(value)
        pushIdentity(name ? 'person' : 'organization', value, start, name ? PERSON : COMPANY, found)
      }
    }
  }
}

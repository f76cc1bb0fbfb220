/** Companies with well-known shares or products, in lower case. Their published details do not identify a person. */
const NAMES = `
3m|google|alphabet|microsoft|apple|amazon|meta platforms|oracle|ibm|intel|nvidia|adobe|cisco|salesforce|netflix|uber|airbnb|
spotify|paypal|samsung|sony|huawei|alibaba|tencent|telekom|abb|abbott|abbvie|accenture|adidas|adyen|aegon|ahold delhaize|airbus|air liquide|akzo nobel|akzonobel|aldi|allianz|
alstom|american express|amgen|anheuser-busch|arcelormittal|asml|assa abloy|astrazeneca|at&t|atos|aviva|axa|bae systems|
banco santander|santander|bank of america|barclays|basf|bayer|bbva|beiersdorf|berkshire hathaway|bhp|blackrock|bmw|
bnp paribas|boeing|bosch|bp|british airways|broadcom|bt group|capgemini|carrefour|caterpillar|chevron|citigroup|citroën|
coca-cola|comcast|commerzbank|continental|costco|covestro|credit agricole|crédit agricole|credit suisse|daimler|danone|
danske bank|dassault|dell|delta air lines|deutsche bahn|deutsche bank|deutsche börse|deutsche post|deutsche telekom|dhl|
diageo|disney|dsm-firmenich|e\\.on|easyjet|edf|electrolux|eli lilly|endesa|enel|engie|eni|equinor|ericsson|essilorluxottica|
exxonmobil|exxon|fedex|ferrari|fiat|ford|fresenius|fujitsu|general electric|general motors|generali|glencore|gsk|
glaxosmithkline|goldman sachs|h&m|hannover rück|heidelberg materials|heineken|henkel|hermès|hewlett-packard|hitachi|
honda|honeywell|hp|hsbc|hyundai|iberdrola|ikea|inditex|infineon|ing groep|intesa sanpaolo|jaguar|johnson & johnson|
jpmorgan|kering|kia|klm|kpn|l'oréal|l’oréal|lenovo|lg|lidl|linde|lloyds|lockheed martin|lufthansa|lvmh|maersk|mastercard|
mazda|mcdonald's|mercedes-benz|merck|metro|michelin|mitsubishi|morgan stanley|munich re|nestlé|nestle|nike|nintendo|
nissan|nokia|nordea|novartis|novo nordisk|olympus|orange|panasonic|pepsico|pernod ricard|peugeot|pfizer|philips|porsche|
procter & gamble|prosus|puma|qualcomm|reliance industries|renault|repsol|rheinmetall|rio tinto|roche|rolls-royce|
royal bank of canada|rwe|ryanair|safran|saint-gobain|sandoz|sanofi|sap|schneider electric|schindler|shell|siemens|
siemens energy|siemens healthineers|skoda|škoda|société générale|softbank|standard chartered|starbucks|stellantis|
stmicroelectronics|swatch|swiss re|swisscom|swissport|symrise|target|tata|telefónica|telefonica|telenor|telia|tesco|tesla|
thales|the walt disney company|thyssenkrupp|toshiba|totalenergies|toyota|ubs|unicredit|unilever|ups|vattenfall|veolia|
verizon|vinci|visa|vodafone|volkswagen|volvo|vonovia|walmart|wells fargo|wolters kluwer|xiaomi|zalando|zeiss|zurich insurance`

/** Matches the name of a well-known company in a text. */
export const LISTED_COMPANY = new RegExp(
  `(?<![\\p{L}\\d&-])(?:${NAMES.replaceAll('\n', '')})(?![\\p{L}\\d&]|-\\p{L})`,
  'iu',
)

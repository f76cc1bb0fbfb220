import type { RuleTable } from '../engine/rule.ts'
import { ADDRESS } from './categories.ts'

/** Rules for dates of birth, coordinates and addresses, in the forms of each country and language. */
export const placeRules: RuleTable = {
  defaults: ADDRESS,
  rows: {
    'birth': ['geboren', 'birth', { category: 'date_of_birth', placeholder: 'DATE_OF_BIRTH' }],
    'born': [
      ' le | em | le : | le: | le": "| el |geb. | ur. |dd |dd: |dt |dt: ',
      'born',
      { category: 'date_of_birth', placeholder: 'DATE_OF_BIRTH', next: 'digit' },
    ],
    'coordinates': [
      `lat|coord|gps|location|point(|standort|ubicaci|координат|位置|坐标|座標|geo:|maps/@|
      my home|my house|my flat|my apartment|i live|we live|home is|?q=|ll=`,
      'place',
      { category: 'coordinates' },
    ],
    'street': [
      ` street| st| avenue| ave| road| rd| lane| ln| drive| dr| boulevard| blvd| court| ct| way| place| pl| terrace| parkway| pkwy| highway| hwy| square| circle| trail| crescent| close| loop| plaza| alley| pike| mews| wynd`,
      'street',
    ],
    'street-german': ['stra', 'strasse'],
    'street-romance': [
      `rue |avenue |boulevard |chemin |venelle |ruelle |sentier |pasaje |carrera |quai |via |viale |piazza |calle |
      avenida |corso |paseo |plaza |rua |ul. |ulica |impasse |cours |route |bd |bvd |av. |avda|v.le |p.zza |c.so |
      vicolo |c/ |carrer |ronda |camino |travessa |largo |estrada |rodovia |alameda |r. |al. |os. |pl. |calea |
      strada |str. |jl. |jalan |bulevard|leoforos |aleja `,
      'rue',
    ],
    'street-suffix': [
      `weg |gasse |platz |allee |ring |damm |ufer |steig |graben |chaussee |str. |markt |hof |straat |gracht |laan |
      plein |kade |singel |steeg |dreef |gatan |gata |gate |veien |vegen |gen |vej |gade |katu |tie |utca `,
      'suffix',
      { next: 'digit' },
    ],
    'street-eastern': [
      ` mah. | mah |caddesi| cad. | sok. | sokak|sokağı|bulvarı|ул.|улица|вул.|вулиц|проспект|пр-т|просп|пер.|
      переул|пр. |провул|бульвар|наб.|шоссе|市|区|區|县|縣|県|都|府|구 |시 |군 `,
      'eastern',
    ],
    'address-field': [
      `address|addr|adres|ship to|deliver to|lives at|wohnt in|geocode|street|stra|anschrift|indirizzo|direcci|
      domicilio|endere|morada|logradouro|osoite|line1|line_1|bydli|alamat|residence|residenza|domicile|residen|
      zamieszk|"rue"|"via"|"calle"|"rua"|<rue>|<via>|<calle>|calle:|ulica|адрес|住所|地址|주소|địa chỉ|
      العنوان|διεύθυνση|כתובת|ที่อยู่|lakc`,
      'addressed',
    ],
    'patient-address': [
      '"line',
      /(?<="address\\{0,7}"\s?:\s?\[\s{0,16}\{[^{}[\]]{0,120})"line\\{0,7}"\s?:\s?\[\s{0,16}\\{0,7}"(?=[^"\n]{0,60}\d)(?=[^"\n]{0,60}[A-Za-z]{3})([^"\\\n]{4,80})(?=\\{0,7}")/y,
      { inside: true },
    ],
    'po-box': [
      'po box|p.o. box|p.o.box|post office box|postfach |postbus |apartado |caixa postal|casella postale|casilla ',
      /(?:(?:p\.? ?o\.? ?|post office )box|postfach|postbus|apartado(?: de correos)?|caixa postal|casella postale|casilla) #?\d{1,6}(?![\w])(?:,? [a-z]{3,20}(?: [a-z]{2,3})? \d{4,6}(?!\d))?/iy,
    ],
  },
}

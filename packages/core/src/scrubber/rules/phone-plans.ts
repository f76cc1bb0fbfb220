/**
 * Calling codes, each with the allowed numbers of digits after the code: A for 10 to F for 15 (ITU-T E.164 and national
 * plans). The source of the table is libphonenumber-js, and a test compares both. The library itself is not used,
 * because its metadata has 80 KB, more than the rest of the scrubber, and it needs 20 microseconds to parse a
 * candidate.
 */
export const CALLING_CODES = `1:A 7:AE 20:89A 27:6789A 30:ABC 31:6789AB 32:89 33:9 34:9 36:89 39:6789ABC 40:69 41:9C 43:6789ABCD 44:79A
45:8 46:6789AC 47:8 48:6789A 49:6789ABCDEF 51:89 52:A 53:678A 54:AB 55:89AB 56:9AB 57:8AB 58:A 60:89A
61:6789AC 62:789ABCDEFGH 63:689ABCD 64:6789A 65:8AB 66:89AD 81:89ABCDEFGH 82:689ABCDE 84:789A 86:789ABC
90:7ACD 91:89ABCD 92:89ABC 93:9 94:9 95:6789A 98:67A 211:9 212:9 213:89 216:8 218:9 220:79 221:9 222:8 223:8
224:89 225:A 226:8 227:8 228:8 229:A 230:78A 231:789 232:8 233:89 234:ABCDE 235:8 236:8 237:89 238:7 239:7
240:9 241:78 242:9 243:789A 244:9 245:79 246:7 247:56 248:7 249:9 250:89 251:9 252:6789 253:8 254:789A 255:9
256:9 257:8 258:89 260:9 261:9 262:9 263:79A 264:89 265:79 266:8 267:78A 268:89 269:7 290:5 291:7 297:7
298:6 299:6 350:8 351:9 352:56789AB 353:789A 354:79 355:6789 356:8 357:8 358:56789ABC 359:6789C 370:8 371:8
372:78A 373:8 374:8 375:6789AB 376:689 377:89 378:8A 380:9A 381:6789ABC 382:89 383:89ABC 385:789 386:5678
387:89 389:8 420:9ABC 421:679 423:79 500:5 501:7B 502:8B 503:78B 504:8B 505:8 506:8A 507:78AB 508:69 509:8
590:9 591:89 592:7 593:89AB 594:9 595:6789AB 596:9 597:67 598:56789ABCD 599:78 670:78 672:6 673:7 674:7
675:78 676:57 677:57 678:57 679:7B 680:7 681:69 682:5 683:7 685:567A 686:58 687:6 688:567 689:689 690:567
691:7 692:7 800:8 808:8 850:8A 852:56789B 853:78 855:89A 856:89A 870:9C 878:C 880:6789A 881:9A 882:789ABC
883:89ABC 886:789AB 888:B 960:7A 961:78 962:89 963:89 964:89A 965:78 966:9A 967:789 968:789 970:89A
971:56789ABC 972:789ABC 973:8 974:789B 975:78 976:89A 977:8AB 979:9 992:9 993:8 994:9 995:9 996:9A 998:9`

/**
 * National numbers with characteristic groups of digits, in France, Britain, Australia, Japan and Korea, Germany, the
 * Netherlands, Sweden and China.
 */
export const GROUPED =
  /^(?:0[1-9](?:[ .]\d\d){4}|07\d{3} \d{6}|020 \d{4} \d{4}|01\d{3} \d{3} \d{3,4}|07\d{3} \d{3} \d{3}|08[35679] \d{3} \d{4}|01\d{3} \d{6}|04\d\d \d{3} \d{3}|0\d{1,3}-\d{3,4}-\d{4}|01[567]\d{1,2}[ /-]\d{7,8}|06[- ]\d{8}|07\d-?\d{3} \d\d \d\d|1[3-9]\d[ -]\d{4}[ -]\d{4})$/
/** A request for a call in languages other than English. The number after it must begin with 0 or have groups. */
export const CALLED =
  /(?:(?<![a-z])bel(?:t| me)?|ruf(?:t|en)?|anruf|erreichbar|appele[rz]|joindre|llám|llam[ae]|chiam[ai]|zadzwo|ligue|liga|soita|meine? nummer|mijn nummer|mi n[úu]mero|mon num[ée]ro|mio numero|mój numer|m[eo]u n[úu]mero|telem[oó]vel|portable|gsm|tlf|звони|дзвони|номер телефон)[^\n\d]{0,28}$/i

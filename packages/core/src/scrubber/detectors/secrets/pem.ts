import { isRandom } from '../../engine/randomness.ts'
import type { Findings, Hit } from '../../engine/findings.ts'

const OPEN = /-----BEGIN ((?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?)-----/y
/**
 * A line of the body in any encoding: with quotes, diff signs, quotation marks, escaped line breaks, operators or line
 * numbers.
 */
const BODY =
  /(?:[ \t>|+"',;:.()[\]-]{0,12}(?:\d{1,5}[:\t|]\s{0,3})?(?:\\{1,4}[nrt]|\r?\n|[ \t"'+,;]){0,12}){0,1}[A-Za-z0-9+/=]{1,4096}|(?:\\{1,4}[nrt]|[\s"'+,;>|]){1,12}/y

/**
 * Finds a private key from the first line to the last line (RFC 7468, OpenSSH, PGP). If the end is missing, the key
 * ends with the last line that the text contains. Each long line of the body is also a separate value, so that a line
 * is also replaced where it occurs alone.
 */
export function findPem({ text, start, rule, found }: Hit): void {
  OPEN.lastIndex = start
  const open = OPEN.exec(text)
  if (!open) return
  const closing = `-----END ${open[1]}-----`
  const body = start + open[0].length
  const dashes = text.indexOf('-----', body)
  let end = dashes
  if (dashes >= 0 && text.startsWith(closing, dashes) && dashes - body < 20_000) end += closing.length
  else {
    end = body
    for (let n = 0; n < 400 && (dashes < 0 || end < dashes); n++) {
      BODY.lastIndex = end
      const line = BODY.exec(text)
      if (!line || line[0] === '') break
      end = BODY.lastIndex
    }
    if (dashes >= 0) end = Math.min(end, dashes)
    while (end > body && /[\s"',;]/.test(text.charAt(end - 1))) end--
  }
  const inner = text.slice(body, end)
  const lines = inner
    .match(/(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{12,}={0,2}(?![A-Za-z0-9+/=(])/g)
    ?.filter((line) => /\d|[+/=]/.test(line))
  const [value, ...also] = lines ?? []
  if (!value || (/(?:\.\.\.|<|\$\{)/.test(inner.slice(0, 40)) && also.length === 0)) return
  found.push({ start, end, rule, value, also })
}

const LINE = { id: 'private-key', category: 'private_key', placeholder: 'PRIVATE_KEY' }

/**
 * Finds one line from the middle of a key: a whole line of 64 characters of base64 (70 in the form of OpenSSH) that
 * looks random. Lines inside a certificate or a public key are excluded.
 */
export function findPemLine({ text, start: from, end, found }: Omit<Hit, 'rule'>): void {
  // The `+` of a diff and the letter of an escape are also base64 characters.
  const sign =
    (text[from] === '+' && (from === 0 || text[from - 1] === '\n')) ||
    (text[from - 1] === '\\' && 'nrt'.includes(text.charAt(from)))
  const start = sign ? from + 1 : from
  const length = end - start
  if (
    (length !== 64 && length !== 70) ||
    !alone(text[start - 1], text[start - 2]) ||
    !/^(?:$|[\r\n"'`\\ ])/.test(text.slice(end, end + 1))
  )
    return
  const value = text.slice(start, end)
  if (
    !/[a-z]/.test(value) ||
    !/[A-Z]/.test(value) ||
    !/\d.*\d/.test(value) ||
    /[-_]/.test(value) ||
    /ABCDEF|abcdef|FEDCBA|fedcba/.test(value) ||
    !isRandom(value)
  )
    return
  if (isInPublicBlock(text, start, found) || isPublic(text.slice(Math.max(0, start - 4000), end))) return
  found.push({ start, end, rule: LINE, value })
}

/** The first line of a block without a secret (RFC 7468). A block of any other kind may be a key. */
const PUBLIC_BLOCK = /^-----BEGIN [A-Z\d ]*(?:CERT|PUBLIC|X509|SIGNATURE|MESSAGE|AGE ENC|PKCS7|CMS|PARAM)/
/** Elements of XML Signature (W3C, 2013) that contain no secret. */
const PUBLIC_ELEMENT = /^<(?:\w{1,12}:)?(?:X509Certificate|X509CRL|SignatureValue|Modulus)>/

/**
 * The first line of a certificate without `-----BEGIN` (RFC 5280). The version shows that this is a certificate,
 * because a private key encodes the version differently.
 */
const CERTIFICATE = /(?:^|[^A-Za-z\d+/\s])\s{0,12}MII[A-Za-z\d+/]{1,14}AwIBAgI[A-Za-z\d+/]{1,90}\s[A-Za-z\d+/\s]*$/

/** A public key of OpenSSH, which begins with the length and the name of the algorithm (RFC 4253) in base64. */
const PUBLIC_SSH_KEY = /AAAA(?:[BC]3NzaC1|E2VjZHNhLXNoYTI)[A-Za-z\d+/]*(?:\s+[A-Za-z\d+/]{30,})*\s*$/

/** Returns whether a text ends inside a certificate, a public key or a signature that has no PEM delimiters. */
function isPublic(before: string): boolean {
  if (CERTIFICATE.test(before) || PUBLIC_SSH_KEY.test(before)) return true
  const element = before.lastIndexOf('<')
  return element >= 0 && PUBLIC_ELEMENT.test(before.slice(element, element + 60))
}

const DELIMITER = /-----(?:BEGIN|(END)) /g
/** The maximum length of a block without its last line, in characters. */
const OPEN_BLOCK = 4000

/**
 * Returns whether a line is inside a PEM block of public material of any length. Each part of the text is read once:
 * `past` is the start of the last block, `count` is its end, and `end` is the index up to which blocks were searched.
 */
function isInPublicBlock(text: string, start: number, found: Findings): boolean {
  const block = found.reachOf('pem-block')
  if (start < block.end) block.end = block.past = -1
  const from = Math.max(0, block.end - '-----BEGIN'.length)
  const last = text.slice(from, start).lastIndexOf('-----BEGIN ')
  block.end = start
  if (last >= 0 && from + last > block.past) {
    block.past = DELIMITER.lastIndex = from + last
    DELIMITER.exec(text)
    const next = DELIMITER.exec(text)
    block.count = next?.[1] ? next.index : block.past + OPEN_BLOCK
  }
  return block.past >= 0 && start < block.count && PUBLIC_BLOCK.test(text.slice(block.past, block.past + 60))
}

/** The base64 form of a PEM block. */
const ENCODED = /^LS0tLS1CRUdJTi[A-Za-z\d+/]*(?=[=.]*$)/

/** Returns whether a value is base64 that encodes only certificates, public keys or signatures. */
export function isEncodedPublic(value: string): boolean {
  const [run] = ENCODED.exec(value) ?? []
  const decoded = run ? atob(run.slice(0, run.length - (run.length % 4))) : ''
  return PUBLIC_BLOCK.test(decoded) && !decoded.includes('PRIVATE KEY')
}

/** Returns whether a line may begin after two characters: a line break, a quote, a blank, a diff sign or `>`. */
const alone = (last: string | undefined, second: string | undefined): boolean =>
  last === undefined ||
  last === '\n' ||
  last === '"' ||
  last === "'" ||
  last === '`' ||
  last === ' ' ||
  last === '\t' ||
  ((last === '+' || last === '-' || last === '>') && (second === undefined || second === '\n')) ||
  ((last === 'n' || last === 't') && second === '\\')

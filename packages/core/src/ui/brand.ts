import { checkOptionNames } from '../option-names.ts'

/** The appearance of a service on its pages and in its mails. */
export interface Brand {
  /** The name, with 1 to 60 characters. It is required in a brand. */
  readonly name: string
  /**
   * An https or data URL, or a path of the same host. The logo is shown 22 pixels high. Default: the mark of Tributary.
   */
  readonly logoUrl?: string
  /** `#rrggbb`, with a contrast of at least 4.5 to 1 on white (WCAG 2.2). It is lightened for dark pages. */
  readonly accentColor?: string
  /** The address that people write to for help: in the footer of every page and in mails. Default: `contactEmail`. */
  readonly supportEmail?: string
  /** The text of `/terms`: paragraphs divided by empty lines. A paragraph that starts with `## ` is a heading. */
  readonly termsText?: string
  /** The text of `/privacy`, in the same form. Default: a description of the data that this software stores. */
  readonly privacyText?: string
}

/** A brand with the values that are derived from it. */
export interface ResolvedBrand extends Brand {
  /** The origin of the logo for the content security policy of pages, or null. */
  readonly logoOrigin: string | null
  /** Style rules that replace the colours of the style sheet. They are empty without an accent colour. */
  readonly style: string
}

const fieldNames = {
  name: true,
  logoUrl: true,
  accentColor: true,
  supportEmail: true,
  termsText: true,
  privacyText: true,
}

/**
 * Fills in the derived values of a brand; the default support address is `contactEmail`. Throws an error that names the
 * field if a field is invalid.
 */
export function resolveBrand(brand: Brand | undefined, contactEmail?: string): ResolvedBrand {
  checkOptionNames(brand, fieldNames, 'brand.')
  const { name = 'Tributary', logoUrl, accentColor, supportEmail = contactEmail } = brand ?? {}
  // oxlint-disable-next-line no-control-regex -- a name is one line
  if (!/^[^\u0000-\u001f\u007f]{1,60}$/u.test(name) || name.trim() !== name)
    throw new Error('brand.name must have 1 to 60 characters in one line')
  if (supportEmail !== undefined && !/^[^\s@<>]+@[^\s@<>]+$/.test(supportEmail))
    throw new Error(`brand.supportEmail is not an e-mail address: ${supportEmail}`)
  return {
    ...brand,
    name,
    ...(supportEmail === undefined ? {} : { supportEmail }),
    logoOrigin: logoUrl === undefined ? null : readOrigin(logoUrl),
    style: accentColor === undefined ? '' : accentStyle(accentColor),
  }
}

/** Returns the origin of a logo that another host serves, or null for a path of the same host and for data. */
function readOrigin(logoUrl: string): string | null {
  if (/^\/(?!\/)[^\s"'<>]*$/.test(logoUrl) || /^data:image\/[^\s"'<>]+$/.test(logoUrl)) return null
  const url = URL.canParse(logoUrl) ? new URL(logoUrl) : null
  if (url?.protocol !== 'https:') throw new Error(`brand.logoUrl must be an https or data URL, or a path: ${logoUrl}`)
  return url.origin
}

type Rgb = readonly [red: number, green: number, blue: number]

const white: Rgb = [255, 255, 255]
/** The backgrounds of the pages, as in the style sheet: light pages are a little darker than white. */
const [lightPaper, darkPaper, darkInk] = [
  [252, 252, 250],
  [26, 33, 41],
  [8, 34, 43],
] as const
const leastContrast = 4.5

/** Returns the rules for an accent colour. Throws when it is not a colour, or cannot be read on a light page. */
function accentStyle(color: string): string {
  const digits = /^#([0-9a-f]{6})$/i.exec(color)?.[1]
  if (!digits) throw new Error(`brand.accentColor must be #rrggbb, not ${color}`)
  const accent = [0, 2, 4].map((at) => Number.parseInt(digits.slice(at, at + 2), 16)) as unknown as Rgb
  const ratio = contrast(accent, lightPaper)
  if (ratio < leastContrast)
    throw new Error(
      `brand.accentColor ${color} has a contrast of ${ratio.toFixed(1)} to 1 on the pages' background, must have 4.5 (WCAG 2.2)`,
    )
  let lightened = accent
  for (let share = 0; contrast(lightened, darkPaper) < leastContrast + 1; share += 0.05)
    lightened = mix(accent, white, share)
  const [light, dark] = [mix(accent, white, 0.9), mix(accent, darkPaper, 0.8)]
  return (
    `:root { --accent: ${hex(accent)}; --accent-ink: #ffffff; --wash: ${hex(light)} }\n` +
    `@media (prefers-color-scheme: dark) { :root { --accent: ${hex(lightened)}; --accent-ink: ${hex(darkInk)}; --wash: ${hex(dark)} } }\n`
  )
}

function mix([red, green, blue]: Rgb, to: Rgb, share: number): Rgb {
  const between = (one: number, other: number): number => Math.round(one + (other - one) * Math.min(share, 1))
  return [between(red, to[0]), between(green, to[1]), between(blue, to[2])]
}

const hex = (color: Rgb): string => `#${color.map((value) => value.toString(16).padStart(2, '0')).join('')}`

/** Returns the contrast ratio of two colours (WCAG 2.2). */
function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

function luminance(color: Rgb): number {
  const [red, green, blue] = color.map((value) => {
    const share = value / 255
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as unknown as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

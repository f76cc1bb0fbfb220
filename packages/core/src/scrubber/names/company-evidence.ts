import type { TokenKind } from './evidence.ts'

const wordsOf = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/))

/** The least sum of weights of a company's name. */
export const COMPANY_THRESHOLD = 22

/** Weights of the first word of a company's name: a word that no document uses is one that somebody made up. */
export const RARE: Readonly<Record<TokenKind, number>> = {
  unknown: 10,
  surname: 8,
  ambiguous: 2,
  both: 4,
  given: 4,
  initial: -20,
  word: -20,
}

/** Legal forms, as they are written behind a name. */
export const LEGAL_FORMS = wordsOf(`
GmbH AG KG UG OHG eG Ltd Limited LLC LLP Inc Corp Corporation PLC AB AS ASA Oy Oyj BV NV SA SAS SARL SRL SpA Lda Kft Zrt Nyrt
Pty Pvt ApS OÜ UAB SIA EOOD OOD SE SL`)

/** What companies are called, of which little else is named. */
export const COMPANY_NOUNS = wordsOf(`
Logistics Energia Energie Biosystems Biotech Biologics Architects Architekten Architectes Consulting Consultants Consultancy
Holdings Ventures Pharma Brewery Bakery Veterinary Clinic Clinics Parcels Freight Haulage Farms Motors Aerospace Textiles Jewelers
Builders Contractors Plumbing Roofing Realty Properties Solicitors Attorneys Advisors Advisory Staffing Outfitters Therapeutics
Genomics Semiconductors Petroleum Telecom Resorts Roasters Winery Distillery Genossenschaft Versicherung Versicherungen Stadtwerke
Spedition Logistik Maschinenbau Elektrotechnik Apotheke Energías Seguros Transportes Alimentos Inmobiliaria Assicurazioni
Costruzioni Trasporti Assurances Charpente Council Couriers Apparel Furnishings Nurseries Orchards Vineyards`)

/** What companies call themselves, and products, teams and libraries too. */
export const WEAK_COMPANY_NOUNS = wordsOf(`
Labs Lab Apps Analytics Software Systems Technologies Studios Studio Media Health Healthcare Bank Foundation
University School Hospital Institute Agency Engineering Partners Solutions Group Capital Mobility Interactive Digital Medical Firm
Company Industries Creative Sciences Enterprises Trading Associates Payments Insurance Robotics Dental Dairy Foods Finance Financial
Diagnostics Instruments Construction Gruppe Groupe Grupo Gruppo Verlag Kliniken Praxis`)

/** What stands before a company's own name. */
export const TYPES_OF_COMPANY = wordsOf(`
Atelier Conserverie Boulangerie Pâtisserie Brasserie Cabinet Clinique Pharmacie Imprimerie Librairie Menuiserie
Banco Banca Banque Sparkasse Volksbank Stadtwerke Autohaus Kanzlei Praxis Apotheke Bäckerei Druckerei Restaurante
Trattoria Ristorante Farmacia Panadería Inmobiliaria Bodegas Talleres Officina Officine
Cantina Azienda Caseificio Panificio Padaria Livraria Construtora Transportadora Supermercado`)

/** Words, in small letters, before a company's name. */
export const COMPANY_WORDS_BEFORE = wordsOf(`
client customer company employer vendor supplier contractor agency startup firm organization organisation org tenant
kunde kunden firma unternehmen cliente empresa entreprise société chez azienda presso bedrijf klant firmě firmie firmy společnosti cég cégnél perusahaan şirket şirketi företag företaget firmaet yrityksessä workspace director ceo cto cfo coo`)

/** What stands before a company's name and before much else. */
export const WEAK_WORDS_BEFORE = wordsOf('at for by from bei für we are join joined operations office sales')

/** The category and placeholder of a model's label. */
export interface ModelLabel {
  readonly category: string
  readonly placeholder: string
}

/** The model that the labels are those of. Apache-2.0, 1.5 billion parameters, mostly English. */
export const defaultModel = 'openai/privacy-filter'

const person = { category: 'person', placeholder: 'PERSON' }

/**
 * The labels of `openai/privacy-filter`, and the name of a person in other models. Labels that are not here are
 * ignored: organizations and places of most models are those of the news.
 */
export const defaultLabels: Readonly<Record<string, ModelLabel>> = {
  private_person: person,
  private_address: { category: 'street_address', placeholder: 'ADDRESS' },
  private_email: { category: 'email', placeholder: 'EMAIL' },
  private_phone: { category: 'phone', placeholder: 'PHONE' },
  private_url: { category: 'url', placeholder: 'URL' },
  private_date: { category: 'date', placeholder: 'DATE' },
  account_number: { category: 'account_number', placeholder: 'ACCOUNT_NUMBER' },
  secret: { category: 'secret', placeholder: 'SECRET' },
  PER: person,
  PERSON: person,
}

/** The category and placeholder of a model's label. */
export interface ModelLabel {
  readonly category: string
  readonly placeholder: string
}

/**
 * The model with the labels in `defaultLabels`. Its licence is Apache-2.0. It has 1.5 billion parameters, and was
 * trained mostly on English texts.
 */
export const defaultModel = 'openai/privacy-filter'

const person = { category: 'person', placeholder: 'PERSON' }

/**
 * The labels of `openai/privacy-filter`, and the labels for a person in other models. Other labels are ignored, because
 * most models learned organizations and places from news.
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

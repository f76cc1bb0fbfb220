import { classifyPersonalLabel, mayBeginLabel } from '../../rules/personal-labels.ts'

const ADDRESS =
  /^(?:wohn)?(?:adresse?|anschrift|direcci[oó]n|domicilio|indirizzo|endere[cç]o|morada|adres|адрес|住所|地址|주소)$/i

/** Returns the labels of a question in their order, of up to three words each: `Kundennummer`, `número de teléfono`. */
export function labelsIn(question: string): readonly string[] {
  const words = question.split(/[\s,;:?¿¡"()]+/).filter((word) => word !== '')
  const isFirst = words.map((word) => ADDRESS.test(word) || mayBeginLabel(word))
  const labels: string[] = []
  for (let i = 0; i < words.length && i < 60; i++)
    for (const count of [1, 2, 3, 4]) {
      if (i + count > words.length || !isFirst.slice(i, i + count).includes(true)) continue
      const label = words.slice(i, i + count).join(' ')
      if (!(classifyPersonalLabel(label) || ADDRESS.test(label))) continue
      labels.push(label)
      i += count - 1
      break
    }
  return labels
}

/** Shows the sponsor line of the campaign form as it is typed; the server shows the same after the form was submitted. */
import { sponsorLine } from '../src/ads/terminal.ts'

const inputOf = (id: string): HTMLInputElement => document.querySelector<HTMLInputElement>(`#${id}`)!
const [brand, text] = [inputOf('brandName'), inputOf('text')]

function showLines(): void {
  for (const preview of document.querySelectorAll<HTMLElement>('[data-columns]')) {
    const shown = { isPaid: true, brandName: brand.value || 'Brand', text: text.value || 'Sponsor line' }
    preview.textContent = sponsorLine(shown, Number(preview.dataset['columns']))
  }
}

for (const input of [brand, text]) input.addEventListener('input', showLines)
showLines()

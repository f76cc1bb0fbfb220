/**
 * Shows a preview of the sponsor line in the campaign form while it is typed. Without this script, the preview button
 * shows it.
 */
import { sponsorLine } from '../src/ads/terminal.ts'

const inputOf = (id: string): HTMLInputElement => document.querySelector<HTMLInputElement>(`#${id}`)!
const [brand, text] = [inputOf('brandName'), inputOf('text')]

function showLines(): void {
  for (const preview of document.querySelectorAll<HTMLElement>('[data-columns]')) {
    const shown = {
      isPaid: true,
      brandName: brand.value || preview.dataset['brand']!,
      text: text.value || preview.dataset['text']!,
    }
    preview.textContent = sponsorLine(shown, Number(preview.dataset['columns']))
  }
}

for (const input of [brand, text]) input.addEventListener('input', showLines)
document.querySelector('[data-preview]')?.remove()
showLines()

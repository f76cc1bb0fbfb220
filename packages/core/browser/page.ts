/**
 * Adds a button that copies the text of each element with `data-copy`, whose value is the button's label. Without this
 * script, or if the browser has no clipboard, the text can be selected.
 */
const shownMs = 2_000

function addButton(place: HTMLElement): void {
  const { copy: name, copied } = place.dataset
  const text = place.textContent!.trim()
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'second small'
  button.textContent = name!
  // Screen readers announce the changed label.
  button.setAttribute('aria-live', 'polite')
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text)
    button.textContent = copied!
    setTimeout(() => (button.textContent = name!), shownMs)
  })
  place.append(button)
}

if (navigator.clipboard) for (const place of document.querySelectorAll<HTMLElement>('[data-copy]')) addButton(place)

export {}

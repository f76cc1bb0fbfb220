/**
 * Adds a button that copies the text of each `[data-copy]`, whose value names the button. Without this script, and where
 * the browser has no clipboard, the text can be selected.
 */
const shownMs = 2_000

function addButton(place: HTMLElement): void {
  const { copy: name, copied } = place.dataset
  const text = place.textContent!.trim()
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'second small'
  button.textContent = name!
  // The changed name is announced.
  button.setAttribute('aria-live', 'polite')
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(text)
    button.textContent = copied!
    setTimeout(() => (button.textContent = name!), shownMs)
  })
  place.append(button)
}

if (navigator.clipboard) for (const place of document.querySelectorAll<HTMLElement>('[data-copy]')) addButton(place)

/**
 * Takes the result of a form, which a redirect put into the address, out of the address again, so that a reloaded or
 * bookmarked page does not show it a second time.
 */
const address = new URL(location.href)
for (const name of ['done', 'count', 'counts', 'skipped', 'about', 'reported']) address.searchParams.delete(name)
if (address.href !== location.href) history.replaceState(history.state, '', address)

export {}

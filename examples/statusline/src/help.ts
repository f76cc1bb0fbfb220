const options = `Options of every command
  --url URL        URL of the service [TRIBUTARY_URL, http://127.0.0.1:8787]
  --token TOKEN    use instead of a login [TRIBUTARY_TOKEN]
  --force          show the line even if stdout is not a terminal
  --json           print JSON
  --help           show help of a command

Uses the login of the contributor client (npm run example:contributor -- login). Stores its state in the same folder,
TRIBUTARY_CONFIG_DIR (~/.config/tributary), readable by you alone. TRIBUTARY_AD_TOPIC sets a topic, such as terminal.
Shows, requests and counts nothing in CI or with DO_NOT_TRACK or DNT set, nor without --force outside a terminal.`

const overview = `Shows one labelled sponsor line in your prompt, from a Tributary service.

Usage: tributary-statusline COMMAND [OPTIONS]

Commands
  show               print the cached line immediately; refresh it in the background
  refresh            report a visible line and fetch the next one (show starts this)
  open               open the sponsor in a browser
  vote up|down [WHY] vote on the latest sponsor; down hides it
  claim              claim this device; impressions count only on claimed devices
  status             show the state, why no line shows, and the last failure

${options}

Examples
  PROMPT_COMMAND='tributary-statusline show'                   bash
  precmd() { tributary-statusline show }                       zsh
  "statusLine": {"command": "tributary-statusline show --force"}`

const commands: Record<string, string> = {
  show: `show: prints the cached line, or nothing. Never waits for the service, never fails.

Example
  tributary-statusline show --force`,
  refresh: `refresh: reports a visible line, and fetches the next one when it has expired. \`show\` starts this in the background.

Example
  tributary-statusline refresh --force --json`,
  open: `open: opens the sponsor that is shown in a browser.

  --print          print the address instead

Example
  tributary-statusline open --print`,
  vote: `vote up|down [WHY]: votes on the latest counted sponsor, within a day.

  up               helpful
  down             not_interested, irrelevant, offensive, repetitive, misleading

Example
  tributary-statusline vote down repetitive`,
  claim: `claim: claims this device for you. Impressions and votes count only on claimed devices.

  --new            create a new device, if this one is claimed by somebody else

Example
  tributary-statusline claim`,
  status: `status: shows the state, why no line shows, and the last failure. Makes no request.

Example
  tributary-statusline status --json`,
}

/** The names of the commands. */
export const commandNames = Object.keys(commands)

/** Returns the help text of one command, or of all commands. */
export function formatHelp(command: string | undefined): string {
  const own = command === undefined ? undefined : commands[command]
  return own ? `${own}\n\n${options}` : overview
}

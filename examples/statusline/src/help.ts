const options = `Options of every command
  --url URL        the service            [TRIBUTARY_URL, http://127.0.0.1:8787]
  --token TOKEN    instead of a login     [TRIBUTARY_TOKEN]
  --force          somebody will see it although stdout is no terminal
  --json           answer in JSON
  --help           help of a command

The login is the contributor client's (npm run example:contributor -- login). What was served is kept beside it below
TRIBUTARY_CONFIG_DIR (~/.config/tributary), readable by you alone. TRIBUTARY_AD_TOPIC names a topic, such as terminal.
Nothing is shown, asked or counted in CI, or with DO_NOT_TRACK or DNT set; nor, without --force, where stdout is no terminal.`

const overview = `One labelled sponsor's line for your prompt, from a Tributary service.

Usage: tributary-statusline COMMAND [OPTIONS]

Commands
  show               print the line from the cache, at once; refreshes it in the background
  refresh            what the background does: report a visible line, fetch the next
  open               open the sponsor in a browser
  vote up|down [WHY] vote on the latest sponsor; down keeps it away
  claim              claim this device: impressions count on claimed devices alone
  status             what is known, why nothing shows, and what went wrong

${options}

Examples
  PROMPT_COMMAND='tributary-statusline show'                   bash
  precmd() { tributary-statusline show }                       zsh
  "statusLine": {"command": "tributary-statusline show --force"}`

const commands: Record<string, string> = {
  show: `show: prints the line, or nothing. Never waits for the service, never fails.

Example
  tributary-statusline show --force`,
  refresh: `refresh: reports the line that was visible, and fetches the next when that one is out of date. \`show\` starts it by itself.

Example
  tributary-statusline refresh --force --json`,
  open: `open: opens the sponsor on the screen in a browser.

  --print          print its address instead

Example
  tributary-statusline open --print`,
  vote: `vote up|down [WHY]: votes on the latest sponsor that was counted, within a day.

  up               helpful
  down             not_interested, irrelevant, offensive, repetitive, misleading

Example
  tributary-statusline vote down repetitive`,
  claim: `claim: claims this device for you. Impressions count, and votes are taken, on claimed devices alone.

  --new            as a new device, when this one is somebody else's

Example
  tributary-statusline claim`,
  status: `status: what is known, why nothing shows, and what went wrong. Asks nobody.

Example
  tributary-statusline status --json`,
}

/** The names of the commands. */
export const names = Object.keys(commands)

/** Returns the help of one command, or of all. */
export function help(command: string | undefined): string {
  const own = command === undefined ? undefined : commands[command]
  return own ? `${own}\n\n${options}` : overview
}

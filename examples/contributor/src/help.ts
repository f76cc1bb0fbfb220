const options = `Options of every command
  --url URL        the service            [TRIBUTARY_URL, http://127.0.0.1:8787]
  --token TOKEN    instead of a login     [TRIBUTARY_TOKEN]
  --json           answer in JSON on stdout; progress stays on stderr
  --help           help of a command

The login is kept in credentials.json below TRIBUTARY_CONFIG_DIR (~/.config/tributary), readable by you alone.`

const overview = `Contributes your conversations with coding agents to a Tributary service.

Usage: tributary-contributor COMMAND [OPTIONS]

Commands
  login             log this machine in
  status            who you are, and whether uploads are open to you
  upload FILES...   send session files, folders of them, or ready-made ingest files
  list              your traces
  exclude ID...     take traces out of sale
  include ID...     put them back
  delete ID...      delete them for good
  download ID       a trace as the service keeps it, scrubbed
  logout            end this machine's login

${options}

Examples
  tributary-contributor login
  tributary-contributor upload --dry-run ~/.claude/projects
  tributary-contributor upload --all
  tributary-contributor list --json | jq -r '.traces[].id'`

const commands: Record<string, string> = {
  login: `login: shows a code and a link; approve it in a browser.

Example
  tributary-contributor login --url https://tributary.example.com`,
  status: `status: who you are, and whether uploads are open to you; with links to what is missing.

Example
  tributary-contributor status --json`,
  upload: `upload FILES...: sends conversations and shows what became of each.

Reads sessions of Claude Code, Codex and Gemini CLI and ready-made bodies of POST /api/ingest; what a file is, its
content tells. A folder stands for every .json and .jsonl below it. What the service knows already is not sent again.

  --all            your sessions where the tools keep them: ~/.claude/projects, ~/.codex/sessions, ~/.gemini/tmp
  --dry-run        read and count; contacts no server

Examples
  tributary-contributor upload session.jsonl
  tributary-contributor upload --all --dry-run`,
  list: `list: your traces, newest first.

  --limit N        at most N (default 50)

Example
  tributary-contributor list --limit 500 --json`,
  exclude: `exclude ID...: takes traces out of sale; sold ones stay as they are.

Example
  tributary-contributor exclude 018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71`,
  include: `include ID...: puts traces up for sale again.

Example
  tributary-contributor include 018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71`,
  delete: `delete ID...: deletes traces for good; sold ones are kept. Asks first.

  --yes            do not ask

Example
  tributary-contributor delete --yes 018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71`,
  download: `download ID: the trace as the service keeps it, scrubbed, as JSON on stdout.

  --out FILE       into a file instead

Example
  tributary-contributor download 018f3c5e-7b1a-7c3d-9a52-0f4e6d8b2a71 --out trace.json`,
  logout: `logout: ends this machine's token at the service and forgets it here.

Example
  tributary-contributor logout`,
}

/** The names of the commands. */
export const names = Object.keys(commands)

/** Help of a command, or of all. */
export function help(command: string | undefined): string {
  const own = command === undefined ? undefined : commands[command]
  return own ? `${own}\n\n${options}` : overview
}

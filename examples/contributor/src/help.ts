/** Returns the command with which a person starts this program, depending on the npm script that runs it. */
export const nameProgram = (npmScript: string | undefined): string =>
  npmScript === 'example:contributor' ? 'npm run example:contributor --' : 'tributary-contributor'

export const programName = nameProgram(process.env['npm_lifecycle_event'])

const options = `Options of every command
  --url URL        the service             [TRIBUTARY_URL, http://127.0.0.1:8787]
  --token TOKEN    instead of a login      [TRIBUTARY_TOKEN]
  --json           print JSON with \`nextSteps\` to stdout; progress stays on stderr
  --help           help of a command

Login, choices and the record of uploads are files in TRIBUTARY_CONFIG_DIR (~/.config/tributary) that only you can read.
Exit codes: 0 success; 1 failure, the message says what to do; 2 wrong usage.`

const overview = `Contributes your conversations with coding agents to a Tributary service.

Usage: ${programName} COMMAND [OPTIONS]

Commands
  login                log in and authorize this machine
  status               your account, and whether you can upload
  setup                choose tools, projects and blocked terms
  preview [FILES...]   what would be sent, with redactions in context; contacts no server
  upload [FILES...]    send conversations after you confirm
  jobs [ID]            status of uploads; outcomes of one
  list                 your traces
  show ID              read a trace as a buyer gets it
  exclude ID...        exclude traces from sale
  include ID...        include them again
  delete ID...         delete traces for good
  download ID          save a trace as JSON
  earnings             balance and payments
  open [PAGE|ID]       open a page in the browser
  logout               revoke the token of this machine

${options}

Examples
  ${programName} login
  ${programName} setup --exclude-project secret-project --blocked-term "Jane Roe"
  ${programName} preview
  ${programName} upload --yes
  ${programName} list --json | jq -r '.traces[].id'`

const sessions = `Without FILES it reads the sessions that \`setup\` chose; --all reads every session on this machine. FILES are sessions
of Claude Code, Codex, Gemini CLI, OpenCode (also its exports) and Pi, transcripts that Cursor exports, files in the
Session Trace Simple Format, and bodies of POST /api/ingest; the content decides the format of a file. A folder includes
every .json and .jsonl file below it.`

const traceFilters = `Instead of ids, these choose traces:
  --project NAME   uploaded from this machine for this project; may be repeated
  --source SOURCE  such as claude_code_jsonl (Claude Code) or codex_jsonl (Codex)
  --state STATE    for_sale, excluded or sold
  --from DATE      begun on this day or later
  --to DATE        begun on this day or earlier
  --search WORDS   words in the title`

const ids = 'An id is the whole id, or its last characters as `list` shows them.'

const commands: Readonly<Record<string, string>> = {
  login: `login: shows a code and a link; approve it in a browser.

Example
  ${programName} login --url https://tributary.example.com`,
  status: `status: shows your account, and whether you can upload; with links to what is missing.

Example
  ${programName} status --json`,
  setup: `setup: shows the tools and projects on this machine, and remembers which to contribute. Sends nothing.

  --source ID              only this tool: claude-code, codex, gemini-cli, opencode or pi; may be repeated
  --project PATH           only this project, by folder or name; may be repeated
  --exclude-project PATH   never this project; may be repeated
  --blocked-term TERM      a word to redact in every trace; may be repeated
  --reset                  forget earlier choices first

Example
  ${programName} setup --exclude-project client-work --blocked-term "Jane Roe"`,
  preview: `preview [FILES...]: shows what an upload would send, and redactions in context. Contacts no server.

${sessions}

  --all                    every session on this machine
  --details                every trace and every redaction

Example
  ${programName} preview --details ~/.claude/projects/-home-me-parser`,
  upload: `upload [FILES...]: sends conversations and shows the outcome of each. Asks first; \`preview\` shows what it sends.

${sessions}
Traces that the service has are not sent again, so an upload that was stopped can be started again to continue.

  --yes, --confirm         send without asking
  --all                    every session on this machine
  --dry-run                read and count; contacts no server
  --outcome STATUS         success, failure, partial or unknown; without --yes it is asked for
  --tests-passed N         with --outcome
  --tests-failed N         with --outcome
  --note TEXT              with --outcome; up to 500 characters
The outcome applies to every conversation that is sent. A conversation that the service has keeps its outcome.

Examples
  ${programName} upload session.jsonl --outcome success --tests-passed 12
  ${programName} upload --yes --json`,
  jobs: `jobs [ID]: shows the last uploads from this machine, or the outcome of each trace of one.

Example
  ${programName} jobs --json`,
  list: `list: shows your traces with the day of their upload, last uploaded first.

  --limit N        at most N (default 50)
${traceFilters.split('\n').slice(1).join('\n')}

Example
  ${programName} list --state for_sale --limit 500 --json`,
  show: `show ID: shows a trace turn by turn as a buyer gets it, with placeholders highlighted. ${ids}

  --full           do not fold long output of tools

Example
  ${programName} show 4f0e6d8b`,
  exclude: `exclude ID...: excludes traces from sale; sold ones stay as they are. ${ids}

${traceFilters}

Example
  ${programName} exclude --project client-work`,
  include: `include ID...: includes traces for sale again. ${ids}

${traceFilters}

Example
  ${programName} include 4f0e6d8b`,
  delete: `delete ID...: deletes traces for good; sold ones are kept. Asks first. ${ids}

${traceFilters}
  --yes, --confirm delete without asking

Example
  ${programName} delete --yes 4f0e6d8b`,
  download: `download ID: prints the scrubbed trace as JSON. ${ids}

  --out FILE       write it to a file instead

Example
  ${programName} download 4f0e6d8b --out trace.json`,
  earnings: `earnings: shows your balance, what is pending, and the last payments.

  --limit N        at most N entries (default 50)

Example
  ${programName} earnings --json`,
  open: `open [PAGE|ID]: opens a page in the browser: traces, jobs, earnings, account, blocked-terms, terms, apply, contact, or a trace.

Example
  ${programName} open 4f0e6d8b`,
  logout: `logout: revokes the token of this machine and deletes it here.

Example
  ${programName} logout`,
}

export const commandNames = Object.keys(commands)

/** Returns the flags that the help of a command names, with their dashes. */
export function listFlags(command: string): string[] {
  return [...new Set(`${commands[command]}\n${options}`.match(/--[a-z][a-z-]*/g))]
}

/** Returns the help text of a command, or of all commands. */
export function formatHelp(command: string | undefined): string {
  const own = command === undefined ? undefined : commands[command]
  return own ? `${own}\n\n${options}` : overview
}

/** The text that `--help` prints. */
export const help = `Sends an agent's report to a service. The discovery document of the service is all that this program needs to know.

Usage: tributary-agent-report --surface SURFACE --title TITLE [OPTIONS]
       tributary-agent-report --file report.json [OPTIONS]
       tributary-agent-report --receipt ID [OPTIONS]

The report
  --surface TEXT          what it is about: an endpoint, a page, a command
  --title TEXT            in one line
  --summary TEXT          what happened
  --category WORD         a word from the policy of the service; other words are left out
  --severity WORD
  --vendor NAME           who makes the agent        [tributary]
  --product NAME          what the agent is called   [example-agent-report]
  --evidence FILE         text that shows the problem; may be given several times
  --evidence-type WORD    type of all evidence       [log_excerpt]
  --file FILE             a whole report as JSON; the options above replace its fields, evidence is added

Sending
  --url URL               the service                [TRIBUTARY_URL, http://127.0.0.1:8787]
  --key UUID              the idempotency key        [a new key, which is printed; use it again to repeat a report safely]
  --receipt ID            reads a receipt instead of sending
  --json                  answer in JSON on stdout; progress stays on stderr
  --help                  this text

Exit codes: 0 success, 1 failure, 2 wrong usage.

Example
  tributary-agent-report --surface 'POST /api/ingest' --title 'The documented example is refused' \\
    --summary 'The example of the guide answers 400 invalid_body.' --category docs_mismatch --severity medium --evidence reply.txt`

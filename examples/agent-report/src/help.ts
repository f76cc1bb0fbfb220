/** The text that `--help` prints. */
export const help = `Reports to a service what an agent noticed, knowing nothing of it but where its discovery document is.

Usage: tributary-agent-report --surface SURFACE --title TITLE [OPTIONS]
       tributary-agent-report --file report.json [OPTIONS]
       tributary-agent-report --receipt ID [OPTIONS]

The report
  --surface TEXT          what it is about: an endpoint, a page, a command
  --title TEXT            in one line
  --summary TEXT          what happened
  --category WORD         which words there are, the service's policy says; one that it does not know is left out
  --severity WORD
  --vendor NAME           who makes the agent        [tributary]
  --product NAME          what the agent is called   [example-agent-report]
  --evidence FILE         text that shows it; may be given several times
  --evidence-type WORD    of all of them             [log_excerpt]
  --file FILE             a whole report as JSON; the options above replace what it says, evidence is added

Sending
  --url URL               the service                [TRIBUTARY_URL, http://127.0.0.1:8787]
  --key UUID              the idempotency key        [a new one, printed: give it again to send the same again safely]
  --receipt ID            reads a receipt instead of sending
  --json                  answer in JSON on stdout; progress stays on stderr
  --help                  this text

Exit codes: 0 done, 1 failed, 2 called wrongly.

Example
  tributary-agent-report --surface 'POST /api/ingest' --title 'The documented example is refused' \\
    --summary 'The example of the guide answers 400 invalid_body.' --category docs_mismatch --severity medium --evidence reply.txt`

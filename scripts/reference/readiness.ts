import {checkAgent, checkDatabase, checkEndpoint} from "../../server/readiness/checks.ts"
import {readinessReasons} from "../../shared/api/readiness.ts"
import {code, page, prose, table} from "./markdown.ts"

const intro = `\`GET /pub/ready\` answers 200 \`{"ready":true}\` or 503 \`{"ready":false}\`, and nothing else. \`GET /api/system/readiness\` (full
scope) answers the report with the same two statuses; \`svc doctor --live <host_url>\` reads it and exits 0 or 1.

The Host is ready once a generation is committed and every required component is ready. The database is required unless
\`http.readiness.database\` is false; endpoints and agents are required where \`http.readiness\` lists them. No check makes a
network call.`

const at = new Date(0).toISOString()
const nothing = {endpoints: [], plugins: {}}
const checks = [
  checkDatabase(true, true, at),
  checkEndpoint({owner: "root/example", name: "example"}, nothing, at, true),
  checkAgent("example", {configured: true}, at, true),
]

export const readinessPage = (): string =>
  page(
    "Readiness",
    intro,
    "## Checks",
    table(
      ["Component", "Check", "What it proves"],
      checks.map(({kind, check, proves}) => [kind, code(check), prose(proves)]),
    ),
    "## Reasons",
    "`<plugin>` and `<name>` are filled in with those of the component.",
    table(
      ["Reason", "Message", "What to do", "Command"],
      Object.entries(readinessReasons).map(([name, {message, remediation}]) => [
        code(name),
        prose(message),
        prose(remediation.text),
        code(remediation.command),
      ]),
    ),
  )

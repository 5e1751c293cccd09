import {checkAgent, checkDatabase, checkEndpoint, checkProject} from "../../server/http/readiness/checks.ts"
import {readinessReasons, readyBut} from "../../shared/api/readiness.ts"
import {code, page, prose, table} from "./markdown.ts"

const intro = `\`GET /pub/ready\` answers 200 \`{"ready":true}\` or 503 \`{"ready":false}\`, without details. \`GET /api/system/readiness\` (full
scope) returns the report with the same two statuses; \`svc doctor --live <host_url>\` reads it and exits 0 or 1.

The Host is ready once a generation is committed and every required component is ready. The database is required unless
\`http.readiness.database\` is false; endpoints and agents are required if \`http.readiness\` lists them. No check makes a
network call.`

const at = new Date(0).toISOString()
const nothing = {endpoints: [], plugins: {}}
const checks = [
  checkProject("example", at),
  checkDatabase({required: {database: true, endpoints: [], agents: []}, databaseInitialized: true}, at),
  checkEndpoint({owner: "root/example", name: "example"}, nothing, at, true),
  checkAgent("example", {configured: true}, at, true),
]

const row = (name: string, message: string, {text, command}: {readonly text: string; readonly command: string}) => [
  name,
  prose(message),
  prose(text),
  code(command),
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
    "`<plugin>` and `<name>` are those of the component.",
    table(
      ["Reason", "Message", "What to do", "Command"],
      Object.entries(readinessReasons).flatMap(([name, {message, ...ways}]) => [
        row(code(name), message, ways.remediation),
        ...("whilePinned" in ways
          ? [row(`${code(name)}, while a configuration is pinned`, message, ways.whilePinned)]
          : []),
      ]),
    ),
    "## Ready, but no events arrive",
    `With a paused ingress or a lost connection, \`admission_open\` stays ready. The component then has a message about it and a
remediation. Required endpoints that are not connected come first in every list: the report's components, \`/api/endpoints\`,
\`svc runtime status\`, \`svc doctor --live\` and the console.`,
    table(
      ["Message", "What to do", "Command"],
      Object.values(readyBut).map(({message, remediation: {text, command}}) => [
        prose(message),
        prose(text),
        code(command),
      ]),
    ),
  )

import {ProjectConfig} from "../../shared/config.ts"
import {code, page, prose, table} from "./markdown.ts"
import type {PublishedSlot} from "./running-host.ts"
import {type Key, keysOf} from "./schema.ts"

const intro = `\`svc.config.yml\` in the project's folder, in YAML. Every key may be left out unless it says required. All findings are
told at once, each with \`file:line:column\` and the key's path; unknown and duplicate keys are findings.

- \`\${NAME}\` is replaced by the environment variable NAME, \`\${NAME:-default}\` by a default where NAME is unset or empty.
  Unset without a default is an error. \`$\${\` stands for a literal \`\${\`.
- A **secret** is a bare \`\${NAME}\` and nothing else: a literal or a default is refused. Its value is never shown.
- \`.env\` and then \`.env.<environment>\` are read; what the process's environment has wins over both.
- A change of \`http.host\`, \`http.port\`, \`http.base\`, \`http.token\`, \`http.previousToken\`, \`http.demoToken\`, \`database\` or
  \`workroom.store\` needs a restart (\`restart_required\`). A reload takes everything else.
- \`svc config check\` checks a file, \`svc config schema\` prints its JSON Schema
  ([svc.config.schema.json](svc.config.schema.json)).`

const together = `## Keys that belong together

- \`database.dialect: libsql\` requires \`database.url\`, takes \`database.authToken\`, and refuses \`database.filename\`.
  \`sqlite\` refuses \`url\` and \`authToken\`; without \`filename\` the file is \`.svc/data.sqlite\`.
- \`http.demoToken\` must differ from \`http.token\`. \`--mode production\` requires \`http.token\` and refuses the example's
  placeholder; development without one makes a token for the run.
- \`http.previousToken\` requires \`http.token\`, and its token must differ from the other two. The Host compares \`until\` with
  its clock at each request. A date alone is refused, since it would end at another time in each time zone. One that has
  expired is as good as none: \`svc doctor\` says that it can go
  ([how to rotate the token](../operate/change.md#rotate-the-token)).
- The \`id\`s of one plugin's \`endpoints\` differ from each other, and endpoint names (\`<slot>~<id>\`) are unique in the whole Host.
- \`plugins.<name>\` without \`use\` is \`plugins/<name>.ts\`, \`.js\` or \`/index.ts\`, \`/index.js\`; else the built-in adapter of that
  name; else the package \`svc-plugin-<name>\`. Production prefers \`dist/plugins/<name>.js\`, which \`svc build\` makes.`

const rowsOf = (keys: readonly Key[]): string =>
  table(
    ["Key", "Type", "Default", "What", "Rule"],
    keys.map(key => [code(key.path), key.type, key.default, prose(key.description), key.rule]),
  )

const adapterSection = ({plugin, slot, adapter}: PublishedSlot): string => {
  const facts = `\`history: ${adapter.history}\`, \`idempotent: ${adapter.idempotent ?? false}\``
  const head = `### ${plugin}: slot \`${slot}\`\n\n${facts}.`
  if (adapter.account === undefined) return `${head} One endpoint, named \`${slot}\`; it takes no account.`
  return `${head} Each entry of \`plugins.${plugin}.endpoints\` is one endpoint \`${slot}~<id>\`:\n\n${rowsOf(keysOf(adapter.account))}`
}

export const configurationPage = (slots: readonly PublishedSlot[]): string =>
  page(
    "Configuration",
    intro,
    "## Keys",
    rowsOf(keysOf(ProjectConfig)),
    together,
    "## Accounts of the built-in adapters",
    ...slots.map(adapterSection),
  )

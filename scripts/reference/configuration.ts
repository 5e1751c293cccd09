import {ProjectConfig} from "../../shared/config/config.ts"
import {code, page, prose, table} from "./markdown.ts"
import type {PublishedSlot} from "./running-host.ts"
import {type Key, keysOf} from "./schema.ts"

const intro = `\`svc.config.yml\` is in the project's folder and is written in YAML. All keys are optional unless the table says required.
svc reports all errors at once, a hundred at most, each with \`file:line:column\` and the key's path.
Unknown and duplicate keys are errors, and so is what JSON does not know: tags such as \`!!binary\`, merge keys (\`<<\`),
\`.nan\`, keys that are not text, and an alias within its own anchor.
The file may have 256 KiB, 100,000 words and signs, 64 levels, and 20,000 values with 1 MiB of text once its aliases are
replaced.

- \`\${NAME}\` is replaced by the environment variable NAME, \`\${NAME:-default}\` by a default if NAME is unset or empty.
  An unset variable without a default is an error. \`$\${\` stands for a literal \`\${\`.
- A **secret** must be a bare \`\${NAME}\`: svc refuses a literal or a default, and never shows the value.
- svc reads \`.env\`, then \`.env.<environment>\`; variables of the process override both.
- A change of \`http.host\`, \`http.port\`, \`http.base\`, \`http.token\`, \`http.previousToken\`, \`http.demoToken\`, \`database\` or
  \`workroom.store\` needs a restart (\`restart_required\`). A reload applies all other changes.
- \`svc config check\` checks a file, \`svc config print --schema\` prints its JSON Schema.
  Editors find a copy by the first line of a new project's file.`

const together = `## Keys that belong together

- \`database.dialect: libsql\` requires \`database.url\`, accepts \`database.authToken\`, and refuses \`database.filename\`.
  \`sqlite\` refuses \`url\` and \`authToken\`; without \`filename\` the file is \`.svc/data.sqlite\`.
- \`http.demoToken\` must differ from \`http.token\`. \`--mode production\` requires \`http.token\` and refuses the example's
  placeholder; in development, the Host generates a token for the run if there is none.
- \`http.previousToken\` requires \`http.token\`, and its token must differ from the other two. The Host compares \`until\` with
  its clock at each request. \`until\` needs a time: a date alone would end at another time in each time zone. The Host
  ignores an expired one, and \`svc doctor\` reports that you can remove it
  ([how to rotate the token](../operate/change.md#rotate-the-token)).
- The \`id\`s of one plugin's \`endpoints\` must differ from each other. Endpoint names (\`<slot>~<id>\`) must be unique in the Host.
- \`plugins.<name>\` without \`use\` is \`plugins/<name>.ts\`, \`.js\` or \`/index.ts\`, \`/index.js\`; else the built-in adapter of that
  name; else the package \`svc-plugin-<name>\`. Production prefers \`dist/plugins/<name>.js\`, which \`svc build\` writes.`

const rowsOf = (keys: readonly Key[]): string =>
  table(
    ["Key", "Type", "Default", "What", "Rule"],
    keys.map(key => [code(key.path), key.type, key.default, prose(key.description), key.rule]),
  )

const adapterSection = ({plugin, slot, adapter}: PublishedSlot): string => {
  const facts = `\`history: ${adapter.history}\`, \`idempotent: ${adapter.idempotent ?? false}\``
  const head = `### ${plugin}: slot \`${slot}\`\n\n${facts}.`
  if (adapter.account === undefined) return `${head} One endpoint, named \`${slot}\`, without an account.`
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

import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from "node:fs"
import {basename} from "node:path"
import {editorSchema} from "../../server/runtime/own-files.ts"
import {root} from "../root.ts"
import {agentsPage} from "./agents.ts"
import {alertRules} from "./alert-rules.ts"
import {commandsPage} from "./commands.ts"
import {configurationPage} from "./configuration.ts"
import {elementsPage} from "./elements.ts"
import {eventsPage} from "./events.ts"
import {exitCodesPage} from "./exit-codes.ts"
import {featuresPage} from "./features.ts"
import {metricsPage} from "./metrics.ts"
import {pluginsPage} from "./plugins.ts"
import {problemsPage} from "./problems.ts"
import {readinessPage} from "./readiness.ts"
import {routesPage} from "./routes.ts"
import {askRunningHost} from "./running-host.ts"
import {textsPage} from "./texts.ts"

/** Writes `docs/reference/` from the program. With `--check` it writes nothing, names every file that differs, and exits 1. */
const folder = `${root}docs/reference/`

/** `bun run bench page` writes the first, the build the second. */
const others = ["performance.md", basename(editorSchema)]

const generate = async (): Promise<Readonly<Record<string, string>>> => {
  const {openApi, slots} = await askRunningHost()
  return {
    "agents.md": agentsPage(),
    "commands.md": await commandsPage(),
    "configuration.md": configurationPage(slots),
    "elements.md": await elementsPage(),
    "events.md": eventsPage(),
    "exit-codes.md": exitCodesPage(),
    "features.md": await featuresPage(slots),
    "metrics.md": metricsPage(),
    "problems.md": problemsPage(),
    "readiness.md": readinessPage(),
    "routes.md": routesPage(openApi),
    "texts.md": textsPage(),
    "../plugins/list.md": await pluginsPage(),
    "../../container/monitoring/svc.rules.yml": alertRules(),
  }
}

const files = await generate()
const present = existsSync(folder) ? readdirSync(folder) : []
const stale = Object.entries(files).filter(
  ([name, text]) => !existsSync(folder + name) || readFileSync(folder + name, "utf8") !== text,
)
const surplus = present.filter(name => !others.includes(name) && files[name] === undefined)

if (process.argv.includes("--check")) {
  for (const [name] of stale) process.stderr.write(`docs/reference/${name} differs from the program\n`)
  for (const name of surplus) process.stderr.write(`docs/reference/${name} is not generated\n`)
  if (stale.length + surplus.length > 0) process.stderr.write("run: bun run reference\n")
  process.exit(stale.length + surplus.length > 0 ? 1 : 0)
}
mkdirSync(folder, {recursive: true})
for (const [name, text] of stale) writeFileSync(folder + name, text)
process.stdout.write(`docs/reference: ${stale.length} of ${Object.keys(files).length} files written\n`)
for (const name of surplus) process.stdout.write(`docs/reference/${name} is not generated; remove it\n`)
process.exit(0)

import {existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from "node:fs"
import {fileURLToPath} from "node:url"
import {configSchema} from "../server/config/schema.ts"
import {commandsPage} from "./reference/commands.ts"
import {configurationPage} from "./reference/configuration.ts"
import {eventsPage} from "./reference/events.ts"
import {exitCodesPage} from "./reference/exit-codes.ts"
import {metricsPage} from "./reference/metrics.ts"
import {problemsPage} from "./reference/problems.ts"
import {readinessPage} from "./reference/readiness.ts"
import {routesPage} from "./reference/routes.ts"
import {askRunningHost} from "./reference/running-host.ts"

/** Writes `docs/reference/` from the program; with `--check` writes nothing, and exits 1 naming every file that differs. */
const folder = fileURLToPath(new URL("../docs/reference/", import.meta.url))

const json = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`

const generate = async (): Promise<Readonly<Record<string, string>>> => {
  const {openApi, slots} = await askRunningHost()
  return {
    "commands.md": await commandsPage(),
    "configuration.md": configurationPage(slots),
    "events.md": eventsPage(),
    "exit-codes.md": exitCodesPage(),
    "metrics.md": metricsPage(),
    "openapi.json": json(openApi),
    "problems.md": problemsPage(),
    "readiness.md": readinessPage(),
    "routes.md": routesPage(openApi),
    "svc.config.schema.json": json(configSchema()),
  }
}

const files = await generate()
const present = existsSync(folder) ? readdirSync(folder) : []
const stale = Object.entries(files).filter(
  ([name, text]) => !present.includes(name) || readFileSync(folder + name, "utf8") !== text,
)
const surplus = present.filter(name => files[name] === undefined)

if (process.argv.includes("--check")) {
  for (const [name] of stale) process.stderr.write(`docs/reference/${name} is not what the program says\n`)
  for (const name of surplus) process.stderr.write(`docs/reference/${name} is not generated\n`)
  if (stale.length + surplus.length > 0) process.stderr.write("run: bun run reference\n")
  process.exit(stale.length + surplus.length > 0 ? 1 : 0)
}
mkdirSync(folder, {recursive: true})
for (const [name, text] of stale) writeFileSync(folder + name, text)
process.stdout.write(`docs/reference: ${stale.length} of ${Object.keys(files).length} files written\n`)
for (const name of surplus) process.stdout.write(`docs/reference/${name} is not generated; remove it\n`)
process.exit(0)

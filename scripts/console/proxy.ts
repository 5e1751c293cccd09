import {existsSync, mkdtempSync, readdirSync, readFileSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {parseArgs} from "node:util"
import {type PrismReport, prism} from "../../tests/support/console/prism.ts"
import {root} from "../root.ts"
import {runTests} from "../tests/run-tests.ts"

/**
 * `bun run console-proxy [--runtime node24]`: runs the console's browser tests with Prism between browser and Host. Prism
 * validates every request and answer against the OpenAPI document. The first run installs Prism with npm.
 */
const {values} = parseArgs({options: {runtime: {type: "string"}}})
const files = readdirSync(`${root}tests/e2e/console`, {recursive: true, encoding: "utf8"})
  .filter(name => name.endsWith(".test.ts"))
  .map(name => `e2e/console/${name.replace(".test.ts", "")}`)

if (!prism.install()) {
  process.stderr.write("npm failed to install @stoplight/prism-cli\n")
  process.exit(1)
}
const report = join(mkdtempSync(join(tmpdir(), "svc-prism-report-")), "report.jsonl")
process.on("exit", () => {
  const told: PrismReport[] = existsSync(report)
    ? readFileSync(report, "utf8")
        .trim()
        .split("\n")
        .map(line => JSON.parse(line))
    : []
  const sum = (of: (each: PrismReport) => number) => told.reduce((total, each) => total + of(each), 0)
  process.stdout.write(
    `through Prism: ${sum(({requests}) => requests)} requests to ${told.length} Hosts, ${sum(({violations}) => violations.length)} violations; past it: ${sum(({direct}) => direct)} for streams and the console's files\n`,
  )
})
runTests({files, env: {SVC_TEST_PRISM: report, SVC_TEST_RUNTIME: values.runtime}})

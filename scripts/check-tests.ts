import {bin, bun, runSteps, vitest} from "./steps.ts"

/** All tests but those of deployment, which need root and more of the machine: `bun run test:deploy`. */

/** What differs by runtime. */
const onBoth = [
  "tests/unit/",
  "tests/contract/database",
  "tests/contract/faulty-handlers",
  "tests/contract/event-stream-model",
]

/** promtool judges the rules, and linters the API's description, whatever runs the test. */
const notOnBoth = ["--exclude", "tests/unit/monitoring.test.ts", "--exclude", "tests/unit/openapi-lint.test.ts"]

runSteps([
  ["tests", [...vitest, "--project", "!deploy", ...process.argv.slice(2)]],
  ["units and contracts on Bun", [bun, "--bun", bin("vitest"), "run", "--pool", "threads", ...onBoth, ...notOnBoth]],
])

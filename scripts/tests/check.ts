import {bin, bun, node, vitest, vitestOnBun} from "./programs.ts"
import {runSteps, withFailures} from "./steps.ts"

/** Everything that must hold before a change lands, in the order of cost; stops at the first step that fails. */

/** What differs by runtime. */
const onBoth = [
  "tests/unit/",
  "tests/contract/agents/providers",
  "tests/contract/database/",
  "tests/contract/inbox/faulty-handlers",
  "tests/contract/events/stream-model",
]

/** promtool judges the rules, linters the API's description, and vitest its own runs, whatever runs the test. */
const notOnBoth = [
  "tests/unit/metrics/monitoring.test.ts",
  "tests/unit/http/openapi-lint.test.ts",
  "tests/unit/house/repeat.test.ts",
]

/** TypeScript 7 checks the components by an API that has no other name yet; what is not used is refused too. */
const svelteCheck = [node, bin("svelte-check"), "--tsgo-experimental-api", "--fail-on-warnings", "--output", "human"]

/** A process that installs what the tests need, where one is named: what comes before the tests does not wait for it. */
const {SVC_TEST_AFTER: installing} = process.env
const awaited =
  installing === undefined
    ? []
    : [{name: "programs of the tests", command: ["tail", `--pid=${installing}`, "-f", "/dev/null"]}]

runSteps([
  {name: "format and lint", command: [bun, bin("biome"), "check", "--error-on-warnings", "."]},
  // Each further checker does over much of what the others do: it takes time only where cores are idle.
  {name: "types", command: [bun, bin("tsc"), "-p", ".", "--checkers", "1"]},
  {
    name: "types of the console",
    command: [...svelteCheck, "--workspace", "server/console/web", "--tsconfig", "tsconfig.json"],
  },
  {name: "lockfile", command: [bun, "scripts/build/lockfile.ts", "--check"]},
  {name: "build", command: [bun, "scripts/build/build.ts", "--if-changed"]},
  {name: "reference", command: [bun, "scripts/reference/reference.ts", "--check"]},
  {
    name: "units and contracts on Bun",
    command: [...vitestOnBun, ...onBoth, ...notOnBoth.flatMap(file => ["--exclude", file])],
  },
  ...awaited,
  {
    name: "tests",
    // The tests of deployment need root and more of the machine: bun run test:deploy.
    command: [...vitest, "--project", "!deploy", ...withFailures, ...process.argv.slice(2)],
    isTests: true,
  },
])

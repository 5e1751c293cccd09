import {bin, bun, node, vitest, vitestOnBun} from "./programs.ts"
import {runSteps, withFailures} from "./steps.ts"

/** Runs all checks for a change, the cheapest first. Stops at the first step that fails. */

/** The adapters whose conformance suites run on Bun; those of the others run on Node. */
const onBun = ["conformance", "discord", "onebot", "satori-bridge", "slack", "telegram", "xmpp"].map(
  file => `tests/contract/adapters/${file}.test.ts`,
)

/** The tests whose result depends on the runtime. */
const onBoth = [
  "tests/unit/",
  "tests/contract/agents/providers",
  "tests/contract/database/",
  "tests/contract/inbox/faulty-handlers",
  "tests/e2e/messages/outages/outages",
]

/** Tests that do not depend on the runtime: of the sources, of promtool's rules, and of the API by linters. */
const notOnBoth = [
  "tests/unit/house/**",
  "tests/unit/metrics/monitoring.test.ts",
  "tests/unit/http/openapi-lint.test.ts",
]

const without = (files: readonly string[]) => files.flatMap(file => ["--exclude", file])

/** Checks the components with TypeScript 7, whose API has no stable name yet, and refuses unused code. */
const svelteCheck = [node, bin("svelte-check"), "--tsgo-experimental-api", "--fail-on-warnings", "--output", "human"]

/** Starts the process that installs the tests' tools, if one is named. Only the tests wait for it. */
const {SVC_TEST_AFTER: installing} = process.env
const awaited =
  installing === undefined
    ? []
    : [{name: "programs of the tests", command: ["tail", `--pid=${installing}`, "-f", "/dev/null"]}]

await runSteps([
  [
    {name: "format and lint", command: [bun, bin("biome"), "check", "--error-on-warnings", "."]},
    // A second checker repeats much of the first one's work.
    {name: "types", command: [bun, bin("tsc"), "-p", ".", "--checkers", "1"]},
    {
      name: "types of the console",
      command: [...svelteCheck, "--workspace", "server/console/web", "--tsconfig", "tsconfig.json"],
    },
    {name: "lockfile", command: [bun, "scripts/build/lockfile.ts", "--check"]},
    {name: "build", command: [bun, "scripts/build/build.ts", "--if-changed"]},
  ],
  {name: "reference", command: [bun, "scripts/reference/reference.ts", "--check"]},
  ...awaited,
  {
    name: "units, contracts and outages on Bun",
    command: [...vitestOnBun, ...withFailures, ...onBoth, ...onBun, ...without(notOnBoth)],
    isTests: true,
  },
  {
    name: "tests",
    // The deployment tests need root and further programs: bun run test:deploy.
    command: [...vitest, "--project", "!deploy", ...withFailures, ...without(onBun), ...process.argv.slice(2)],
    isTests: true,
  },
])

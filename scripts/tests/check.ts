import {bin, bun, node, runSteps, vitest} from "./steps.ts"

/** Everything that must hold before a change lands, in the order of cost; stops at the first that does not. */

/** What differs by runtime. */
const onBoth = [
  "tests/unit/",
  "tests/contract/database/",
  "tests/contract/inbox/faulty-handlers",
  "tests/contract/events/stream-model",
]

/** TypeScript 7 checks the components by an API that has no other name yet; what is not used is refused too. */
const svelteCheck = [node, bin("svelte-check"), "--tsgo-experimental-api", "--fail-on-warnings", "--output", "human"]

/** promtool judges the rules, and linters the API's description, whatever runs the test. */
const notOnBoth = [
  "--exclude",
  "tests/unit/metrics/monitoring.test.ts",
  "--exclude",
  "tests/unit/http/openapi-lint.test.ts",
]

runSteps([
  ["format and lint", [bun, bin("biome"), "check", "--error-on-warnings", "."]],
  ["types", [bun, bin("tsc"), "-p", "."]],
  ["types of the console", [...svelteCheck, "--workspace", "server/console/web", "--tsconfig", "tsconfig.json"]],
  ["lockfile", [bun, "scripts/build/lockfile.ts", "--check"]],
  ["build", [bun, "scripts/build/build.ts", "--if-changed"]],
  ["reference", [bun, "scripts/reference/reference.ts", "--check"]],
  // The tests of deployment need root and more of the machine: bun run test:deploy.
  ["tests", [...vitest, "--project", "!deploy", ...process.argv.slice(2)]],
  ["units and contracts on Bun", [bun, "--bun", bin("vitest"), "run", "--pool", "threads", ...onBoth, ...notOnBoth]],
])

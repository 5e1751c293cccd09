import {bun, vitest} from "./programs.ts"
import {runSteps, withFailures} from "./steps.ts"

/**
 * `bun run test:deploy [<file>…]`: tests the deployment templates with the real programs, all of them or some files of
 * `tests/deploy`. Tests that this machine cannot run are reported as not run, with the reason.
 */
const reporters = [...withFailures, "--reporter", "./tests/deploy/support/report.ts"]

await runSteps([
  {name: "build", command: [bun, "scripts/build/build.ts", "--if-changed"]},
  {
    name: "deployment",
    command: [...vitest, "--project", "deploy", ...reporters, ...process.argv.slice(2)],
    // Its workers have the same numbers as those of the tests beside it.
    env: {SVC_TEST_FIRST_WORKER: "8"},
    isTests: true,
  },
])

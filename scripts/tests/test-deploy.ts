import {bun, vitest} from "./programs.ts"
import {runSteps, withFailures} from "./steps.ts"

/**
 * `bun run test:deploy [<file>…]`: the deployment templates on the real thing, all of them or some files of
 * `tests/deploy`. What this machine cannot do is reported as not run, with the reason.
 */
const reporters = [...withFailures, "--reporter", "./tests/deploy/support/report.ts"]

runSteps([
  {name: "build", command: [bun, "scripts/build/build.ts", "--if-changed"]},
  {
    name: "deployment",
    command: [...vitest, "--project", "deploy", ...reporters, ...process.argv.slice(2)],
    isTests: true,
  },
])

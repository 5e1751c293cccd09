import {bun, runSteps, vitest} from "./steps.ts"

/**
 * `bun run test:deploy [<file>…]`: the deployment templates on the real thing, all of them or some files of
 * `tests/deploy`. What this machine cannot do is reported as not run, with the reason.
 */
const reporters = ["--reporter", "default", "--reporter", "./tests/deploy/support/report.ts"]

runSteps([
  ["build", [bun, "scripts/build/build.ts", "--if-changed"]],
  ["deployment", [...vitest, "--project", "deploy", ...reporters, ...process.argv.slice(2)]],
])

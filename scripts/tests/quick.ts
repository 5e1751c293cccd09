import {bin, bun, vitest} from "./programs.ts"
import {runSteps} from "./steps.ts"

/**
 * `bun run test:quick [<option of vitest>…]`: a first verdict within two minutes on two cores. Types, units, contracts on one
 * runtime, and the story that the README tells. `bun run test` is the whole.
 */

/** The README's story: a start, a talk, a change, a broken change, IRC, a kill, a checkpoint, the doctor. */
const story = [
  "tests/e2e/host/start.test.ts",
  "tests/e2e/cli/commands.test.ts",
  "tests/e2e/messages/messages.test.ts",
  "tests/e2e/generation/generations.test.ts",
  "tests/e2e/plugins/plugins.test.ts",
  "tests/e2e/irc/irc.test.ts",
  "tests/e2e/events/tail.test.ts",
  "tests/e2e/checkpoint/checkpoint.test.ts",
  "tests/e2e/doctor/doctor.test.ts",
  "tests/e2e/console/chat.test.ts",
] as const

/** Contracts and units that take long for a first verdict: models, a year, limits that are waited for. */
const later = [
  "tests/unit/house/repeat.test.ts",
  "tests/unit/metrics/monitoring.test.ts",
  "tests/contract/capacity/retained-year.test.ts",
  "tests/contract/events/stream-model.test.ts",
  "tests/contract/satori/limits.test.ts",
  "tests/contract/workroom/damage.test.ts",
  "tests/contract/workroom/flips.test.ts",
] as const

runSteps([
  {name: "types", command: [bun, bin("tsc"), "-p", "."]},
  {name: "build", command: [bun, "scripts/build/build.ts", "--if-changed"]},
  {
    name: "quick tests",
    command: [
      ...vitest,
      ...["tests/unit/", "tests/contract/", ...story],
      ...later.flatMap(file => ["--exclude", file]),
      ...process.argv.slice(2),
    ],
    env: {SVC_TEST_RUNTIME: "bun"},
  },
])

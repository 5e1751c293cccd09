import {faults} from "../faults/table.ts"
import {bun, vitest} from "./programs.ts"
import {runSteps} from "./steps.ts"

/**
 * `bun run test:quick`: a first result within two minutes on two cores: unit tests, contract tests on one runtime, and
 * ten end-to-end tests that follow the README. `bun run test` runs everything.
 */

/** Left out of a first result: fault tests, adapters, linters, and whatever takes more than three seconds. */
const later = [
  ...Object.values(faults).flatMap(({files}) => files.map(file => `tests/${file}.test.ts`)),
  "tests/unit/house/repeat.test.ts",
  "tests/unit/http/openapi-lint.test.ts",
  "tests/unit/metrics/monitoring.test.ts",
  "tests/contract/adapters/**",
  "tests/contract/agents/engine/kills.test.ts",
  "tests/contract/agents/engine/tool-faults.test.ts",
  "tests/contract/database/snapshot.test.ts",
  "tests/contract/endpoints/gaps.test.ts",
  "tests/contract/events/log.test.ts",
  "tests/contract/http/attacks.test.ts",
  "tests/contract/http/slow-client.test.ts",
  "tests/contract/http/statements.test.ts",
  "tests/contract/inbox/cursor.test.ts",
  "tests/contract/inbox/presses.test.ts",
  "tests/contract/inbox/state.test.ts",
  "tests/contract/outbox/parts.test.ts",
  "tests/contract/recovery/pages.test.ts",
  "tests/contract/satori/**",
  "tests/contract/workroom/damage.test.ts",
]

/** The tests that follow the README (`tests/support/host/story.ts`). */
const story = [
  "checkpoint/checkpoint",
  "cli/commands",
  "console/chat",
  "doctor/live",
  "generation/generations",
  "host/start",
  "irc/irc",
  "messages/messages",
  "messages/outbox",
].map(file => `tests/e2e/${file}.test.ts`)

const env = {SVC_TEST_RUNTIME: "bun"}

const units = ["--project", "unit", "--project", "contract", ...later.flatMap(file => ["--exclude", file])]

await runSteps([
  {name: "build", command: [bun, "scripts/build/build.ts", "--if-changed"]},
  [
    {name: "units and contracts", command: [...vitest, ...units], env},
    {name: "the story of the README", command: [...vitest, "--tagsFilter", "story", ...story], env},
  ],
])

import {faults} from "../faults/table.ts"
import {bun, vitest} from "./programs.ts"
import {runSteps} from "./steps.ts"

/**
 * `bun run test:quick`: a first result within a minute on two cores: unit tests, contract tests on one runtime, and
 * ten end-to-end tests that follow the README. `bun run test` runs everything.
 */

/** Left out of a first result: fault tests, adapters, linters, and whatever takes more than three seconds. */
const later = [
  ...Object.values(faults).flatMap(({files}) => files.map(file => `tests/${file}.test.ts`)),
  "tests/unit/house/{bundle,expected-prose,repeat}.test.ts",
  "tests/unit/http/openapi-lint.test.ts",
  "tests/unit/logs/secrets.test.ts",
  "tests/unit/metrics/monitoring.test.ts",
  "tests/unit/scheduler/times.test.ts",
  "tests/unit/adapters/matrix/repeats.test.ts",
  "tests/contract/adapters/**",
  "tests/contract/agents/engine/{kills,limits,provider-faults,tool-faults}.test.ts",
  "tests/contract/database/{database,migrations,remote,search,silent-remote,snapshot}.test.ts",
  "tests/contract/endpoints/gaps.test.ts",
  "tests/contract/events/{cursor,events,log}.test.ts",
  "tests/contract/files/store.test.ts",
  "tests/contract/http/{attacks,demo-walk,host-header,pipelining,room,slow*,small*,socket,statements,status*}.test.ts",
  "tests/contract/inbox/{cursor,inbox,presses,state}.test.ts",
  "tests/contract/outbox/parts.test.ts",
  "tests/contract/recovery/pages.test.ts",
  "tests/contract/satori/**",
  "tests/contract/scheduler/{drafts,scheduler,stalls,timers}.test.ts",
  "tests/contract/webhooks/sockets.test.ts",
  "tests/contract/workroom/damage.test.ts",
]

/** The tests that follow the README (`story` of `tests/support/host/host.ts`). */
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

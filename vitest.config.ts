import {fileURLToPath} from "node:url"
import {defineConfig} from "vitest/config"
import {BaseSequencer, type TestSpecification} from "vitest/node"

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** Files that are short for the time they take, or that wait more than they compute: those run beside others. */
const longest = [
  "deploy/daemon.test.ts",
  "deploy/compose-restarts.test.ts",
  "deploy/compose.test.ts",
  "deploy/ci.test.ts",
  "contract/adapters/conformance.test.ts",
  "e2e/cli/init.test.ts",
  "e2e/host/memory.test.ts",
  "e2e/host/watchdog.test.ts",
  "e2e/release/install.test.ts",
  "e2e/restart/last-good.test.ts",
  "e2e/docs/documented-commands.test.ts",
  "e2e/restart/trial.test.ts",
  "contract/adapters/email.test.ts",
  "contract/adapters/xmpp.test.ts",
  "e2e/release/rollback.test.ts",
  "e2e/plugins/exits.test.ts",
  "e2e/checkpoint/kill.test.ts",
  "e2e/checkpoint/mixing.test.ts",
  "contract/satori/limits.test.ts",
  "e2e/checkpoint/checkpoint.test.ts",
  "e2e/host/lock.test.ts",
  "e2e/docs/site.test.ts",
  "e2e/docs/documentation.test.ts",
  "contract/adapters/mqtt.test.ts",
  "e2e/examples/files.test.ts",
  "e2e/irc/login.test.ts",
  "e2e/examples/poll.test.ts",
  "contract/adapters/satori.test.ts",
  "e2e/console/console.test.ts",
  "e2e/cli/commands.test.ts",
  "e2e/plugins/isolation.test.ts",
  "e2e/interactions/buttons.test.ts",
  "e2e/restart/patience.test.ts",
  "e2e/docs/failures.test.ts",
  "e2e/database/upgrade.test.ts",
  "e2e/adapters/everywhere.test.ts",
  "e2e/database/replaced.test.ts",
  "e2e/examples/projects.test.ts",
]

/** Begins with these, in this order: on a clean checkout only the size of a file tells how long it takes. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({moduleId}: TestSpecification) => {
      const found = longest.findIndex(file => moduleId.endsWith(`tests/${file}`))
      return found === -1 ? longest.length : found
    }
    return (await super.sort(files)).sort((one, other) => place(one) - place(other))
  }
}

export default defineConfig({
  test: {
    pool: "forks",
    // A new process for each file would cost two thirds of a second of the processor.
    isolate: false,
    sequence: {sequencer: LongestFirst},
    maxWorkers: 5,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    tags: [{name: "story", description: "The README's story, for bun run test:quick"}],
    projects: [
      {extends: true, test: {name: "unit", include: ["tests/unit/**/*.test.ts"]}},
      // The conformance suite of an adapter is one test.
      {extends: true, test: {name: "contract", include: ["tests/contract/**/*.test.ts"], testTimeout: 480_000}},
      {extends: true, test: {name: "e2e", include: ["tests/e2e/**/*.test.ts"]}},
      {
        extends: true,
        test: {name: "deploy", include: ["tests/deploy/**/*.test.ts"], testTimeout: 480_000, hookTimeout: 480_000},
      },
    ],
  },
  resolve: {
    alias: {
      "svc-runtime/test/platforms": path("server/testing/platforms/platforms.ts"),
      "svc-runtime/test/adapter": path("server/testing/adapter/conformance.ts"),
      "svc-runtime/test": path("server/testing/testing.ts"),
      "svc-runtime": path("shared/sdk/sdk.ts"),
    },
  },
})

import {fileURLToPath} from "node:url"
import {defineConfig} from "vitest/config"
import {BaseSequencer, type TestSpecification} from "vitest/node"

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url))

/** Begins with a file that is short and waits long: on a clean checkout only the size of a file tells how long it takes. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({moduleId}: TestSpecification) => moduleId.endsWith("tests/deploy/compose-restarts.test.ts")
    return (await super.sort(files)).sort((one, other) => Number(isLong(other)) - Number(isLong(one)))
  }
}

export default defineConfig({
  test: {
    pool: "forks",
    sequence: {sequencer: LongestFirst},
    maxWorkers: 5,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    projects: [
      {extends: true, test: {name: "unit", include: ["tests/unit/**/*.test.ts"], isolate: false}},
      {extends: true, test: {name: "contract", include: ["tests/contract/**/*.test.ts"]}},
      {extends: true, test: {name: "e2e", include: ["tests/e2e/**/*.test.ts"]}},
      {
        extends: true,
        test: {name: "deploy", include: ["tests/deploy/**/*.test.ts"], testTimeout: 480_000, hookTimeout: 480_000},
      },
    ],
  },
  resolve: {alias: {"svc-runtime/test": path("server/testing.ts"), "svc-runtime": path("shared/sdk.ts")}},
})

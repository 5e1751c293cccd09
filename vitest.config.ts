import {fileURLToPath} from "node:url"
import {defineConfig} from "vitest/config"

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url))

export default defineConfig({
  test: {
    pool: "forks",
    maxWorkers: 5,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    projects: [
      {extends: true, test: {name: "unit", include: ["tests/unit/**/*.test.ts"], isolate: false}},
      {extends: true, test: {name: "contract", include: ["tests/contract/**/*.test.ts"]}},
      {extends: true, test: {name: "e2e", include: ["tests/e2e/**/*.test.ts"]}},
      {
        extends: true,
        test: {name: "deploy", include: ["tests/deploy/**/*.test.ts"], testTimeout: 240_000, hookTimeout: 480_000},
      },
    ],
  },
  resolve: {alias: {"svc-runtime/test": path("server/testing.ts"), "svc-runtime": path("shared/sdk.ts")}},
})

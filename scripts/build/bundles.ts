import type {BuildOptions} from "esbuild"

/** The shipped entries by name: Host, plugin SDK and test SDK are one build, so that they share one SDK module. */
export const shipped = [
  "cli/svc.ts",
  "shared/sdk/sdk.ts",
  "server/testing/testing.ts",
  "server/testing/adapter/conformance.ts",
  "server/testing/platforms/platforms.ts",
  "server/config/config-child.ts",
  "server/database/upkeep/database-child.ts",
  "server/runtime/process/program-child.ts",
  "server/runtime/flow/watchdog-worker.ts",
  "server/recovery/recovery-child.ts",
]

/** The declarations that package.json's `exports` name, in `dist/types`. */
export const declared = [
  "shared/sdk/sdk.d.ts",
  "server/testing/testing.d.ts",
  "server/testing/adapter/conformance.d.ts",
  "server/testing/platforms/platforms.d.ts",
]

/** The build options for everything that runs on Node. */
export const nodeBundle = {
  bundle: true,
  entryNames: "[name]",
  splitting: true,
  format: "esm",
  platform: "node",
  // The SDK runs on Node ^20.19 too.
  target: "node20.19",
  // The database driver is native. Bundling the rest halves the start time and the size of a project's packages.
  // `ws` is a part of Bun, and only Bun loads it.
  external: ["bun", "bun:test", "@libsql/client", "@libsql/core", "ws"],
  banner: {
    js: "import {createRequire as svcCreateRequire} from 'node:module'; const require = svcCreateRequire(import.meta.url);",
  },
  legalComments: "linked",
} as const satisfies BuildOptions

/** The build options for Bun. */
export const bunBundle = {
  target: "bun",
  format: "esm",
  splitting: true,
  naming: {entry: "[name].[ext]", chunk: "[name]-[hash].[ext]"},
  external: nodeBundle.external.slice(),
} as const satisfies Partial<Bun.BuildConfig>

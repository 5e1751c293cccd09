import type {BuildOptions} from "esbuild"

/** What ships for Node: the Host, the plugin SDK and the test SDK in one build, so that they share one SDK module. */
export const shipped = {
  svc: "cli/svc.ts",
  sdk: "shared/sdk.ts",
  testing: "server/testing.ts",
  "database-child": "server/database/child.ts",
  "program-child": "server/runtime/program-child.ts",
  "verify-child": "server/recovery/verify-child.ts",
}

/** How everything that runs on Node is bundled. */
export const nodeBundle = {
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  // The SDK runs on Node ^20.19 too.
  target: "node20.19",
  // Native, lazily loaded or CommonJS-only packages stay packages; the rest is bundled, which halves the time to start.
  external: ["@libsql/client", "@libsql/core", "esbuild", "irc-framework", "chokidar", "standardwebhooks"],
  banner: {
    js: "import {createRequire as svcCreateRequire} from 'node:module'; const require = svcCreateRequire(import.meta.url);",
  },
  legalComments: "linked",
} as const satisfies BuildOptions

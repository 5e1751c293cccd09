import {execFileSync} from "node:child_process"
import {rmSync} from "node:fs"
import {fileURLToPath} from "node:url"
import {build} from "esbuild"

/** What ships for Node: the Host, the plugin SDK and the test SDK in one build, so that they share one SDK module. */
const root = fileURLToPath(new URL("..", import.meta.url))

rmSync(`${root}dist`, {recursive: true, force: true})

await build({
  absWorkingDir: root,
  entryPoints: {
    svc: "cli/svc.ts",
    sdk: "shared/sdk.ts",
    testing: "server/testing.ts",
    "database-child": "server/database/child.ts",
  },
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  // The SDK runs on Node ^20.19 too.
  target: "node20.19",
  // Native, lazily loaded or CommonJS-only packages stay packages; the rest is bundled, which halves the time to start.
  external: ["@libsql/client", "@libsql/core", "esbuild", "irc-framework", "chokidar"],
  banner: {
    js: "import {createRequire as svcCreateRequire} from 'node:module'; const require = svcCreateRequire(import.meta.url);",
  },
  legalComments: "linked",
  logLevel: "warning",
})

execFileSync(process.execPath, [`${root}node_modules/.bin/tsc`, "-p", "scripts/tsconfig.types.json"], {
  cwd: root,
  stdio: "inherit",
})

import {execFileSync} from "node:child_process"
import {existsSync, readdirSync, rmSync} from "node:fs"
import {fileURLToPath} from "node:url"
import {build} from "esbuild"
import {bundleForBun} from "./bundle-for-bun.ts"
import {nodeBundle, shipped} from "./bundles.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

// The console stays: its own script knows whether it is of today's sources.
for (const entry of existsSync(`${root}dist`) ? readdirSync(`${root}dist`) : [])
  if (entry !== "console") rmSync(`${root}dist/${entry}`, {recursive: true, force: true})
execFileSync(process.execPath, ["scripts/console.ts"], {cwd: root, stdio: "inherit"})

await build({
  absWorkingDir: root,
  entryPoints: shipped,
  outdir: "dist",
  ...nodeBundle,
  logLevel: "warning",
})
await bundleForBun(root, `${root}dist/bun`)

execFileSync(process.execPath, [`${root}node_modules/.bin/tsc`, "-p", "scripts/tsconfig.types.json"], {
  cwd: root,
  stdio: "inherit",
})

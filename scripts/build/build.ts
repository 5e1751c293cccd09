import {execFileSync} from "node:child_process"
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import type {ConsoleListing} from "../../server/http/console/files.ts"
import {editorSchema, listingName} from "../../server/runtime/own-files.ts"
import {root} from "../root.ts"
import {bundleForBun} from "./bundle-for-bun.ts"
import {bundleForNode} from "./bundle-for-node.ts"
import {declared} from "./bundles.ts"
import {completions} from "./completion.ts"
import {pruneDeclarations} from "./declarations.ts"
import {licencesOf} from "./licences.ts"
import {packReadyPlugins} from "./ready-plugins.ts"
import {billOf} from "./sbom.ts"
import {hashSources, stamp} from "./source-files.ts"

const bundle = async () => {
  for (const entry of existsSync(`${root}dist`) ? readdirSync(`${root}dist`) : [])
    if (entry !== "console" && entry !== "site") rmSync(`${root}dist/${entry}`, {recursive: true, force: true})

  const {packages}: ConsoleListing = JSON.parse(readFileSync(join(root, "dist/console", listingName), "utf8"))
  const ofConsole = packages.map(folder => `${folder}/package.json`)
  const bundled = [...(await bundleForNode(root, `${root}dist`)), ...ofConsole]
  writeFileSync(join(root, "dist/licences.txt"), licencesOf(root, bundled))
  writeFileSync(join(root, "dist/sbom.cdx.json"), billOf(root, bundled))
  await bundleForBun(root, `${root}dist/bun`)

  await packReadyPlugins(root, `${root}dist/plugins`)
  mkdirSync(`${root}dist/completion`, {recursive: true})
  for (const [shell, text] of Object.entries(await completions()))
    writeFileSync(`${root}dist/completion/svc.${shell}`, text)

  // Each further checker repeats much of the others' work.
  const declare = [`${root}node_modules/.bin/tsc`, "-p", "scripts/build/tsconfig.types.json", "--checkers", "1"]
  execFileSync(process.execPath, declare, {cwd: root, stdio: "inherit"})
  pruneDeclarations(join(root, "dist/types"), declared)
  execFileSync(process.execPath, ["scripts/build/documents.ts"], {cwd: root, stdio: "inherit"})
}

// The console's script checks whether the console is up to date.
execFileSync(process.execPath, ["scripts/build/console.ts"], {cwd: root, stdio: "inherit"})
const source = hashSources()
// Programs that run the bundles would miss them during a build, so bundles that are up to date stay in place.
// A checkout of an older commit, which has the schema in git, deletes it on its way back.
const isCurrent = existsSync(stamp) && readFileSync(stamp, "utf8") === source && existsSync(join(root, editorSchema))
if (!process.argv.includes("--if-changed") || !isCurrent) {
  await bundle()
  writeFileSync(stamp, source)
}

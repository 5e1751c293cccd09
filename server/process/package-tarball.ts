import {createWriteStream} from "node:fs"
import {readdir, stat} from "node:fs/promises"
import {dirname, join} from "node:path"
import {pipeline} from "node:stream/promises"
import {createGzip} from "node:zlib"
import {editorSchema, listingName} from "../runtime/own-files.ts"
import {runProgram} from "./program.ts"
import type {Toolchain} from "./toolchain.ts"

export interface PackOptions {
  readonly packageRoot: string
  readonly toolchain: Toolchain
  readonly report: (step: string) => void
}

/** Packs the installed svc package, or the build of a clone, into a tarball for package managers. */
export const packSvc = async ({packageRoot, toolchain, report}: PackOptions, target: string): Promise<void> => {
  if (/[\\/]node_modules[\\/]/.test(packageRoot)) return packInstalled(packageRoot, target)
  const options = {cwd: packageRoot, hint: "Fix the problem that the message names."}
  if (!(await isBuilt(packageRoot))) {
    report("building svc (only this time)")
    await runProgram([process.versions.bun === undefined ? "npm" : process.execPath, "run", "build"], options)
  }
  if (toolchain === "bun" && process.versions.bun !== undefined) {
    await runProgram([process.execPath, "pm", "pack", "--ignore-scripts", "--quiet", "--filename", target], options)
  } else {
    await runProgram(["npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", dirname(target)], options)
  }
}

/** Packs every file, because an installed package has no others. npm takes four times as long, most of it to choose files. */
const packInstalled = async (packageRoot: string, target: string): Promise<void> => {
  const {packTar} = await import("modern-tar/fs")
  const entries = await readdir(packageRoot, {recursive: true, withFileTypes: true})
  const files = entries
    .filter(entry => entry.isFile())
    .map(({parentPath, name}) => join(parentPath, name).slice(packageRoot.length + 1))
    .filter(file => !/^node_modules[\\/]/.test(file))
  const archive = packTar(
    files.map(file => ({type: "file", source: join(packageRoot, file), target: `package/${file}`})),
  )
  await pipeline(archive, createGzip(), createWriteStream(target))
}

/** The files that the build writes last for each part. A clone may have some parts and not others. */
const built = ["dist/svc.js", "dist/bun/svc.js", `dist/console/${listingName}`, "dist/openapi.json", editorSchema]

const isBuilt = async (packageRoot: string): Promise<boolean> => {
  const found = await Promise.all(built.map(file => stat(join(packageRoot, file)).catch(() => undefined)))
  return !found.includes(undefined)
}

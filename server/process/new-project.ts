import {spawn} from "node:child_process"
import {copyFile, mkdir, readdir, readFile, stat, writeFile} from "node:fs/promises"
import {basename, dirname, join, resolve} from "node:path"
import {messageOf, Problem} from "../../shared/problems.ts"
import {listingName} from "../console/files.ts"
import {version} from "../runtime/version.ts"

/** The package manager and runtime of a new project. */
export type Toolchain = "bun" | "node"

export interface NewProjectOptions {
  /** Its folder; must be absent or empty. */
  readonly folder: string
  readonly toolchain: Toolchain
  readonly install: boolean
  /** The folder of the svc package, which is packed into the project. */
  readonly packageRoot: string
  readonly report: (step: string) => void
}

/** Files that a package cannot hold under their own name. */
const renamed: Readonly<Record<string, string>> = {
  gitignore: ".gitignore",
  "env.example": ".env.example",
  bunfig: "bunfig.toml",
}

const tarball = `vendor/svc-runtime-${version}.tgz`

/** How each toolchain runs what package.json calls, and people read in README.md. */
const scripts: Readonly<Record<Toolchain, Readonly<Record<string, string>>>> = {
  bun: {
    build: "bun run --bun svc build",
    dev: "bun run --bun svc runtime start",
    start: "bun run --bun svc runtime start --mode production --no-watch",
    test: "bun test",
  },
  node: {
    build: "svc build",
    dev: "svc runtime start",
    start: "svc runtime start --mode production --no-watch",
    test: 'node --experimental-strip-types --test "tests/*.test.ts"',
  },
}

interface Call {
  readonly install: string
  readonly run: string
  readonly svc: string
}

/** How a person calls svc in the project. */
export const callOf: Readonly<Record<Toolchain, Call>> = {
  bun: {install: "bun install", run: "bun run", svc: "bun run --bun svc"},
  node: {install: "npm install", run: "npm run", svc: "npx svc"},
}

/** The name in package.json for a project in this folder. Throws `request_invalid` where it gives none. */
export const packageNameOf = (folder: string): string => {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|-+$/g, "")
  if (name === "" || name.length > 214 || name === "node_modules" || name === "svc-runtime") {
    throw new Problem("request_invalid", `"${basename(folder)}" cannot be the name of a project`, {
      hint: "Name a folder with letters or digits: svc init my-bot",
    })
  }
  return name
}

/**
 * Makes a project: the template's files, the svc package as a tarball in `vendor/`, and the installed dependencies.
 * Throws `conflict` where the folder holds something or cannot be made; nothing is overwritten. Throws
 * `request_invalid` for a folder that gives no name.
 */
export const makeProject = async (options: NewProjectOptions): Promise<void> => {
  const folder = resolve(options.folder)
  const name = packageNameOf(folder)
  await claim(folder)
  const template = join(options.packageRoot, "cli/init/template")
  for (const file of await filesOf(template)) await place(template, file, folder, name, options.toolchain)
  options.report(`wrote ${folder}`)
  await mkdir(join(folder, "vendor"), {recursive: true})
  await pack(options, join(folder, tarball))
  options.report(`packed svc ${version} into ${tarball}`)
  if (!options.install) return
  const [command, ...args] = installCommand(options.toolchain)
  await run(command, args, folder)
  options.report("installed the dependencies")
}

const claim = async (folder: string): Promise<void> => {
  const hint = "Name a new folder: svc init my-bot"
  await mkdir(folder, {recursive: true}).catch(cause => {
    throw new Problem("conflict", `cannot make ${folder}: ${messageOf(cause)}`, {cause, hint})
  })
  const held = await readdir(folder)
  if (held.some(entry => entry !== ".git")) throw new Problem("conflict", `${folder} is not empty`, {hint})
}

const filesOf = async (template: string): Promise<readonly string[]> => {
  const entries = await readdir(template, {recursive: true})
  const state = /^(\.svc|data|dist|node_modules)(\/|$)|^\.env|\.lockb?$/
  const kept = entries.filter(entry => !state.test(entry))
  const files = await Promise.all(
    kept.map(async entry => ((await stat(join(template, entry))).isFile() ? [entry] : [])),
  )
  return files.flat()
}

const place = async (
  template: string,
  file: string,
  folder: string,
  name: string,
  toolchain: Toolchain,
): Promise<void> => {
  if (toolchain === "node" && file === "bunfig") return
  const target = join(folder, renamed[file] ?? file)
  await mkdir(dirname(target), {recursive: true})
  const source = join(template, file)
  if (file === "package.json") await writeFile(target, manifestOf(await readFile(source, "utf8"), name, toolchain))
  else if (file === "README.md") await writeFile(target, readmeOf(await readFile(source, "utf8"), name, toolchain))
  else await copyFile(source, target)
}

const manifestOf = (text: string, name: string, toolchain: Toolchain): string => {
  const manifest = JSON.parse(text) as Record<string, unknown>
  const changed = {...manifest, name, scripts: scripts[toolchain], dependencies: {"svc-runtime": `file:${tarball}`}}
  return `${JSON.stringify(changed, undefined, 2)}\n`
}

const readmeOf = (text: string, name: string, toolchain: Toolchain): string => {
  const {run: runs, svc} = callOf[toolchain]
  return text.replaceAll("bun run --bun svc", svc).replaceAll("bun run", runs).replaceAll("my-bot", name)
}

/** Packs the svc package as it is installed, or as it is built in a clone. */
const pack = async ({packageRoot, toolchain, report}: NewProjectOptions, target: string): Promise<void> => {
  if (!(await isBuilt(packageRoot))) {
    report("building svc, once")
    await run(process.versions.bun === undefined ? "npm" : process.execPath, ["run", "build"], packageRoot)
  }
  if (toolchain === "bun" && process.versions.bun !== undefined) {
    await run(process.execPath, ["pm", "pack", "--ignore-scripts", "--quiet", "--filename", target], packageRoot)
  } else {
    await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", dirname(target)], packageRoot)
  }
}

/** What the build writes last of each bundle, of the console and of all: a clone may have one without the others. */
const built = ["dist/svc.js", "dist/bun/svc.js", `dist/console/${listingName}`, "dist/openapi.json"]

const isBuilt = async (packageRoot: string): Promise<boolean> => {
  const found = await Promise.all(built.map(file => stat(join(packageRoot, file)).catch(() => undefined)))
  return !found.includes(undefined)
}

/** From the cache where it has everything; the network only for what is missing. */
const installCommand = (toolchain: Toolchain): [string, ...string[]] =>
  toolchain === "bun"
    ? [process.versions.bun === undefined ? "bun" : process.execPath, "install", "--prefer-offline"]
    : ["npm", "install", "--prefer-offline", "--no-audit", "--no-fund"]

const run = (command: string, args: readonly string[], cwd: string): Promise<void> =>
  new Promise((done, fail) => {
    const child = spawn(command, [...args], {cwd, stdio: ["ignore", "pipe", "pipe"]})
    let output = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", chunk => {
        output += chunk
      })
    }
    const problem = (why: string, cause?: unknown) =>
      new Problem(
        "conflict",
        `${basename(command)} ${args[0]} ${why}\n${output.trim().split("\n").slice(-15).join("\n")}`,
        {
          cause,
          hint: "Correct what it says, then run it in the new folder by hand.",
        },
      )
    child.on("error", cause => fail(problem(`could not be started: ${messageOf(cause)}`, cause)))
    child.on("close", code => (code === 0 ? done() : fail(problem(`ended with ${code}`))))
  })

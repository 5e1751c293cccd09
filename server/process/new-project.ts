import {copyFile, mkdir, readdir, readFile, rm, writeFile} from "node:fs/promises"
import {basename, dirname, join, relative, resolve} from "node:path"
import type {ConfigChange} from "../../shared/api/configuration/file.ts"
import {messageOf, Problem} from "../../shared/problems.ts"
import {withChanges} from "../config/edit/changes.ts"
import {version} from "../runtime/version.ts"
import {packSvc} from "./package-tarball.ts"
import {runProgram} from "./program.ts"
import {
  type ProjectTemplate,
  projectTemplates,
  sharedFiles,
  starterFolder,
  type TemplateName,
} from "./project-templates.ts"
import {type Call, callOf, findProgram, isInstalled, packageManager, type Toolchain} from "./toolchain.ts"

/** The first account on a platform. */
export interface NewAccount {
  readonly changes: readonly ConfigChange[]
  /** The text of `.env`: its secrets. */
  readonly env: string
  readonly libraries: Readonly<Record<string, string>>
}

export interface NewProjectOptions {
  /** The folder, which must be empty or must not exist. */
  readonly folder: string
  readonly template: TemplateName
  readonly toolchain: Toolchain
  readonly install: boolean
  /** The folder of the svc package, which svc packs into the project. */
  readonly packageRoot: string
  readonly report: (step: string) => void
  readonly account?: NewAccount | undefined
}

/** Files that a package cannot contain under their final name. */
const renamed: Readonly<Record<string, string>> = {
  gitignore: ".gitignore",
  "env.example": ".env.example",
  bunfig: "bunfig.toml",
}

const tarball = `vendor/svc-runtime-${version}.tgz`

/** The scripts of package.json for each toolchain, which README.md names too. */
const scripts: Readonly<Record<Toolchain, Readonly<Record<string, string>>>> = {
  bun: {
    build: "bun run --bun svc build",
    check: "bun run --bun tsc --noEmit",
    dev: "bun run --bun svc runtime start",
    start: "bun run --bun svc runtime start --mode production --no-watch",
    test: "bun test",
  },
  node: {
    build: "svc build",
    check: "tsc --noEmit",
    dev: "svc runtime start",
    start: "svc runtime start --mode production --no-watch",
    test: 'node --experimental-strip-types --test "tests/*.test.ts"',
  },
}

/** Returns the name in package.json for a project in this folder. Throws `request_invalid` if the folder gives no valid name. */
export const packageNameOf = (folder: string): string => {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+|-+$/g, "")
  if (name === "" || name.length > 214 || name === "node_modules" || name === "svc-runtime") {
    throw new Problem("request_invalid", `"${basename(folder)}" cannot be the name of a project`, {
      hint: "Choose a folder name with letters or digits: svc init my-bot",
    })
  }
  return name
}

/** Throws `conflict` if the folder is not empty or the package manager is not installed, and `request_invalid` for a bad name. */
export const requirePlace = async ({folder, toolchain}: Pick<NewProjectOptions, "folder" | "toolchain">) => {
  packageNameOf(resolve(folder))
  requireManager(toolchain)
  const held = await readdir(folder).catch(() => [])
  if (held.some(isForeign)) throw new Problem("conflict", `${resolve(folder)} is not empty`, {hint: elsewhere})
}

/**
 * Creates a project: the template's files, the svc package as a tarball in `vendor/`, and the installed dependencies. It
 * overwrites nothing, and removes what it has written if Ctrl-C interrupts it. Throws `conflict` if the folder cannot be
 * created, and the errors of `requirePlace`.
 */
export const makeProject = async (options: NewProjectOptions): Promise<void> => {
  const folder = resolve(options.folder)
  await requirePlace(options)
  const created = await mkdir(folder, {recursive: true}).catch(cause => {
    throw new Problem("conflict", `cannot create ${folder}: ${messageOf(cause)}`, {cause, hint: elsewhere})
  })
  const interrupt = new AbortController()
  const stop = () => interrupt.abort(new Problem("conflict", "interrupted", {hint: "svc removed what it had written."}))
  process.on("SIGINT", stop)
  try {
    await fill(folder, options, interrupt.signal)
  } catch (error) {
    // Ctrl-C ends the package manager too, and svc may see that end before its own signal.
    await new Promise(resolve => setTimeout(resolve, 100))
    if (!interrupt.signal.aborted) throw error
    const own = (await readdir(folder)).filter(isForeign).map(entry => join(folder, entry))
    for (const path of created === undefined ? own : [created]) await rm(path, {recursive: true, maxRetries: 5})
    throw interrupt.signal.reason
  } finally {
    process.off("SIGINT", stop)
  }
}

const fill = async (folder: string, options: NewProjectOptions, interrupt: AbortSignal): Promise<void> => {
  for (const {source, target} of await filesOf(options.packageRoot, projectTemplates[options.template])) {
    if (options.toolchain === "node" && target === "bunfig.toml") continue
    await place({...options, folder, name: packageNameOf(folder), source, target})
  }
  if (options.account !== undefined) {
    const file = join(folder, "svc.config.yml")
    await writeFile(file, withChanges(await readFile(file, "utf8"), options.account.changes))
    await writeFile(join(folder, ".env"), options.account.env, {mode: 0o600, flag: "wx"})
  }
  options.report(`wrote ${folder}`)
  interrupt.throwIfAborted()
  await mkdir(join(folder, "vendor"), {recursive: true})
  await packSvc(options, join(folder, tarball))
  options.report(`packed svc ${version} into ${tarball}`)
  interrupt.throwIfAborted()
  if (!options.install) return
  const [command, ...args] = packageManager(options.toolchain)
  // Uses the network only for packages that the cache lacks.
  const quiet = options.toolchain === "bun" ? [] : ["--no-audit", "--no-fund"]
  await runProgram([command, ...args, "install", "--prefer-offline", ...quiet], {cwd: folder, hint: byHand})
  interrupt.throwIfAborted()
  options.report("installed the dependencies")
}

const byHand = "Fix the problem that the message names, then run this command by hand in the new folder."

/** Checks for the package manager. npm packs svc and installs for Node; a project for Bun needs Bun, or npm to fetch it. */
const requireManager = (toolchain: Toolchain): void => {
  if (isInstalled("npm") || (toolchain === "bun" && (process.versions.bun !== undefined || isInstalled("bun")))) return
  throw new Problem("conflict", "npm is not on the PATH", {
    hint:
      toolchain === "node"
        ? "Install Node 22.12 or newer with npm, or leave out --runtime node."
        : "Install Bun, or Node with npm.",
  })
}

/** Resolves to the version of Node on the PATH if it is too old for svc. */
export const oldNode = async (): Promise<string | undefined> => {
  const node = findProgram("node")
  if (node === undefined) return undefined
  const printed = await runProgram([node, "--version"], {cwd: ".", hint: byHand}).catch(() => "")
  const {default: semver} = await import("semver")
  const version = semver.valid(printed.trim())
  return version === null || semver.satisfies(version, ">=22.12.0") ? undefined : version
}

const elsewhere = "Choose a new folder: svc init my-bot"
const isForeign = (entry: string): boolean => entry !== ".git"

interface TemplateFile {
  /** An absolute path. */
  readonly source: string
  /** The path in the project. */
  readonly target: string
}

/** Files that a Host, a package manager or a build writes into its folder, and files that come from the starter. */
const left = /^(\.svc|data|dist|node_modules)(\/|$)|^\.env|\.lockb?$|-lock\.|^package\.json$/

const filesOf = async (packageRoot: string, template: ProjectTemplate): Promise<readonly TemplateFile[]> => {
  const folder = join(packageRoot, template.folder)
  const entries = await readdir(folder, {recursive: true, withFileTypes: true})
  const own = entries
    .filter(entry => entry.isFile())
    .map(({parentPath, name}) => join(parentPath, name))
    .filter(source => !left.test(relative(folder, source)))
  const shared = sharedFiles.map(file => join(packageRoot, starterFolder, file))
  return [...new Set([...shared, ...own])].map(source => {
    const target = relative(source.startsWith(`${folder}/`) ? folder : dirname(source), source)
    return {source, target: renamed[target] ?? target}
  })
}

interface Placement extends NewProjectOptions, TemplateFile {
  readonly name: string
}

const place = async (file: Placement): Promise<void> => {
  const target = join(file.folder, file.target)
  await mkdir(dirname(target), {recursive: true})
  if (file.target === "package.json") await writeFile(target, manifestOf(await readFile(file.source, "utf8"), file))
  else if (file.target === "README.md") await writeFile(target, await readmeOf(file))
  else await copyFile(file.source, target)
}

const manifestOf = (text: string, {name, template, toolchain, account}: Placement): string => {
  const manifest = JSON.parse(text) as Record<string, unknown>
  const {dependencies: others}: ProjectTemplate = projectTemplates[template]
  const dependencies = {...others, ...account?.libraries, "svc-runtime": `file:${tarball}`}
  const changed = {...manifest, name, scripts: scripts[toolchain], dependencies}
  return `${JSON.stringify(changed, undefined, 2)}\n`
}

/**
 * Returns the README of a project: the template's, with the project's name, the starter's section on running it, and the
 * commands of this machine. Links to pages of svc become plain text, because a project does not have these pages.
 */
const readmeOf = async ({source, packageRoot, name, toolchain}: Placement): Promise<string> => {
  const starter = await readFile(join(packageRoot, starterFolder, "README.md"), "utf8")
  const call = callOf(toolchain)
  return (await readFile(source, "utf8"))
    .replace(/^# .*$/m, `# ${name}`)
    .replace(runSection, () => `${runSection.exec(starter)?.[0].trimEnd()}\n\n`)
    .trimEnd()
    .replace(/\[([^\]]*)\]\(\.\.\/[^)]*\)/g, "$1")
    .replace(/, from a checkout with .*(?=:$)/gm, "")
    .replace(/bun run --bun svc|bun run|bun(?= tests\/)|^svc(?= )/gm, found => commandOf(found, call))
    .concat("\n")
}

const commandOf = (found: string, {run, svc, file}: Call): string => {
  if (found === "bun run") return run
  return found === "bun" ? file : svc
}

/** Matches up to the next heading of the same level, or to the end. */
const runSection = /^## Run it\n[\s\S]*?(?=^## |(?![\s\S]))/m

import {execFileSync, spawnSync} from "node:child_process"
import {existsSync, mkdtempSync, rmSync, symlinkSync} from "node:fs"
import {tmpdir} from "node:os"
import {delimiter, isAbsolute, join, relative} from "node:path"
import {fileURLToPath} from "node:url"
import {expect, onTestFinished} from "vitest"

export const root = fileURLToPath(new URL("../../..", import.meta.url))

/** A runtime that the Host ships for, and the command that starts the installed `svc` on it. */
export interface TestRuntime {
  readonly name: string
  readonly command: readonly string[]
}

const bun = process.versions.bun === undefined ? (process.env.SVC_TEST_BUN ?? "bun") : process.execPath

const installed = (name: string): readonly TestRuntime[] => {
  const path = `${root}node_modules/${name}/bin/node`
  return existsSync(path) ? [{name, command: [path, `${root}cli/launch.js`]}] : []
}

export const onBun: TestRuntime = {name: "bun", command: [bun, `${root}cli/launch.js`]}

/** Each runs its shipped bundle. */
export const runtimes: readonly TestRuntime[] = [onBun, ...installed("node22"), ...installed("node24")]

const named = (name: string): TestRuntime => {
  const found = runtimes.find(each => each.name === name)
  if (found === undefined) throw new Error(`SVC_TEST_RUNTIME: there is no runtime ${name} here`)
  return found
}

const chosen = process.env.SVC_TEST_RUNTIME === undefined ? undefined : named(process.env.SVC_TEST_RUNTIME)

/** The runtime of tests that are not about a runtime: Bun, or the one that `SVC_TEST_RUNTIME` names. */
export const usualRuntime: TestRuntime = chosen ?? onBun

/** Node 22.12, if it is available for this platform. */
export const onNode22 = runtimes.find(({name}) => name === "node22")

/**
 * Bun and one Node, for code that is the same on both Nodes; the files alternate between the two. Code that differs
 * between them, in server/runtime and the loading of plugins, is tested on each. `SVC_TEST_RUNTIME` replaces both.
 */
export const bunAnd = (node: "node22" | "node24"): readonly TestRuntime[] =>
  chosen === undefined ? runtimes.filter(({name}) => name === "bun" || name === node) : [chosen]

/**
 * Bun or one Node, for code that is the same on all: the test file's name decides, and chooses Bun for two of three,
 * because a Host on Node takes the processor twice as long. `SVC_TEST_EACH_RUNTIME=1` selects both.
 */
export const bunOr = (node: "node22" | "node24"): readonly TestRuntime[] => {
  const both = bunAnd(node)
  if (process.env.SVC_TEST_EACH_RUNTIME === "1") return both
  const name = relative(root, expect.getState().testPath ?? "")
  const turn = [...name].reduce((sum, character) => sum + character.charCodeAt(0), 0)
  return both.filter((_, index) => index === (turn % 3 === 0 ? both.length - 1 : 0))
}

/** This Node, if it is there and no other runtime is chosen: for tests that need a Node. */
export const nodeOf = (node: "node22" | "node24"): TestRuntime => bunAnd(node).at(-1) ?? onBun

/** The first of `bunOr`: for tests that are not about a runtime, so that every part also runs on each. */
export const usuallyOn = (node: "node22" | "node24"): TestRuntime => bunOr(node)[0] ?? onBun

/**
 * The share of one runtime in the cases, for code that is the same on all runtimes: the cases are dealt out to the
 * runtimes in turn. `SVC_TEST_EACH_RUNTIME=1` gives each runtime all cases.
 */
export const casesOf = <Case>(
  cases: readonly Case[],
  runtime: TestRuntime,
  among: readonly TestRuntime[],
): readonly Case[] =>
  process.env.SVC_TEST_EACH_RUNTIME === "1"
    ? cases
    : cases.filter((_, index) => among[index % among.length]?.name === runtime.name)

/** A PATH on which `bun` or `node` is this runtime's, removed when the test ends. */
export const pathWith = ({name, command: [binary = ""]}: TestRuntime): string => {
  const folder = mkdtempSync(join(tmpdir(), "svc-path-"))
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}))
  symlinkSync(isAbsolute(binary) ? binary : which(binary), join(folder, name === "bun" ? "bun" : "node"))
  return `${folder}${delimiter}${process.env.PATH ?? ""}`
}

const which = (program: string) => execFileSync("which", [program], {encoding: "utf8"}).trim()

/** The command that runs a script of the tests on a runtime. */
export const scriptCommand = (runtime: TestRuntime, script: string): readonly string[] => [
  runtime.command[0] ?? "",
  script,
]

const olderNode = (): TestRuntime | undefined => {
  // npm and Bun put the folders of installed programs first, where `node` is one of the development dependencies.
  const folders = (process.env.PATH ?? "").split(delimiter).filter(folder => !folder.includes("node_modules"))
  for (const node of folders.map(folder => join(folder, "node"))) {
    const found = spawnSync(node, ["--version"], {encoding: "utf8"}).stdout?.trim() ?? ""
    const [major = 0, minor = 0] = found.slice(1).split(".").map(Number)
    if (major === 20 && minor >= 19) return {name: `node ${found}`, command: [node, `${root}cli/launch.js`]}
  }
  return undefined
}

/** A `node` on the PATH that the SDK supports and the Host does not; otherwise undefined. */
export const onOlderNode = olderNode()

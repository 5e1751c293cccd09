import {execFileSync, spawnSync} from "node:child_process"
import {existsSync, mkdtempSync, rmSync, symlinkSync} from "node:fs"
import {tmpdir} from "node:os"
import {delimiter, isAbsolute, join, relative} from "node:path"
import {fileURLToPath} from "node:url"
import {expect, onTestFinished} from "vitest"

/** The repository. */
export const root = fileURLToPath(new URL("../../..", import.meta.url))

/** One runtime that the Host ships for, and how the installed `svc` is started on it. */
export interface TestRuntime {
  readonly name: string
  readonly command: readonly string[]
}

const bun = process.versions.bun === undefined ? (process.env.SVC_TEST_BUN ?? "bun") : process.execPath

const nodeOf = (name: string): readonly TestRuntime[] => {
  const path = `${root}node_modules/${name}/bin/node`
  return existsSync(path) ? [{name, command: [path, `${root}cli/launch.js`]}] : []
}

export const onBun: TestRuntime = {name: "bun", command: [bun, `${root}cli/launch.js`]}

/** Each runs the bundle that ships for it. */
export const runtimes: readonly TestRuntime[] = [onBun, ...nodeOf("node22"), ...nodeOf("node24")]

const named = (name: string): TestRuntime => {
  const found = runtimes.find(each => each.name === name)
  if (found === undefined) throw new Error(`SVC_TEST_RUNTIME: there is no runtime ${name} here`)
  return found
}

const chosen = process.env.SVC_TEST_RUNTIME === undefined ? undefined : named(process.env.SVC_TEST_RUNTIME)

/** What a Host of a test runs on that is about no runtime: Bun, or the one that `SVC_TEST_RUNTIME` names. */
export const usualRuntime: TestRuntime = chosen ?? onBun

/** Likewise, but a Node where none is named: a few files take one, so that each part is met on each runtime. */
export const usuallyOn = (node: "node22" | "node24"): TestRuntime =>
  chosen ?? runtimes.find(({name}) => name === node) ?? onBun

/** Node 22.12, where the package for this platform has it. */
export const onNode22 = runtimes.find(({name}) => name === "node22")

/**
 * Bun and one Node, for what is the same code on either Node: files take the two by turns. What differs between them, the
 * seams of server/runtime and the loading of plugins, is tested on each. `SVC_TEST_RUNTIME` takes the place of both.
 */
export const bunAnd = (node: "node22" | "node24"): readonly TestRuntime[] =>
  chosen === undefined ? runtimes.filter(({name}) => name === "bun" || name === node) : [chosen]

/**
 * Bun or one Node, for what is the same code on all of them: which one goes by the name of the test's file.
 * `SVC_TEST_EACH_RUNTIME=1` takes both.
 */
export const bunOr = (node: "node22" | "node24"): readonly TestRuntime[] => {
  const both = bunAnd(node)
  if (process.env.SVC_TEST_EACH_RUNTIME === "1") return both
  const name = relative(root, expect.getState().testPath ?? "")
  const turn = [...name].reduce((sum, character) => sum + character.charCodeAt(0), 0)
  return both.filter((_, index) => index === turn % both.length)
}

/**
 * The cases that one of these runtimes takes, where they are the same code on all of them: each case is one runtime's, and the
 * runtimes take them by turns. `SVC_TEST_EACH_RUNTIME=1` gives all cases to each.
 */
export const casesOf = <Case>(
  cases: readonly Case[],
  runtime: TestRuntime,
  among: readonly TestRuntime[],
): readonly Case[] =>
  process.env.SVC_TEST_EACH_RUNTIME === "1"
    ? cases
    : cases.filter((_, index) => among[index % among.length]?.name === runtime.name)

/** A PATH on which `bun` or `node` is this runtime's, removed when the test has ended. */
export const pathWith = ({name, command: [binary = ""]}: TestRuntime): string => {
  const folder = mkdtempSync(join(tmpdir(), "svc-path-"))
  onTestFinished(() => rmSync(folder, {recursive: true, force: true}))
  symlinkSync(isAbsolute(binary) ? binary : which(binary), join(folder, name === "bun" ? "bun" : "node"))
  return `${folder}${delimiter}${process.env.PATH ?? ""}`
}

const which = (program: string) => execFileSync("which", [program], {encoding: "utf8"}).trim()

/** A script of the tests, under a runtime. */
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

/** A `node` on PATH that the SDK supports and the Host does not; else undefined. */
export const onOlderNode = olderNode()

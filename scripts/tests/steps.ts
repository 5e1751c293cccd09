import {spawnSync} from "node:child_process"
import {existsSync} from "node:fs"
import {root} from "../root.ts"

export const bun = process.execPath
const node24 = `${root}node_modules/node24/bin/node`
const isNode24There = existsSync(node24)
/** For what needs Node itself: the one of the packages, where this platform has one. */
export const node = isNode24There ? node24 : "node"
export const bin = (name: string) => `${root}node_modules/.bin/${name}`

/** The tests of what runs on Node run on Node, where the package for this platform has one. */
export const vitest: readonly string[] = [...(isNode24There ? [node24] : [bun, "--bun"]), bin("vitest"), "run"]

/** Node keeps here what it has compiled, for the many processes that the tests start. */
const compiled = `${root}node_modules/.cache/node-compiled`

/** A name, and a command line. */
export type Step = readonly [name: string, command: readonly string[]]

/** Runs them in the repository, in their order; ends the process with the code of the first that fails. */
export const runSteps = (steps: readonly Step[]): void => {
  for (const [name, [command = "", ...args]] of steps) {
    const start = performance.now()
    const env = {...process.env, SVC_TEST_BUN: bun, NODE_COMPILE_CACHE: compiled}
    const {status} = spawnSync(command, args, {cwd: root, stdio: "inherit", env})
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    process.stdout.write(`${status === 0 ? "passed" : "FAILED"}: ${name} (${seconds} s)\n`)
    if (status !== 0) process.exit(status ?? 1)
  }
}

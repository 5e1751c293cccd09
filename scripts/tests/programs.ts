import {existsSync, mkdirSync, renameSync, symlinkSync} from "node:fs"
import {delimiter} from "node:path"
import {root} from "../root.ts"

export const bun = process.execPath
const node24 = `${root}node_modules/node24/bin/node`
const isNode24There = existsSync(node24)
/** Node from the packages, if they have one for this platform. */
export const node = isNode24There ? node24 : "node"
export const bin = (name: string) => `${root}node_modules/.bin/${name}`

/** Vitest on Bun needs threads. */
export const vitestOnBun: readonly string[] = [bun, "--bun", bin("vitest"), "run", "--pool", "threads"]

/** The command that runs the tests on Node, if the packages have one for this platform. */
export const vitest: readonly string[] = isNode24There ? [node24, bin("vitest"), "run"] : vitestOnBun

/**
 * Returns a folder in which `bun` is this Bun. A machine with Bun only from npx has none on the PATH of a release's steps, but
 * the projects of the tests have a Bun lockfile.
 */
const folderWithBun = (): string => {
  const folder = `${root}node_modules/.cache/programs`
  const fresh = `${folder}/bun-${process.pid}`
  mkdirSync(folder, {recursive: true})
  symlinkSync(bun, fresh)
  renameSync(fresh, `${folder}/bun`)
  return folder
}

/**
 * The environment of the tests. The compile cache of Node speeds up the many processes that they start. The seed is that of
 * all random choices without a fixed one, so that a file that is repeated makes the same choices.
 */
export const testEnvironment: Readonly<Record<string, string | undefined>> = {
  ...process.env,
  PATH: `${process.env.PATH ?? ""}${delimiter}${folderWithBun()}`,
  SVC_TEST_BUN: bun,
  SVC_TEST_SEED: process.env.SVC_TEST_SEED ?? String(Date.now() % 1_000_000),
  NODE_COMPILE_CACHE: `${root}node_modules/.cache/node-compiled`,
}

import {existsSync, mkdirSync, renameSync, symlinkSync} from "node:fs"
import {delimiter} from "node:path"
import {root} from "../root.ts"

export const bun = process.execPath
const node24 = `${root}node_modules/node24/bin/node`
const isNode24There = existsSync(node24)
/** For what needs Node itself: the one of the packages, where this platform has one. */
export const node = isNode24There ? node24 : "node"
export const bin = (name: string) => `${root}node_modules/.bin/${name}`

/** Vitest on Bun wants threads. */
export const vitestOnBun: readonly string[] = [bun, "--bun", bin("vitest"), "run", "--pool", "threads"]

/** The tests of what runs on Node run on Node, where the package for this platform has one. */
export const vitest: readonly string[] = isNode24There ? [node24, bin("vitest"), "run"] : vitestOnBun

/**
 * A folder where `bun` is this Bun: a machine that has it from npx alone has none on the PATH that svc gives to the steps of a
 * release, and projects of the tests have a lockfile of Bun's.
 */
const folderWithBun = (): string => {
  const folder = `${root}node_modules/.cache/programs`
  const fresh = `${folder}/bun-${process.pid}`
  mkdirSync(folder, {recursive: true})
  symlinkSync(bun, fresh)
  renameSync(fresh, `${folder}/bun`)
  return folder
}

/** What tests are started with. Node keeps in the cache what it has compiled, for the many processes that they start. */
export const testEnvironment: Readonly<Record<string, string | undefined>> = {
  ...process.env,
  PATH: `${process.env.PATH ?? ""}${delimiter}${folderWithBun()}`,
  SVC_TEST_BUN: bun,
  NODE_COMPILE_CACHE: `${root}node_modules/.cache/node-compiled`,
}

import {spawnSync} from "node:child_process"
import {existsSync} from "node:fs"
import {root} from "../root.ts"

const node = `${root}node_modules/node24/bin/node`

export interface TestRun {
  /** Below `tests`, without `.test.ts`: `e2e/kill-loop`. */
  readonly files: readonly string[]
  /** What the tests read; what is undefined is not set. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Node 24 without it, where the package for this platform has one. */
  readonly onBun?: boolean
}

/** Runs test files with more rounds than `bun run check` does, and ends this process as the run has ended. */
export const runTests = ({files, env, onBun = !existsSync(node)}: TestRun): never => {
  const runtime = onBun ? [process.execPath, "--bun"] : [node]
  const paths = files.map(file => `tests/${file}.test.ts`)
  const [command = "", ...args] = [...runtime, `${root}node_modules/.bin/vitest`, "run", ...poolOf(onBun), ...paths]
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined))
  const {status} = spawnSync(command, args, {
    cwd: root,
    stdio: "inherit",
    env: {...process.env, SVC_TEST_BUN: process.execPath, ...set},
  })
  return process.exit(status ?? 1)
}

/** Vitest on Bun wants threads. */
const poolOf = (onBun: boolean): readonly string[] => (onBun ? ["--pool", "threads"] : [])

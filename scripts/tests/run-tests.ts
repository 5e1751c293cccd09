import {spawnSync} from "node:child_process"
import {root} from "../root.ts"
import {testEnvironment, vitest, vitestOnBun} from "./programs.ts"

export interface TestRun {
  /** The path below `tests`, without `.test.ts`: `e2e/messages/kill-loop`. */
  readonly files: readonly string[]
  /** The variables for the tests; undefined ones are not set. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Runs the tests on Bun instead of Node 24. */
  readonly onBun?: boolean
}

/** Runs test files with the given variables, and exits with the run's code. */
export const runTests = ({files, env, onBun = false}: TestRun): never => {
  const paths = files.map(file => `tests/${file}.test.ts`)
  const [command = "", ...args] = [...(onBun ? vitestOnBun : vitest), ...paths]
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined))
  const {status} = spawnSync(command, args, {cwd: root, stdio: "inherit", env: {...testEnvironment, ...set}})
  return process.exit(status ?? 1)
}

import {spawnSync} from "node:child_process"
import {root} from "../root.ts"
import {testEnvironment, vitest, vitestOnBun} from "./programs.ts"

export interface TestRun {
  /** Below `tests`, without `.test.ts`: `e2e/messages/kill-loop`. */
  readonly files: readonly string[]
  /** What the tests read; what is undefined is not set. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** On Bun, where Node 24 would run them. */
  readonly onBun?: boolean
}

/** Runs test files with an environment of their own, and ends this process as the run has ended. */
export const runTests = ({files, env, onBun = false}: TestRun): never => {
  const paths = files.map(file => `tests/${file}.test.ts`)
  const [command = "", ...args] = [...(onBun ? vitestOnBun : vitest), ...paths]
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined))
  const {status} = spawnSync(command, args, {cwd: root, stdio: "inherit", env: {...testEnvironment, ...set}})
  return process.exit(status ?? 1)
}

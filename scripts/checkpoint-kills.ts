import {spawnSync} from "node:child_process"
import {existsSync} from "node:fs"
import {fileURLToPath} from "node:url"
import {parseArgs} from "node:util"

/**
 * `bun run checkpoint-kills --rounds 200 [--seed <n>]`: the kills of `tests/e2e/checkpoint-kill.test.ts`, as many as asked
 * for; it prints how many there were of each.
 */
const {values} = parseArgs({options: {rounds: {type: "string", default: "200"}, seed: {type: "string"}}})

const root = fileURLToPath(new URL("..", import.meta.url))
const node = `${root}node_modules/node24/bin/node`
const vitest = `${root}node_modules/.bin/vitest`
const {status} = spawnSync(
  existsSync(node) ? node : process.execPath,
  [...(existsSync(node) ? [] : ["--bun"]), vitest, "run", "--project", "e2e", "tests/e2e/checkpoint-kill.test.ts"],
  {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      SVC_TEST_BUN: process.execPath,
      SVC_CHECKPOINT_KILL_ROUNDS: values.rounds,
      ...(values.seed === undefined ? {} : {SVC_CHECKPOINT_KILL_SEED: values.seed}),
    },
  },
)
process.exit(status ?? 1)

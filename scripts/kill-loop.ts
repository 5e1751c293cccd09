import {spawnSync} from "node:child_process"
import {existsSync} from "node:fs"
import {fileURLToPath} from "node:url"
import {parseArgs} from "node:util"

/**
 * `bun run kill-loop --rounds 1000 [--seed <n>]`: the kill loop of the tests, with as many kills as asked for. It runs the
 * bundle on Node: `bun run build` makes it.
 */
const {values} = parseArgs({options: {rounds: {type: "string", default: "1000"}, seed: {type: "string"}}})

const root = fileURLToPath(new URL("..", import.meta.url))
const node = `${root}node_modules/node24/bin/node`
const vitest = `${root}node_modules/.bin/vitest`
const {status} = spawnSync(
  existsSync(node) ? node : process.execPath,
  [...(existsSync(node) ? [] : ["--bun"]), vitest, "run", "--project", "e2e", "tests/e2e/kill-loop.test.ts"],
  {
    cwd: root,
    stdio: "inherit",
    env: {
      ...process.env,
      SVC_TEST_BUN: process.execPath,
      SVC_KILL_ROUNDS: values.rounds,
      ...(values.seed === undefined ? {} : {SVC_KILL_SEED: values.seed}),
    },
  },
)
process.exit(status ?? 1)

import {parseArgs} from "node:util"
import {runTests} from "../tests/run-tests.ts"

/**
 * `bun run checkpoint-kills --rounds 200 [--seed <n>]`: the kills of `tests/e2e/checkpoint/kill.test.ts`, as many as asked
 * for; it prints how many there were of each.
 */
const {values} = parseArgs({options: {rounds: {type: "string", default: "200"}, seed: {type: "string"}}})

runTests({
  files: ["e2e/checkpoint/kill"],
  env: {SVC_CHECKPOINT_KILL_ROUNDS: values.rounds, SVC_CHECKPOINT_KILL_SEED: values.seed},
})

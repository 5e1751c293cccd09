import {parseArgs} from "node:util"
import {runTests} from "../tests/run-tests.ts"

/**
 * `bun run kill-loop --rounds 1000 [--seed <n>]`: the kill loop of the tests, with as many kills as asked for. It runs the
 * bundle on Node: `bun run build` makes it.
 */
const {values} = parseArgs({options: {rounds: {type: "string", default: "1000"}, seed: {type: "string"}}})

runTests({files: ["e2e/messages/kill-loop"], env: {SVC_KILL_ROUNDS: values.rounds, SVC_KILL_SEED: values.seed}})

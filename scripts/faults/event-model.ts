import {parseArgs} from "node:util"
import {runEpisodes} from "../../tests/contract/events/model.ts"

/** More episodes of `tests/contract/events/stream-model.test.ts`: `--rounds 10000 --seed 1`. */
const {values} = parseArgs({
  options: {rounds: {type: "string", default: "10000"}, seed: {type: "string", default: "1"}},
})
const started = performance.now()
const tally = await runEpisodes(Number(values.seed), Number(values.rounds))
const seconds = ((performance.now() - started) / 1000).toFixed(1)
process.stdout.write(`${JSON.stringify({...tally, seconds})}\n`)
process.exit(0)

import {test} from "vitest"
import {modelTimeout, runHistories} from "../../support/messages/model-run.ts"
import {History, prepare} from "./history.ts"

test(
  "an inbox keeps its promise through any order of receives, commits, time-outs, retries and restarts",
  () => runHistories("inbox-model", {width: 1, prepare, run: (seed, database) => new History(seed, database).run()}),
  modelTimeout,
)

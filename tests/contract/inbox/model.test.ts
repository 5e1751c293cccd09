import {test} from "vitest"
import {modelTimeout, runHistories} from "../../support/messages/model-run.ts"
import {History, prepare} from "./history.ts"

test(
  "whatever is received, committed, cut off, timed out, retried, held and restarted in whatever order, an inbox keeps its promise",
  () => runHistories("inbox-model", {width: 1, prepare, run: (seed, database) => new History(seed, database).run()}),
  modelTimeout,
)

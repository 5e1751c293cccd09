import {test} from "vitest"
import {modelTimeout, runHistories} from "../../support/messages/model-run.ts"
import {OutboxHistory} from "./history.ts"

test(
  "an outbox keeps its promise through any order of sends, refusals, time-outs, pauses and restarts",
  // A history mostly waits.
  () => runHistories("outbox-model", {width: 12, run: (seed, database) => new OutboxHistory(seed, database).run()}),
  modelTimeout,
)

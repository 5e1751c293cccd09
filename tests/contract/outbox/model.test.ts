import {test} from "vitest"
import {modelTimeout, runHistories} from "../../support/messages/model-run.ts"
import {OutboxHistory} from "./history.ts"

test(
  "whatever is sent, refused, timed out, cut off, paused, decided and restarted in whatever order, an outbox keeps its promise",
  // Most of a history's time is waiting.
  () => runHistories("outbox-model", {width: 12, run: (seed, database) => new OutboxHistory(seed, database).run()}),
  modelTimeout,
)

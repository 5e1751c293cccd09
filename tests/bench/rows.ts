import {agentBusy} from "./agents/busy.ts"
import {agentStep} from "./agents/step.ts"
import {checkpoint} from "./database/checkpoint.ts"
import {lists} from "./database/lists.ts"
import {snapshot} from "./database/snapshot.ts"
import {idleEndpoints} from "./endpoints/idle.ts"
import {isolation} from "./endpoints/isolation.ts"
import {eventAppend} from "./events/event-append.ts"
import {stream} from "./events/stream.ts"
import {streamIdle} from "./events/stream-idle.ts"
import {streamStalled} from "./events/stream-stalled.ts"
import {http} from "./host/http.ts"
import {jobs} from "./host/jobs.ts"
import {logs} from "./host/logs.ts"
import {memory} from "./host/memory.ts"
import {metrics} from "./host/metrics.ts"
import {reload} from "./host/reload.ts"
import {start} from "./host/start.ts"
import {chat} from "./messages/chat.ts"
import {dispatch} from "./messages/dispatch.ts"
import {durable} from "./messages/durable.ts"
import {hears} from "./plugins/hears.ts"
import {pluginTest} from "./plugins/plugin-test.ts"
import {send} from "./plugins/send.ts"
import {timersDue} from "./plugins/timers-due.ts"
import {timersWaiting} from "./plugins/timers-waiting.ts"
import type {Row} from "./row.ts"
import {journal} from "./workroom/journal.ts"
import {journalOpen} from "./workroom/journal-open.ts"

/** Every row, by the folder that it stands in. */
export const rooms: Readonly<Record<string, readonly Row[]>> = {
  host: [start, http, memory, metrics, reload, logs, jobs],
  messages: [durable, chat, dispatch],
  plugins: [send, hears, timersDue, timersWaiting, pluginTest],
  agents: [agentStep, agentBusy],
  endpoints: [isolation, idleEndpoints],
  events: [stream, streamIdle, streamStalled, eventAppend],
  database: [snapshot, checkpoint, lists],
  workroom: [journal, journalOpen],
}

export const rows: readonly Row[] = Object.values(rooms).flat()

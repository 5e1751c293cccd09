import {agentBusy} from "./agents/busy.ts"
import {recalling} from "./agents/recall.ts"
import {agentStep} from "./agents/step.ts"
import {backlog} from "./database/backlog.ts"
import {checkpoint} from "./database/checkpoint.ts"
import {slowDisk} from "./disk/slow-disk.ts"
import {idleEndpoints} from "./endpoints/idle.ts"
import {stream} from "./events/stream.ts"
import {http} from "./host/http.ts"
import {loopDelay} from "./host/loop-delay.ts"
import {memory} from "./host/memory.ts"
import {metricHistory} from "./host/metric-history.ts"
import {rest} from "./host/rest.ts"
import {start} from "./host/start.ts"
import {burst} from "./messages/burst.ts"
import {chat} from "./messages/chat.ts"
import {crowd} from "./messages/crowd.ts"
import {dispatch} from "./messages/dispatch.ts"
import {doors} from "./messages/doors.ts"
import {durable} from "./messages/durable.ts"
import {peers} from "./peers/peers.ts"
import {files} from "./plugins/files.ts"
import {hears} from "./plugins/hears.ts"
import {send} from "./plugins/send.ts"
import {timersDue} from "./plugins/timers-due.ts"
import {timersWaiting} from "./plugins/timers-waiting.ts"
import type {Row} from "./row.ts"
import {journal} from "./workroom/journal.ts"

export const rooms: Readonly<Record<string, readonly Row[]>> = {
  host: [start, http, memory, rest, loopDelay, metricHistory],
  messages: [durable, burst, doors, chat, crowd, dispatch],
  plugins: [send, files, hears, timersDue, timersWaiting],
  agents: [agentStep, agentBusy, recalling],
  endpoints: [idleEndpoints],
  events: [stream],
  database: [checkpoint, backlog],
  disk: [slowDisk],
  workroom: [journal],
}

export const rows: readonly Row[] = Object.values(rooms).flat()

/** Rows that install third-party packages: measured only if named. */
export const rowsApart: readonly Row[] = [peers]

export const pageRows: readonly Row[] = [
  durable,
  burst,
  doors,
  chat,
  send,
  files,
  agentStep,
  stream,
  http,
  start,
  memory,
  rest,
  loopDelay,
  metricHistory,
  idleEndpoints,
  backlog,
  slowDisk,
]

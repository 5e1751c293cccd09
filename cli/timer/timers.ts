import {Option} from "clipanion"
import type {TimerDetail, TimerView} from "../../shared/api/scheduled/timers.ts"
import {decision} from "../kit/messages/decision.ts"
import {facts, shorten} from "../kit/print.ts"
import {listCommand, rowCommand} from "../kit/rows.ts"

export const cancel = decision("timers", "cancel", {
  description: "cancel a timer, so that it never fires",
  examples: [
    ["One timer", "svc timer cancel 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
    ["All timers that a restore holds", "svc timer cancel --held"],
  ],
})

export const release = decision("timers", "release", {
  description: "release a timer that a restore holds, so that it fires at its time",
  examples: [
    ["One timer", "svc timer release 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
    ["All timers that a restore holds", "svc timer release --held"],
  ],
})

export const list = listCommand<TimerView>({
  description: "list the timers of plugins, newest first",
  details: "After its last firing a timer disappears from this list; svc inbox list shows its event.",
  examples: [
    ["The newest timers", "svc timer list"],
    ["Timers that a restore holds", "svc timer list --state held"],
  ],
  path: "/api/timers",
  filters: {state: Option.String("--state", {description: "Only timers in this state: waiting, held or failed"})},
  columns: {
    id: ({id}) => id,
    due: ({dueAt}) => dueAt,
    state: ({state}) => state,
    timer: ({plugin, name}) => `${plugin}/${name}`,
    where: ({endpoint, channel, user}) =>
      shorten([endpoint, channel ?? user].filter(part => part !== null).join(" ") || "-", 40),
    repeats: ({schedule, timezone}) => (schedule === null ? "once" : [schedule, timezone ?? ""].join(" ").trim()),
  },
})

export const show = rowCommand({
  description: "show one timer: its time, place and data",
  examples: [["A timer that svc timer list shows", "svc timer show 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"]],
  options: {id: Option.String({name: "id"})},
  run: async given =>
    given.show(await given.get<TimerDetail>(`/api/timers/${encodeURIComponent(given.id)}`), describeTimer),
})

const describeTimer = (timer: TimerDetail): string =>
  facts([
    ["id", timer.id],
    ["timer", `${timer.plugin}/${timer.name}`],
    ["state", timer.reason === null ? timer.state : `${timer.state} (${timer.reason})`],
    ["due", timer.dueAt],
    ["repeats", timer.schedule === null ? "no, it fires once" : `${timer.schedule} ${timer.timezone ?? ""}`.trim()],
    ["missed", timer.missed],
    ["where", [timer.endpoint, timer.channel, timer.user].filter(part => part !== null).join(" ") || "-"],
    ["key", timer.key ?? "-"],
    ["set", timer.createdAt],
    ["fired", timer.lastFiredAt === null ? "not yet" : `${timer.fired} times, last at ${timer.lastFiredAt}`],
    ["revision", timer.revision],
    ["data", JSON.stringify(timer.data)],
  ])

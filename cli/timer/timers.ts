import {Option} from "clipanion"
import type {TimerWhen} from "../../shared/api/scheduled/drafts.ts"
import type {TimerDetail} from "../../shared/api/scheduled/timers.ts"
import {omitUndefined, parseJson} from "../../shared/json.ts"
import {Problem} from "../../shared/problems.ts"
import {decision, timers} from "../kit/messages/decision.ts"
import {facts, shorten} from "../kit/print.ts"
import {getCommand, listCommand, rowCommand} from "../kit/rows.ts"

const timerOptions = {
  at: Option.String("--at", {description: "Time: once, such as 2026-05-01T09:00"}),
  after: Option.String("--in", {description: "Time: once, this long from now, such as 15m or 24h"}),
  every: Option.String("--every", {description: "Time: at this interval, such as 15m or 24h"}),
  cron: Option.String("--cron", {description: "Time: a cron expression of five fields, or six with seconds first"}),
  timezone: Option.String("--timezone", {description: "The timezone of --at and --cron (default for --at: UTC)"}),
  data: Option.String("--data", {description: "The JSON data for the handler"}),
}

/** Returns the named times, or undefined if there are none. The Host validates them. */
const whenOf = ({at, after, every, cron, timezone}: typeof timerOptions): TimerWhen | undefined => {
  const when = omitUndefined({at, in: after, every, cron, timezone})
  return Object.keys(when).length === 0 ? undefined : when
}

export const add = rowCommand({
  description: "set a timer for a plugin that declares it",
  details: `
      Needs one of --at, --in, --every and --cron. The plugin's handler gets --data, and its answers go to the place that --endpoint, --channel and --user name.

      With --like, place and data come from another timer. Needs a running Host.
    `,
  examples: [
    ["In an hour", `svc timer add reminders/remind --in 1h --data '{"text": "Tea"}' --endpoint sandbox --channel chat`],
    ["A copy of a timer, for tomorrow", "svc timer add --like 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e --in 24h"],
  ],
  options: {
    ...timerOptions,
    timer: Option.String({name: "timer", required: false}),
    like: Option.String("--like", {description: "The id of a timer to copy; other options override its settings"}),
    key: Option.String("--key", {description: "The plugin's name for it; refused if it has a timer of that name"}),
    endpoint: Option.String("--endpoint", {description: "The endpoint for the answers"}),
    channel: Option.String("--channel", {description: "A channel of the endpoint"}),
    user: Option.String("--user", {description: "A user of the endpoint"}),
  },
  run: async call => {
    const {key, endpoint, channel, user} = call
    const when = whenOf(call)
    if (when === undefined) throw missing("when it fires: --at, --in, --every or --cron")
    const copied = call.like === undefined ? undefined : await call.get("/api/timers/:id", {id: call.like})
    const [plugin = copied?.plugin, name = copied?.name] = call.timer?.split("/") ?? []
    if (plugin === undefined || name === undefined) throw missing("<plugin>/<timer>, or --like")
    const own = copied === undefined ? {} : ownOf(copied)
    const data = call.data === undefined ? own.data : parseJson(call.data, "--data")
    const place = {...own.place, ...omitUndefined({key, endpoint, channel, user})}
    const {id} = await call.post("/api/timers", {body: {plugin, name, when, data, ...place}})
    call.show({id}, () => `${id} of ${plugin}/${name} is set`)
  },
})

const missing = (what: string): Problem =>
  new Problem("request_invalid", `a timer needs ${what}`, {hint: "svc timer add --help"})

/** Returns the parts of a timer that a copy keeps: all but its time and its key. */
const ownOf = ({
  data,
  endpoint,
  channel,
  user,
}: TimerDetail): {data?: unknown; place?: Readonly<Record<string, string>>} => ({
  data,
  place: Object.fromEntries(
    Object.entries({endpoint, channel, user}).flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
  ),
})

export const edit = rowCommand({
  description: "change the time or the data of a timer",
  details: "A failed timer waits again; a held timer stays held. Needs a running Host.",
  examples: [
    ["An hour from now", "svc timer edit 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e --in 1h"],
    [
      "Each working day",
      "svc timer edit 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e --cron '0 9 * * MON-FRI' --timezone Europe/London",
    ],
  ],
  options: {
    ...timerOptions,
    id: Option.String({name: "id"}),
    revision: Option.String("--revision", {description: "The revision that you read; refused if it has changed since"}),
  },
  run: async call => {
    const when = whenOf(call)
    if (when === undefined && call.data === undefined) {
      throw new Problem("request_invalid", "name at least one change", {hint: "svc timer edit --help"})
    }
    const data = call.data === undefined ? undefined : parseJson(call.data, "--data")
    await call.post("/api/timers/:id/edit", {id: call.id, body: {when, data, expectedRevision: call.revision}})
    call.show({id: call.id}, () => `changed ${call.id}`)
  },
})

export const cancel = decision(timers, "cancel", {
  description: "cancel a timer, so that it never fires",
  examples: [
    ["One timer", "svc timer cancel 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
    ["All held timers", "svc timer cancel --held"],
    ["Those that are overdue by an hour or more", "svc timer cancel --older 1h --dry-run"],
  ],
})

export const hold = decision(timers, "hold", {
  description: "hold waiting timers until svc timer release or cancel",
  examples: [["All timers of a plugin", "svc timer hold --plugin reminders"]],
})

export const release = decision(timers, "release", {
  description: "release a held timer, so that it fires at its time",
  examples: [
    ["One timer", "svc timer release 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"],
    ["All held timers", "svc timer release --held"],
  ],
})

export const list = listCommand({
  description: "list the timers of plugins, newest first",
  details: "After its last firing a timer disappears from this list; svc inbox list shows its event.",
  examples: [
    ["The newest timers", "svc timer list"],
    ["Held timers", "svc timer list --state held"],
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

export const show = getCommand({
  description: "show one timer: its time, place and data",
  examples: [["A timer that svc timer list shows", "svc timer show 01995b1e-6f0a-7c3e-9d8e-2f1a4b5c6d7e"]],
  options: {id: Option.String({name: "id"})},
  path: "/api/timers/:id",
  describe: timer =>
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
    ]),
})

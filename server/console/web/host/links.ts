import type {Envelope} from "../../../../shared/events/event-stream.ts"
import type {Tone} from "../texts/tone.ts"

/** Returns the fields of an event; none if its data is no object. */
export const dataOf = ({data}: {readonly data: unknown}): Readonly<Record<string, unknown>> =>
  typeof data === "object" && data !== null ? {...data} : {}

/** Returns the plugin of a handler, whose id is `root/<plugin>/…`. */
export const pluginOf = (handler: string): string => handler.split("/")[1] ?? ""

/** Returns the address parts of the page for an event; undefined if no page shows it. */
export const aboutOf = (event: Envelope): readonly (string | number)[] | undefined => {
  const {type, endpoint, runId} = event
  const [kind] = type.split(".")
  const {sn, message, item, job, plugin, agent} = dataOf(event)
  switch (kind) {
    case "message":
      if (typeof message === "string" && type !== "message.received") return ["outbox", message]
      return typeof sn === "number" ? ["inbox", sn] : undefined
    case "endpoint":
      return endpoint === undefined ? ["endpoints"] : ["endpoints", endpoint]
    case "workroom":
      return typeof item === "number" ? ["workroom", item] : ["workroom"]
    case "job":
      if (typeof job !== "string") return ["jobs"]
      return runId === undefined ? ["jobs", job] : ["jobs", job, runId]
    case "agent":
      if (typeof agent !== "string") return ["agents"]
      return runId === undefined ? ["agents", agent] : ["agents", agent, runId]
    case "generation":
    case "configuration":
      return ["generations"]
    case "plugin":
      return typeof plugin === "string" ? ["plugins", plugin] : ["plugins"]
    case "log":
      return typeof plugin === "string" ? ["plugins", plugin] : undefined
    case "checkpoint":
    case "release":
    case "ingress":
    case "restart":
      return ["operations"]
    default:
      return undefined
  }
}

const bad = /\.(failed|dead|send_failed|send_dead|refused|begin_failed|run_failed)$|^log\.error$/
const warn =
  /\.(held|send_held|unknown|gap|item_blocked|item_overdue|paused|stopping|asked|cancelled|aborted|skipped|run_waiting|run_held|run_cancelled|approval_(asked|waiting|held|denied|expired|cancelled))$/
const wrong: readonly string[] = ["failed", "quarantined", "offline", "reconnecting"]

/** Returns the tone of an event. */
export const toneOfEvent = (event: Envelope): Tone => {
  const {type} = event
  const {state, ok} = dataOf(event)
  if (bad.test(type) || ok === false || state === "failed" || state === "quarantined") return "bad"
  if (warn.test(type) || wrong.includes(String(state))) return "warn"
  return type === "message.received" || type.startsWith("log.") ? "idle" : "good"
}

import {Command, Option} from "clipanion"
import type {EndpointView, GapView} from "../../shared/api/endpoints.ts"
import {Problem} from "../../shared/problems.ts"
import {connectHost} from "../kit/host-client.ts"
import {type Facts, facts} from "../kit/print.ts"
import {DataCommand} from "../kit/svc-command.ts"

export class EndpointShow extends DataCommand {
  static override usage = Command.Usage({
    description: "show one endpoint: its state, last error, features and limits",
    examples: [["An endpoint that fails", "svc endpoint show irc~libera"]],
  })

  name = Option.String({name: "name"})

  async run(): Promise<void> {
    const host = await connectHost(this.folder)
    const {items} = await host.get<{items: EndpointView[]}>("/api/endpoints?limit=500")
    const found = items.find(({name}) => name === this.name)
    if (found === undefined) {
      const known = items.map(({name}) => name).join(", ")
      throw new Problem("endpoint_unknown", `there is no endpoint ${this.name}; known endpoints: ${known || "none"}`)
    }
    const gaps = await host.get<{items: GapView[]}>("/api/inbox/gaps?limit=500")
    const gap = gaps.items.find(({endpoint}) => endpoint === this.name)
    this.show(found, () => facts([...factsOf(found), ["newest gap", gap && lineOf(gap)]]))
  }
}

const lineOf = ({from, to, reason, backfill}: GapView): string =>
  [from, to ?? "not yet", reason, ...(backfill === null ? [] : [backfill])].join("  ")

const factsOf = (view: EndpointView): Facts => [
  ["endpoint", view.name],
  ["state", view.state],
  ["since", view.since],
  ["admission", view.admission],
  ["reason", view.reason],
  ["error", view.error],
  ["remedy", view.remediation],
  ["next attempt", view.retryAt],
  ["last event", view.lastEventAt ?? "-"],
  ["cursor stored", view.cursorAt],
  ...(view.dropped === 0 ? [] : [["dropped", `${view.dropped} events that arrived too late to deduplicate`] as const]),
  ["plugin", view.owner],
  ["history", view.history],
  ["can", ["send", ...view.features].join(", ")],
  [
    "longest text",
    view.limits.text === undefined ? "no limit" : `${view.limits.text} characters; longer texts are split`,
  ],
  ["rate", view.rates.map(({messages, per}) => `${messages} in ${per / 1000} s`).join(", ") || "no limit"],
  ["in doubt", view.onUnknown],
]

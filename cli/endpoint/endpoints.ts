import {Option} from "clipanion"
import type {EndpointView, GapView} from "../../shared/api/endpoints.ts"
import {Problem} from "../../shared/problems.ts"
import {connectHost} from "../kit/host-client.ts"
import {type Facts, facts, shorten} from "../kit/print.ts"
import {postCommand, rowCommand, wholeListCommand} from "../kit/rows.ts"

export const list = wholeListCommand({
  description: "list the endpoints with their states; required ones that are not online come first",
  examples: [
    ["All endpoints", "svc endpoint list"],
    ["As JSON", "svc endpoint list --json"],
  ],
  path: "/api/endpoints",
  columns: {
    endpoint: ({name}) => name,
    state: ({state}) => state,
    since: ({since, awaySince = since}) => awaySince,
    "last event": ({lastEventAt}) => lastEventAt ?? "-",
    "last sent": ({lastSentAt}) => lastSentAt ?? "-",
    error: ({error, reason}) => shorten(error ?? reason ?? "", 60),
  },
})

export const reconnect = postCommand({
  description: "close an endpoint's connection and open a new one, even if the endpoint has failed",
  details: `
    A failed endpoint does not retry. Once you have fixed the cause on the platform, this command makes the endpoint connect again without a restart of the Host. To load a changed credential from .env, use svc runtime reload or restart the Host.

    The command does not wait for the connection: svc endpoint show shows the result.
  `,
  examples: [["After you gave the bot its permission", "svc endpoint reconnect discord~main"]],
  options: {name: Option.String({name: "endpoint"})},
  path: "/api/endpoints/:name/reconnect",
  describe: ({name}) => `${name} is reconnecting; svc endpoint show ${name} shows its state`,
})

export const show = rowCommand({
  description: "show one endpoint: its state, last error, features and limits",
  examples: [["An endpoint that fails", "svc endpoint show irc~libera"]],
  options: {name: Option.String({name: "name"})},
  run: async given => {
    const host = await connectHost(given.folder)
    const {items} = await host.get("/api/endpoints", {limit: 500})
    const found = items.find(({name}) => name === given.name)
    if (found === undefined) {
      const known = items.map(({name}) => name).join(", ")
      throw new Problem("endpoint_unknown", `there is no endpoint ${given.name}; known endpoints: ${known || "none"}`)
    }
    const gaps = await host.get("/api/inbox/gaps", {limit: 500})
    const gap = gaps.items.find(({endpoint}) => endpoint === given.name)
    given.show(found, () => facts([...factsOf(found), ["newest gap", gap && lineOf(gap)]]))
  },
})

const lineOf = ({from, to, reason, backfill}: GapView): string =>
  [from, to ?? "not yet", reason, ...(backfill === null ? [] : [backfill])].join("  ")

const factsOf = (view: EndpointView): Facts => [
  ["endpoint", view.name],
  ["state", view.state],
  ["since", view.awaySince ?? view.since],
  ["admission", view.admission],
  ["reason", view.reason],
  ["error", view.error],
  ["remedy", view.remediation],
  ["cannot read", view.unreadable?.map(({place, why}) => `${place}: ${why}`)],
  ["next attempt", view.retryAt],
  ["last event", view.lastEventAt ?? "-"],
  ["last sent", view.lastSentAt ?? "-"],
  ["cursor stored", view.cursorAt],
  ["dropped", view.dropped === 0 ? null : `${view.dropped} events that arrived too late to deduplicate`],
  ["plugin", view.owner],
  ["history", view.history],
  ["webhook", view.webhook],
  ["can", view.webhook !== undefined ? "receive" : ["send", ...view.features].join(", ")],
  ["longest text", view.limits.text === undefined ? "no limit" : `${view.limits.text} characters, longer ones split`],
  ["rate", view.rates.map(({messages, per}) => `${messages} in ${per / 1000} s`).join(", ") || "no limit"],
  ["in doubt", view.onUnknown],
]

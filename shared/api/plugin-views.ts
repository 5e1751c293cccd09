import {type Static, Type} from "../type.ts"
import {Named} from "./schemas.ts"

/** Plugins in the HTTP API. What is marked `private` is left out for a demo token. */

/** Where something stands in a file of the project. */
export const pluginStates = ["starting", "active", "failed", "quarantined", "disposed", "disabled"] as const

export const Place = Named("Place", {file: Type.String(), line: Type.Integer(), column: Type.Integer()})

export type Position = Readonly<Static<typeof Place>>

/** How a plugin's handlers did since the Host started. */
const PluginHandlers = Named("PluginHandlers", {
  hour: Named("PluginCounts", {
    ended: Type.Integer({description: "Attempts that ended, however they did"}),
    failed: Type.Integer({description: "Those of them that failed"}),
  }),
  day: Type.Object({ended: Type.Integer(), failed: Type.Integer()}),
  failures: Type.Array(Type.Integer(), {
    description: "Failed attempts in each of the last 60 minutes, the oldest first",
  }),
  lastFailure: Type.Union([
    Named("HandlerFailure", {
      at: Type.String({format: "date-time"}),
      handler: Type.String(),
      seq: Type.Integer({description: "The inbox event"}),
      error: Type.String({private: true}),
      place: Type.Optional(Type.Object(Place.properties, {description: "Where it was thrown, in the plugin's files"})),
    }),
    Type.Null(),
  ]),
  slowest: Type.Union(
    [
      Named("HandlerTimes", {
        handler: Type.String(),
        runs: Type.Integer(),
        mean: Type.Number({description: "Seconds"}),
        longest: Type.Number({description: "Seconds"}),
      }),
      Type.Null(),
    ],
    {description: "The handler whose attempts take longest on average"},
  ),
})

const CapabilityView = Named("CapabilityView", {
  id: Type.String(),
  kind: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.String({description: "In the plugin's own words"})),
})

export const PluginView = Named("PluginView", {
  name: Type.String(),
  owner: Type.String(),
  state: Type.Enum([...pluginStates]),
  since: Type.Optional(Type.String({format: "date-time"})),
  error: Type.Optional(Type.String({private: true})),
  at: Type.Optional(Type.Object(Place.properties, {description: "Where the error was thrown, in the plugin's files"})),
  origin: Type.Optional(Type.Enum(["source", "built", "built-in", "package"])),
  from: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  capabilities: Type.Array(CapabilityView),
  handlers: Type.Optional(PluginHandlers),
})

const Written = Named("Written", {path: Type.String({description: "Below the plugin's `config`"}), ...Place.properties})

export const PluginDetail = Named("PluginDetail", {
  ...PluginView.properties,
  key: Type.String({description: "Its key in the configuration"}),
  place: Type.Object(Place.properties, {description: "Where the running configuration has that key"}),
  schema: Type.Unknown({description: "JSON Schema of its `config`; null where it takes none, or was not loaded"}),
  config: Type.Optional(
    Type.Unknown({private: true, description: "Its settings, with defaults; a secret is shown as [secret]"}),
  ),
  written: Type.Array(Written, {description: "The settings that stand in the configuration; others are defaults"}),
})

export const PluginSwitch = Named(
  "PluginSwitch",
  {enabled: Type.Boolean({description: "false takes all that it publishes away"})},
  {additionalProperties: false},
)

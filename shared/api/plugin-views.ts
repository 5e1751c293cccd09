import {Named, Optional, orNull, type Static, Type} from "../type.ts"

/** Plugins in the HTTP API. A demo token does not see fields marked `private`. */

export const pluginStates = ["starting", "active", "failed", "quarantined", "disposed", "disabled"] as const

export const Place = Named("Place", {file: Type.String(), line: Type.Integer(), column: Type.Integer()})

export type Position = Readonly<Static<typeof Place>>

/** Returns the text of an error with the place where it was thrown, as far as known: `no die (plugins/die.ts:7:9)`. */
export const withPlace = (error: string, at: Position | undefined): string =>
  at === undefined ? error : `${error} (${at.file}:${at.line}:${at.column})`

/** Counts of a plugin's handlers, over restarts of the Host. */
const PluginHandlers = Named("PluginHandlers", {
  hour: Named("PluginCounts", {
    ended: Type.Integer({description: "Attempts that ended; of earlier runs, those whose events are kept"}),
    failed: Type.Integer({description: "Attempts that failed"}),
  }),
  day: Type.Object({ended: Type.Integer(), failed: Type.Integer()}),
  failures: Type.Array(Type.Integer(), {description: "Failed attempts in each of the last 60 minutes, oldest first"}),
  lastFailure: orNull(
    Named("HandlerFailure", {
      at: Type.String({format: "date-time"}),
      handler: Type.String(),
      seq: Type.Integer({description: "Sequence of the inbox event"}),
      error: Type.String({private: true}),
      place: Type.Optional(Type.Object(Place.properties, {description: "Where the plugin's code threw it"})),
    }),
  ),
  slowest: orNull(
    Named("HandlerTimes", {
      handler: Type.String(),
      runs: Type.Integer(),
      mean: Type.Number({description: "Seconds"}),
      longest: Type.Number({description: "Seconds"}),
    }),
    {description: "The handler with the longest average duration since the Host started"},
  ),
})

const CapabilityView = Named("CapabilityView", {
  id: Type.String(),
  kind: Type.String(),
  name: Type.String(),
  description: Optional.String({description: "The plugin's own description"}),
})

export const PluginView = Named("PluginView", {
  name: Type.String(),
  owner: Type.String(),
  state: Type.Enum([...pluginStates]),
  since: Optional.String({format: "date-time"}),
  error: Optional.String({private: true}),
  at: Type.Optional(Type.Object(Place.properties, {description: "Where the plugin's code threw the error"})),
  origin: Optional.Enum(["source", "built", "built-in", "package"]),
  from: Optional.String(),
  description: Optional.String(),
  capabilities: Type.Array(CapabilityView),
  handlers: Type.Optional(PluginHandlers),
})
export type PluginView = Static<typeof PluginView>

const Written = Named("Written", {path: Type.String({description: "Key path in its `config`"}), ...Place.properties})

export const PluginDetail = Named("PluginDetail", {
  ...PluginView.properties,
  key: Type.String({description: "Its key in the configuration"}),
  place: Type.Object(Place.properties, {description: "The position of that key in the running configuration"}),
  schema: Type.Unknown({description: "JSON Schema of its `config`; null if it has none or was not loaded"}),
  config: Type.Optional(Type.Unknown({private: true, description: "Its settings with defaults; secrets as [secret]"})),
  written: Type.Array(Written, {description: "The settings that the configuration contains. The others are defaults"}),
})
export type PluginDetail = Static<typeof PluginDetail>

import {Type} from "../type.ts"
import {Named} from "./schemas.ts"

/** Plugins in the HTTP API. What is marked `private` is left out for a demo token. */

/** Where something stands in a file of the project. */
export const Place = Named("Place", {file: Type.String(), line: Type.Integer(), column: Type.Integer()})

const CapabilityView = Named("CapabilityView", {
  id: Type.String(),
  kind: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.String({description: "In the plugin's own words"})),
})

export const PluginView = Named("PluginView", {
  name: Type.String(),
  owner: Type.String(),
  state: Type.Enum(["starting", "active", "failed", "quarantined", "disposed", "disabled"]),
  since: Type.Optional(Type.String({format: "date-time"})),
  error: Type.Optional(Type.String({private: true})),
  at: Type.Optional(Type.Object(Place.properties, {description: "Where the error was thrown, in the plugin's files"})),
  origin: Type.Optional(Type.Enum(["source", "built", "built-in", "package"])),
  from: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  capabilities: Type.Array(CapabilityView),
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

import {Named, Optional, type Static, Type} from "../../type.ts"
import {ConfigFile} from "./file.ts"

/** What a form needs to change the configuration file: settings as written, and schemas of the running plugins. */

const Raw = Type.Unknown({description: "The value as in the file, with ${NAME} unexpanded; null if there is none"})
const Schema = Type.Unknown({description: "JSON Schema; null if there is none, or the plugin does not run"})

export const ConfiguredPlugin = Named("ConfiguredPlugin", {
  plugin: Type.String(),
  enabled: Type.Boolean(),
  use: Optional.String({description: "The location of its code, as in the file"}),
  config: Raw,
  schema: Schema,
  accounts: Type.Array(Named("ConfiguredAccount", {account: Type.String(), settings: Raw})),
  accountSchema: Schema,
})
export type ConfiguredPlugin = Static<typeof ConfiguredPlugin>

export const AvailablePlugin = Named("AvailablePlugin", {
  plugin: Type.String(),
  origin: Type.Enum(["built-in", "project"], {description: "built-in: part of svc. project: in plugins/"}),
})

const {file, hash, writable, why, mode, pinned, uncommitted, variables} = ConfigFile.properties

export const ConfigForm = Named("ConfigForm", {
  ...{file, hash, writable, why, mode, pinned, uncommitted, variables},
  plugins: Type.Array(ConfiguredPlugin),
  available: Type.Array(AvailablePlugin, {description: "Plugins that can be added without installing a package"}),
})
export type ConfigForm = Static<typeof ConfigForm>

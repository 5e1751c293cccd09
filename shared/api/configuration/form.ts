import {Type} from "../../type.ts"
import {Named} from "../schemas.ts"
import {ConfigFile} from "./file.ts"

/** What a form needs to change the configuration file: the settings as they were written, with the schemas of those that run. */

const Raw = Type.Unknown({description: "As the file has it, with ${NAME} unexpanded; null where it has none"})
const Schema = Type.Unknown({
  description: "JSON Schema; null where there is none, or it is not known of what does not run",
})

export const ConfiguredPlugin = Named("ConfiguredPlugin", {
  plugin: Type.String(),
  enabled: Type.Boolean(),
  use: Type.Optional(Type.String({description: "Where its code is, as the file says"})),
  config: Raw,
  schema: Schema,
  accounts: Type.Array(Named("ConfiguredAccount", {account: Type.String(), settings: Raw})),
  accountSchema: Schema,
})

export const AvailablePlugin = Named("AvailablePlugin", {
  plugin: Type.String(),
  origin: Type.Enum(["built-in", "project"], {description: "It comes with svc, or stands in plugins/"}),
})

const {file, hash, writable, why, mode, pinned, uncommitted, variables} = ConfigFile.properties

export const ConfigForm = Named("ConfigForm", {
  ...{file, hash, writable, why, mode, pinned, uncommitted, variables},
  plugins: Type.Array(ConfiguredPlugin),
  available: Type.Array(AvailablePlugin, {description: "What could be added without a package"}),
})

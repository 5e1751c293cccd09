import type * as file from "../../../../shared/api/configuration/file.ts"
import type * as form from "../../../../shared/api/configuration/form.ts"
import type {Static} from "../../../../shared/type.ts"

/** The API's answers about the configuration file. */
export type {ConfigChange} from "../../../../shared/api/configuration/file.ts"
export type ConfigFile = Static<typeof file.ConfigFile>
export type ConfigPreview = Static<typeof file.ConfigPreview>
export type ConfigApplied = Static<typeof file.ConfigApplied>
export type ConfigForm = Static<typeof form.ConfigForm>
export type ConfiguredPlugin = Static<typeof form.ConfiguredPlugin>

import {namePattern} from "../../ids.ts"
import {Closed, Named, NamedClosed, Optional, orNull, type Static, Type} from "../../type.ts"
import {Unready} from "./unready.ts"

/** Reading and changing the configuration file over the API. `${NAME}` stays unexpanded. */

const Hash = (description: string) => Type.String({pattern: "^[0-9a-f]{64}$", description})
const PluginName = Type.String({pattern: namePattern, description: "The plugin's key under `plugins`"})
const AccountId = Type.String({minLength: 1, description: "The `id` of one of its accounts"})
const Keys = Type.Array(Type.Union([Type.String(), Type.Integer({minimum: 0})]), {
  minItems: 1,
  maxItems: 20,
  description: "Keys and list positions, from the outermost",
})
const Value = Type.Unknown({description: "The value as in the file: a variable is ${NAME}"})
const Yaml = Type.String({maxLength: 100_000, description: "The value as YAML, instead of `value`, without comments"})

const change = <Name extends string, Properties extends Parameters<typeof Type.Object>[0]>(
  name: Name,
  properties: Properties,
  description: string,
  options: {readonly title?: string} = {},
) => Closed({change: Type.Literal(name), plugin: PluginName, ...properties}, {...options, description})

/** One change of the file, in terms of what it configures. */
export const ConfigChange = Type.Union([
  change(
    "set",
    {account: Type.Optional(AccountId), path: Keys, value: Type.Optional(Value), yaml: Type.Optional(Yaml)},
    "Sets a key of a plugin's `config`, or of one of its accounts, by `value` or by `yaml`. Missing parent keys are added",
    {title: "SettingChange"},
  ),
  change("remove", {account: Type.Optional(AccountId), path: Keys}, "Removes a key, so that its default applies"),
  change("add_account", {account: AccountId, value: Type.Record(Type.String(), Type.Unknown())}, "Adds an account"),
  change("remove_account", {account: AccountId}, "Removes the account from the file. Stored data stays"),
  change(
    "add_plugin",
    {use: Optional.String({minLength: 1}), config: Type.Optional(Type.Record(Type.String(), Type.Unknown()))},
    "Adds a plugin after the others",
  ),
  change("remove_plugin", {}, "Removes the plugin's entry from the file. Stored data stays"),
  change("enable_plugin", {}, "Enables the plugin"),
  change("disable_plugin", {}, "Disables the plugin and keeps its entry"),
])
export type ConfigChange = Static<typeof ConfigChange>

/** A configuration file with uncommitted changes. Null if it is committed, without git, or if this is unknown. */
export const UncommittedConfig = orNull(
  Named("Uncommitted", {file: Type.String(), command: Type.String({description: "Commits only this file"})}),
  {description: "The configuration file differs from the last commit of its git repository"},
)
export type UncommittedConfig = Static<typeof UncommittedConfig>

export const ConfigFile = Named("ConfigFile", {
  file: Type.String(),
  text: Type.String({description: "The file as written"}),
  hash: Hash("SHA-256 of the text. A change names the text that it applies to"),
  writable: Type.Boolean({description: "True if the Host can replace the file. Otherwise apply changes by hand"}),
  why: Optional.String({description: "Why the Host cannot replace it"}),
  mode: Type.Enum(["development", "production", "test"]),
  pinned: Optional.Integer({description: "The generation that runs instead of the file, until the file changes"}),
  uncommitted: UncommittedConfig,
  variables: Type.Array(Type.Object({name: Type.String(), set: Type.Boolean()}), {
    description: "Names of the variables in the file and in the .env files, without their values",
  }),
})

export const ConfigPreviewRequest = NamedClosed("ConfigPreviewRequest", {
  hash: Hash("SHA-256 of the file that the change applies to"),
  text: Optional.String({maxLength: 1024 * 1024, description: "The whole new file"}),
  changes: Optional.Array(ConfigChange, {maxItems: 500, description: "Applied one after the other, instead of `text`"}),
  draft: Optional.Boolean({
    default: false,
    description:
      "Also run the setup of changed plugins, which connects to nothing. Otherwise only keys and values are checked",
  }),
})

export const ConfigIssue = Named("ConfigIssue", {
  file: Type.String(),
  line: Type.Integer(),
  column: Type.Integer(),
  path: Type.String({description: "Such as plugins.greeter.config.greeting; empty for the whole file"}),
  message: Type.String(),
})

export const ConfigPreview = Named("ConfigPreview", {
  file: Type.String(),
  text: Type.String({description: "The whole file with the change, comments kept"}),
  hash: Hash("SHA-256 of that text"),
  diff: Type.String({description: "A unified diff, for git apply or patch; empty if nothing changes"}),
  issues: Type.Array(ConfigIssue),
  code: Optional.String({description: "Problem code that applying the change would cause"}),
  restart: Type.Array(Type.String(), {description: "Changes that need a restart"}),
  unpins: Optional.Integer({description: "The generation whose pin ends with the change"}),
  unready: Unready,
})

export const ConfigRequest = NamedClosed("ConfigRequest", {
  hash: Hash("SHA-256 of the file that the change applies to"),
  text: Type.String({maxLength: 1024 * 1024, description: "The whole new file"}),
  restart: Optional.Boolean({description: "Write it even if the change needs a restart"}),
  confirm: Optional.Boolean({description: "Restart even if no supervisor would restart the Host"}),
  force: Optional.Boolean({description: "Restart without a trial of the next start"}),
})

export const ConfigApplied = Named("ConfigApplied", {
  written: Type.Boolean({description: "False if nothing changed, or if the file cannot be replaced"}),
  committed: Type.Boolean({description: "True if a generation runs with the change"}),
  generation: Type.Integer({description: "The running generation"}),
  hash: Hash("SHA-256 of the current file"),
  restarting: Optional.Boolean({description: "True if the restart that the change needs has begun"}),
  restart: Optional.Array(Type.String(), {description: "Changes that wait for a restart, which has not begun"}),
  unwritable: Optional.String({description: "Why the file was not replaced: apply `diff` by hand"}),
  unready: Unready,
  diff: Type.String(),
})
export type ConfigFile = Static<typeof ConfigFile>
export type ConfigPreview = Static<typeof ConfigPreview>
export type ConfigApplied = Static<typeof ConfigApplied>

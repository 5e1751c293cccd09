import {namePattern} from "../../ids.ts"
import {type Static, Type} from "../../type.ts"
import {Named, orNull} from "../schemas.ts"

/** The configuration file, read and changed over the API. `${NAME}` is unexpanded throughout. */

const closed = {additionalProperties: false}

const Hash = (description: string) => Type.String({pattern: "^[0-9a-f]{64}$", description})
const PluginName = Type.String({pattern: namePattern, description: "The plugin, by its key under `plugins`"})
const AccountId = Type.String({minLength: 1, description: "The `id` of one of its accounts"})
const Keys = Type.Array(Type.Union([Type.String(), Type.Integer({minimum: 0})]), {
  minItems: 1,
  maxItems: 20,
  description: "Keys and positions in lists, from the outermost",
})
const Value = Type.Unknown({description: "As the file has it: a variable is ${NAME}"})
const Yaml = Type.String({
  maxLength: 100_000,
  description: "The value as YAML text, comments left out; instead of `value`",
})

const change = <Name extends string, Properties extends Parameters<typeof Type.Object>[0]>(
  name: Name,
  properties: Properties,
  description: string,
  options: {readonly title?: string} = {},
) => Type.Object({change: Type.Literal(name), plugin: PluginName, ...properties}, {...closed, ...options, description})

/** One change of the file, in words of what it configures. */
export const ConfigChange = Type.Union([
  change(
    "set",
    {account: Type.Optional(AccountId), path: Keys, value: Type.Optional(Value), yaml: Type.Optional(Yaml)},
    "A setting of a plugin's `config`, or of one of its accounts, by `value` or by `yaml`; what is missing above it is written",
    {title: "SettingChange"},
  ),
  change("remove", {account: Type.Optional(AccountId), path: Keys}, "The setting is its default again"),
  change("add_account", {account: AccountId, value: Type.Record(Type.String(), Type.Unknown())}, "One more account"),
  change("remove_account", {account: AccountId}, "The account leaves the file; nothing stored is deleted"),
  change(
    "add_plugin",
    {
      use: Type.Optional(Type.String({minLength: 1})),
      config: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    },
    "A plugin behind the others",
  ),
  change("remove_plugin", {}, "The plugin's entry leaves the file; nothing stored is deleted"),
  change("enable_plugin", {}, "The plugin runs again"),
  change("disable_plugin", {}, "The plugin's entry stays, and it does not run"),
])
export type ConfigChange = Static<typeof ConfigChange>

const Uncommitted = Named("Uncommitted", {
  file: Type.String(),
  command: Type.String({description: "Commits it, and nothing else"}),
})

/** A configuration that git does not have as it is; null where it has, where there is no git, and where it is not known. */
export const UncommittedConfig = orNull(Uncommitted, {
  description: "The configuration file differs from the last commit of its git repository",
})
export type UncommittedConfig = Static<typeof Uncommitted> | null

export const ConfigFile = Named("ConfigFile", {
  file: Type.String(),
  text: Type.String({description: "As it was written"}),
  hash: Hash("SHA-256 of the text: a change names what it was made for"),
  writable: Type.Boolean({description: "Can the Host replace it? Else a change is applied by hand"}),
  why: Type.Optional(Type.String({description: "Why it cannot be replaced"})),
  mode: Type.Enum(["development", "production", "test"]),
  pinned: Type.Optional(
    Type.Integer({description: "The generation that runs instead of the file, until the file changes"}),
  ),
  uncommitted: UncommittedConfig,
  variables: Type.Array(Type.Object({name: Type.String(), set: Type.Boolean()}), {
    description: "The variables that the file names and those of the .env files, by name; their values are not told",
  }),
})

export const ConfigPreviewRequest = Named(
  "ConfigPreviewRequest",
  {
    hash: Hash("Of the file that the change was made for"),
    text: Type.Optional(Type.String({maxLength: 1024 * 1024, description: "The whole file as it is to be"})),
    changes: Type.Optional(
      Type.Array(ConfigChange, {maxItems: 500, description: "Made one after the other; instead of `text`"}),
    ),
    draft: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Run the changed plugins' setup too, which connects nothing; else keys and values are checked",
      }),
    ),
  },
  closed,
)

export const ConfigIssue = Named("ConfigIssue", {
  file: Type.String(),
  line: Type.Integer(),
  column: Type.Integer(),
  path: Type.String({description: "Such as plugins.greeter.config.greeting; empty for the file"}),
  message: Type.String(),
})

export const ConfigPreview = Named("ConfigPreview", {
  file: Type.String(),
  text: Type.String({description: "The whole file with the change, comments kept"}),
  hash: Hash("Of that text"),
  diff: Type.String({description: "A unified diff, for git apply or patch; empty where nothing changes"}),
  issues: Type.Array(ConfigIssue),
  code: Type.Optional(Type.String({description: "Of the problem that applying it would meet"})),
  restart: Type.Array(Type.String(), {description: "What the running process cannot take over without a restart"}),
  unpins: Type.Optional(Type.Integer({description: "The pin of this generation ends with the change"})),
})

export const ConfigRequest = Named(
  "ConfigRequest",
  {
    hash: Hash("Of the file that the change was made for"),
    text: Type.String({maxLength: 1024 * 1024, description: "The whole file as it is to be"}),
    restart: Type.Optional(Type.Boolean({description: "Write it even if the change needs a restart"})),
    confirm: Type.Optional(Type.Boolean({description: "Restart even where nothing would start the Host again"})),
    force: Type.Optional(Type.Boolean({description: "Restart without trying the next start before"})),
  },
  closed,
)

export const ConfigApplied = Named("ConfigApplied", {
  written: Type.Boolean({description: "False where nothing had changed, and where the file cannot be replaced"}),
  committed: Type.Boolean({description: "A generation runs with it"}),
  generation: Type.Integer({description: "The one that runs"}),
  hash: Hash("Of the file now"),
  restarting: Type.Optional(Type.Boolean({description: "The restart that it needs has begun"})),
  restart: Type.Optional(Type.Array(Type.String(), {description: "What waits for a restart, which nothing has begun"})),
  unwritable: Type.Optional(Type.String({description: "Why the file was not replaced: apply `diff` by hand"})),
  diff: Type.String(),
})
export type ConfigFile = Static<typeof ConfigFile>
export type ConfigPreview = Static<typeof ConfigPreview>
export type ConfigApplied = Static<typeof ConfigApplied>

/** The owner path of everything that one plugin instance publishes. */
export type PluginPath = `root/${string}`
export const pluginPath = (name: string): PluginPath => `root/${name}`
export const pluginNameOf = (path: PluginPath): string => path.slice("root/".length)

/** The pattern of plugin names in `plugins.<name>`, as a regular expression source. */
export const namePattern = "^[a-z0-9][a-z0-9_-]{0,63}$"

/** Returns `<slot>` without an account, `<slot>~<id>` with one. */
export const endpointName = (slot: string, account?: string): string =>
  account === undefined ? slot : `${slot}~${account}`

export type CapabilityKind =
  | "access"
  | "command"
  | "handler"
  | "hears"
  | "middleware"
  | "prompt"
  | "action"
  | "timer"
  | "job"
  | "tool"
  | "service"
  | "slot"
  | "endpoint"
  | "route"
  | "page"
  | "webhook"

/** Returns `<owner>/<kind>/<name>`. `name` is the stable last part that selectors use. */
export const capabilityId = (owner: PluginPath, kind: CapabilityKind, name: string): string =>
  `${owner}/${kind}/${name}`

/** The compared parts of a generation. */
interface Compared {
  readonly plugins: readonly string[]
  /** A Host of an older version does not report it. */
  readonly code?: Readonly<Record<string, string>>
}

/** How the plugins of two generations differ, by name. */
export interface PluginChanges {
  readonly enabled: readonly string[]
  readonly disabled: readonly string[]
  /** Plugins of both generations whose code differs. */
  readonly code: readonly string[]
}

export const pluginChanges = (from: Compared, to: Compared): PluginChanges => ({
  enabled: to.plugins.filter(name => !from.plugins.includes(name)),
  disabled: from.plugins.filter(name => !to.plugins.includes(name)),
  code: to.plugins.filter(name => from.plugins.includes(name) && from.code?.[name] !== to.code?.[name]),
})
